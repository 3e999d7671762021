package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/width"

	"techo/internal/testenv"
)

// maker makes texts of random characters.
type maker struct{ *rand.Rand }

// of makes n characters of an alphabet, with a digit among them.
func (m maker) of(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[m.IntN(len(alphabet))]
	}
	if strings.ContainsAny(alphabet, digits) && n > 8 {
		b[n/2], b[n/2+1] = digits[m.IntN(10)], digits[m.IntN(10)]
	}
	return string(b)
}

func (m maker) uuid() string {
	return strings.Join([]string{m.of(hex[:16], 8), m.of(hex[:16], 4), m.of(hex[:16], 4), m.of(hex[:16], 4),
		m.of(hex[:16], 12)}, "-")
}

// luhn completes a number by its check digit.
func luhn(number string) string {
	for d := range 10 {
		if n := number + fmt.Sprint(d); isCard(n) {
			return n
		}
	}
	return number
}

func grouped(number, by string) string {
	var parts []string
	for len(number) > 4 {
		parts, number = append(parts, number[:4]), number[4:]
	}
	return strings.Join(append(parts, number), by)
}

// secretForms makes a secret of each provider and form, as their pages describe it.
func (m maker) secretForms() []string {
	low := lower + digits
	h := hex[:16]
	card := luhn("4" + m.of(digits, 14))
	words := strings.Fields("abandon ability able about above absent absorb abstract absurd abuse access accident")
	mynumber := ""
	for mynumber == "" {
		n := m.of(digits, 11)
		for d := range 10 {
			if isMyNumber(n + fmt.Sprint(d)) {
				mynumber = n + fmt.Sprint(d)
			}
		}
	}
	iban := ""
	for d := 2; iban == "" && d < 99; d++ {
		if n := fmt.Sprintf("DE%02d%s", d, "370400440532013000"); isIBAN(n) {
			iban = n
		}
	}
	return []string{
		"AKIA" + m.of(upper+"234567", 16), "ghp_" + m.of(alnum, 36), "github_pat_" + m.of(alnum, 22) + "_" + m.of(alnum, 59),
		"glpat-" + m.of(wordly, 20), "xoxb-" + m.of(digits, 12) + "-" + m.of(digits, 12) + "-" + m.of(alnum, 24),
		"sk-proj-" + m.of(wordly, 60), "sk-ant-api03-" + m.of(wordly, 90), "sk_live_" + m.of(alnum, 24),
		"rk_live_" + m.of(alnum, 24), "whsec_" + m.of(alnum, 32), "AIza" + m.of(wordly, 35), "ya29." + m.of(wordly, 80),
		"GOCSPX-" + m.of(wordly, 28), "AQ." + m.of(wordly, 50), "hf_" + m.of(alnum, 34), "gsk_" + m.of(alnum, 52),
		"xai-" + m.of(alnum, 80), "r8_" + m.of(alnum, 37), "pplx-" + m.of(alnum, 48), "sk-or-v1-" + m.of(h, 64),
		"fc-" + m.of(h, 32), "lsv2_pt_" + m.of(h, 32) + "_" + m.of(h, 10), "sk_" + m.of(h, 48), "napi_" + m.of(low, 64),
		"sbp_" + m.of(h, 40), "NRAK-" + m.of(upper+digits, 27), "dp.st.dev." + m.of(alnum, 42), "dp.pt." + m.of(alnum, 43),
		m.of(h, 32) + "-us" + m.of("123456789", 2), "key-" + m.of(h, 32), "pat" + m.of(alnum, 14) + "." + m.of(h, 64),
		"1/" + m.of(digits, 16) + ":" + m.of(h, 32), m.of(alnum, 14) + ".atlasv1." + m.of(alnum, 67),
		"access_token$production$" + m.of(low, 16) + "$" + m.of(h, 32), "npm_" + m.of(alnum, 36),
		"pypi-AgEIcHlwaS5vcmc" + m.of(wordly, 70), "rubygems_" + m.of(h, 48), "cio" + m.of(alnum, 32), "oy2" + m.of(low, 43),
		"dckr_pat_" + m.of(wordly, 27), "dop_v1_" + m.of(h, 64), "HRKU-AA" + m.of(wordly, 58), "tskey-auth-" + m.of(alnum, 24),
		"hvs." + m.of(wordly, 90), "SG." + m.of(wordly, 22) + "." + m.of(wordly, 43), "xkeysib-" + m.of(h, 64) + "-" + m.of(alnum, 16),
		"shpat_" + m.of(h, 32), "sq0atp-" + m.of(wordly, 22), "EAAA" + m.of(wordly, 60), "lin_api_" + m.of(alnum, 40),
		"ntn_" + m.of(alnum, 46), "figd_" + m.of(wordly, 40), "PMAK-" + m.of(h, 24) + "-" + m.of(h, 34),
		"glsa_" + m.of(alnum, 32) + "_" + m.of(h, 8), "sntrys_" + m.of(alnum, 60), "dapi" + m.of(h, 32),
		"pscale_tkn_" + m.of(wordly, 40), "access-sandbox-" + m.uuid(), "sdk-" + m.uuid(), "pat-na1-" + m.uuid(),
		m.of(digits, 10) + ":AA" + m.of(wordly, 33),
		"M" + m.of(alnum, 25) + "." + m.of(wordly, 6) + "." + m.of(wordly, 38),
		"https://hooks.slack.com/services/T" + m.of(upper+digits, 8) + "/B" + m.of(upper+digits, 8) + "/" + m.of(alnum, 24),
		"https://discord.com/api/webhooks/" + m.of(digits, 18) + "/" + m.of(wordly, 68),
		"AGE-SECRET-KEY-1" + m.of(upper+digits, 58), "$2y$10$" + m.of("./"+alnum, 53),
		"$6$" + m.of(alnum, 8) + "$" + m.of("./"+alnum, 86), "$argon2id$v=19$m=65536,t=3,p=4$" + m.of(alnum, 22) + "$" + m.of(alnum, 43),
		"PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n" + m.of(sixtyFour, 44) + "\nPrivate-MAC: " + m.of(h, 64),
		"-----BEGIN OPENSSH PRIVATE KEY-----\n" + m.of(sixtyFour, 70) + "\n-----END OPENSSH PRIVATE KEY-----",
		"postgres://app:" + m.of(low, 12) + "@db.example.com/app", card, grouped(card, " "), grouped(card, "-"),
		width.Widen.String(card), "マイナンバーは" + mynumber, grouped(mynumber, " "), grouped(iban, " "), iban,
		"SSN 219-09-" + m.of("123456789", 4), "password: " + m.of(low, 10), "パスワードは" + m.of(low, 10) + "です",
		"パスは" + m.of(low, 8) + "9 です", "ＰＡＳＳＷＯＲＤ：" + width.Widen.String(m.of(low, 10)),
		"ﾊﾟｽﾜｰﾄﾞ:" + m.of(low, 10), "ID/パスワード：tanaka / " + m.of(low, 9) + "1", "login: admin / " + m.of(low, 8) + "!1",
		"machine api.example.com login tanaka password " + m.of(lower, 9), "backup codes: " + m.of(digits, 4) + "-" + m.of(digits, 4) +
			", " + m.of(digits, 4) + "-" + m.of(digits, 4), "バックアップコード: " + m.of(digits, 8) + " " + m.of(digits, 8),
		"seed phrase: " + strings.Join(words, " "), "シードフレーズは " + strings.Join(words, " "),
		"LINE channel secret: " + m.of(h, 32), "Twilio auth token " + m.of(h, 32), "Authorization: Bearer " + m.of(alnum, 30),
		"curl -u tanaka:" + m.of(low, 10) + " https://example.com", "export DB_PASSWORD=" + m.of(low, 12),
	}
}

// harmlessForms makes texts that look like secrets and are none.
func (m maker) harmlessForms() []string {
	h := hex[:16]
	return []string{
		"golang.org/x/text v0.3.0 h1:" + m.of(alnum, 43) + "=", "golang.org/x/text v0.3.0/go.mod h1:" + m.of(alnum, 43) + "=",
		`"integrity": "sha512-` + m.of(alnum, 86) + `=="`, `<script integrity="sha384-` + m.of(alnum, 64) + `">`,
		"sha256:" + m.of(h, 64), "data:image/png;base64," + m.of(sixtyFour, 120), "![x](data:image/gif;base64," + m.of(alnum, 60) + ")",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + m.of(alnum, 43) + " tanaka@laptop", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC" + m.of(alnum, 300),
		"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "pi_" + m.of(alnum, 24), "pk_live_" + m.of(alnum, 24),
		"pk_test_" + m.of(alnum, 24), "cus_" + m.of(alnum, 14), "commit " + m.of(h, 40), m.uuid(), "md5 " + m.of(h, 32),
		"-----BEGIN CERTIFICATE-----\n" + m.of(sixtyFour, 64) + "\n" + m.of(sixtyFour, 64) + "\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----\n" + m.of(sixtyFour, 64) + "\n-----END PUBLIC KEY-----", "SHA256:" + m.of(alnum, 43),
		"docker pull app@sha256:" + m.of(h, 64), "call 090-1234-" + m.of(digits, 4), "order 4" + m.of(digits, 9),
		"tracking " + m.of(digits, 12), "version 1.2." + m.of(digits, 3), "2026-11-28 10:00", "https://example.com/a/b?page=2",
		"the password field is required", "パスワードを変更してください", "パスは/usr/local/binです", "password: ********",
		"API_KEY=$API_KEY", "token: <your token>", "toolu_01" + m.of(alnum, 22), "msg_01" + m.of(alnum, 22), "chatcmpl-" + m.of(alnum, 29),
		"max_tokens: 4096", "会議室の番号は1234です", "seed phrase is stored in the safe", "the backup codes are in the drawer",
		"user/password authentication is off", "ID/パスワードは別途お知らせします", "IBAN is required for payouts", "card ending 4242",
		"0x" + m.of(h, 40), "ISBN 978-4-00-" + m.of(digits, 6) + "-0", "phone +81-3-1234-" + m.of(digits, 4), "room 4-3-2",
		"select * from users where id = 12345", "line 3 of the secret garden is lovely",
	}
}

// TestSecretFormats makes secrets of all providers and forms, and harmless texts, at run time. Of the secrets 95 % must
// be found, and of the harmless texts 98 % must be let alone.
func TestSecretFormats(t *testing.T) {
	m := maker{testenv.Random(t)}
	around := []string{"%s", "the key is %s, keep it", "メモ: %s です", "use %s for now\nand then?"}
	missed, found, alarms, silent := []string{}, 0, []string{}, 0
	for range testenv.Pick(3, 30) {
		for _, form := range m.secretForms() {
			if text := fmt.Sprintf(around[m.IntN(len(around))], form); len(find(text)) > 0 {
				found++
			} else {
				missed = append(missed, text)
			}
		}
		for _, form := range m.harmlessForms() {
			if got := Hide(form, "…"); got == form {
				silent++
			} else {
				alarms = append(alarms, form+" → "+got)
			}
		}
	}
	if found*5 < len(missed)*95 {
		t.Errorf("%d of %d found; missed:\n%s", found, found+len(missed), strings.Join(missed, "\n"))
	}
	if silent*2 < len(alarms)*98 {
		t.Errorf("%d of %d silent; alarms:\n%s", silent, silent+len(alarms), strings.Join(alarms, "\n"))
	}
	t.Logf("%d of %d found, %d of %d silent\n%s\n%s", found, found+len(missed), silent, silent+len(alarms),
		strings.Join(missed, "\n"), strings.Join(alarms, "\n"))
}
