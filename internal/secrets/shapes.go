package secrets

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"techo/internal/lazyregexp"
)

// # Forms without a beginning of their own
//
// Tokens whose parts have fixed lengths, hashes of passwords, lists of codes, and words beside a value that the rules
// of clauses do not join.

var moreShapes = sync.OnceValue(func() []pattern {
	return []pattern{
		{"-us", "", lazyregexp.New(`\b([0-9a-f]{32}-us[0-9]{1,2})\b`), nil},                          // Mailchimp
		{"-", "", lazyregexp.New(`\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b`), nil},                 // Mailgun
		{"pat", ".", lazyregexp.New(`\b(pat[A-Za-z0-9]{14}\.[0-9a-f]{32,})`), nil},                   // Airtable
		{"/", ":", lazyregexp.New(`\b([012]/[0-9]{10,}(?:/[0-9]{10,})?:[0-9a-f]{32})\b`), nil},       // Asana
		{".atlasv1.", "", lazyregexp.New(`\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=\-]{40,})`), nil}, // Terraform
		{"access_token$", "", lazyregexp.New(`(access_token\$(?:production|sandbox)\$[0-9a-z]{12,}\$[0-9a-f]{24,})`), nil},
		{".", "", lazyregexp.New(`\b([MNO][A-Za-z0-9_\-]{23,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,})`), nil}, // Discord
		{":aa", "", lazyregexp.New(`\b([0-9]{8,10}:AA[A-Za-z0-9_\-]{32,35})`), nil},                              // Telegram
		{"q~", "", lazyregexp.New(`\b([A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{30,36})`), nil},                 // Azure
		{"azdo", "", lazyregexp.New(`\b([A-Za-z0-9]{52,76}AZDO[A-Za-z0-9]{4})\b`), nil},
		{"apa91b", "", lazyregexp.New(`\b([A-Za-z0-9_\-]{8,}:APA91b[A-Za-z0-9_\-]{100,})`), nil},
		{"aaaaaaaaaaaaaaaaaaaa", "", lazyregexp.New(`\b(A{20,}[A-Za-z0-9%]{40,})`), nil}, // Twitter
		{"nral", "", lazyregexp.New(`\b([0-9a-f]{32,38}NRAL)\b`), nil},
		{"_mmk", "", lazyregexp.New(`\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b`), nil},
		{"5|k|l", "", lazyregexp.New(`\b([5KL][1-9A-HJ-NP-Za-km-z]{50,51})\b`), lettersAndDigits}, // Bitcoin
		{"privatekey|presharedkey", "=", lazyregexp.New(`(?i)\b(?:PrivateKey|PresharedKey)\s*=\s*([A-Za-z0-9+/]{42,43}=)`), nil},
		{"putty-user-key-file", "private-lines", lazyregexp.New(
			`(?s)PuTTY-User-Key-File.*?(Private-Lines:.*?(?:Private-(?:MAC|Hash):[^\n]*|$))`), nil},
		{"$", "", lazyregexp.New(`(\$(?:2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{22,}|(?:1|5|6|apr1|sha1|md5)\$` +
			`[^\s$:]{1,40}\$[./A-Za-z0-9]{20,}|[567]\$rounds=[0-9]+\$[^\s$:]{1,40}\$[./A-Za-z0-9]{20,}|` +
			`(?:y|gy|7|argon2id?|argon2d|scrypt|pbkdf2[a-z0-9\-]*|bcrypt-sha256)\$[./A-Za-z0-9$,=+\-]{24,}))`), nil},
		{"{ssha|{smd5}|{sha}|{md5}", "", lazyregexp.New(`(?i)(\{(?:S?SHA[0-9]{0,3}|S?MD5)\}[A-Za-z0-9+/=]{20,})`), nil},
		{"machine", "password", lazyregexp.New(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S+)`), known},
		{":5432:|:*:", "", lazyregexp.New(`(?m)^[^\s:]+:(?:[0-9]+|\*):[^\s:]+:[^\s:]+:(\S+)$`), known}, // .pgpass
		{"/", "", lazyregexp.New(`(?i)(?:user(?:name)?|id|login|e-?mail|account|ユーザー?名?|アカウント|メール(?:アドレス)?)\s*` +
			`[/&＋+]\s*(?:pass(?:word|phrase)?|pw|pwd|パスワード|パス)\s*(?:は|[:：=＝]|is|are)?\s*\S+?\s*[/,、]\s*` +
			`([^\s、。，]{3,})`), known},
		{"/", "", lazyregexp.New(`(?i)(?:log ?in|logs? in|sign in|credentials?|account|認証情報|ログイン(?:情報)?|アカウント)` +
			`[^\n/]{0,24}?[:：=＝は]?\s*[A-Za-z0-9._@\-]{2,}\s*/\s*([^\s/、。，]{4,})`), mixedValue},
		{"backup|recovery|scratch|2fa|mfa|バックアップ|リカバリー|復旧", "code|コード", lazyregexp.New(`(?i)(?:backup|recovery|` +
			`scratch|2fa|mfa|バックアップ|リカバリー?|復旧)[ ・_\-]?(?:codes?|コード)[^\n:：=はis]{0,24}(?:[:：=]|は|is|are)\s*` +
			`((?:[A-Za-z0-9]{3,}(?:[\-][A-Za-z0-9]{3,})*[\s,、]+)*[A-Za-z0-9]{3,}(?:[\- ][A-Za-z0-9]{3,})+)`), hasDigit},
		{"phrase|mnemonic|seed|フレーズ|ニーモニック|シード", "", lazyregexp.New(`(?i)(?:seed|recovery|mnemonic|backup|wallet|` +
			`シード|ニーモニック|リカバリー?|復元|復旧)[ ・]?(?:phrase|words?|フレーズ|の?言葉)?[^\n:：=は]{0,24}?(?:[:：=]|は|is)?` +
			`\s*["「]?((?:[a-z]{3,8}[ ,、]+){11,23}[a-z]{3,8})\b`), nil},
		{"パス", "", lazyregexp.New(`(?:^|[^ァ-ヶー])パス(?:は|[:：=＝]|が)\s*[「]?([!-~]{4,})`), pathless},
		{"twilio|line|datadog|algolia|cohere|mistral|deepgram|cloudflare|openweather|mailjet|postmark|okta|auth0|pusher|" +
			"zendesk|chatwork|kintone|backlog|switchbot|freee|pagerduty|wandb|heroku|azure|linode|vultr|hetzner|bitbucket|" +
			"rapidapi|trello|twitch|spotify|dropbox|paypal|plaid|coinbase|kraken|binance|sumologic|contentful|fastly",
			"token|key|secret|auth|トークン|キー|シークレット", lazyregexp.New(`(?i)\b(?:twilio|line|datadog|algolia|cohere|mistral|` +
				`deepgram|cloudflare|openweather(?:map)?|mailjet|postmark|okta|auth0|pusher|zendesk|chatwork|kintone|backlog|` +
				`switchbot|freee|pagerduty|wandb|heroku|azure|linode|vultr|hetzner|bitbucket|rapidapi|trello|twitch|spotify|` +
				`dropbox|paypal|plaid|coinbase|kraken|binance|sumologic|contentful|fastly)\b?[^\n]{0,30}?(?:token|key|secret|` +
				`auth|トークン|キー|シークレット)[^\nA-Za-z0-9]{0,8}(?:is |are |は)?\s*["'「]?([A-Za-z0-9+/_\-]{20,}=*)`), hasDigit},
	}
})

func hasDigit(value string) bool { return strings.ContainsAny(value, digits) }

// mixedValue reports whether a value looks like a password, not like a word, a number or a path.
func mixedValue(value string) bool {
	value = strings.TrimRight(value, ".,;:!?)")
	return len(value) >= 5 && !placeholder(value) && !ordinary(value) && strings.ContainsAny(value, digits) &&
		strings.Trim(value, digits+".,:-") != "" || strings.ContainsAny(value, "!@#$%^&*") && len(value) >= 5 &&
		!placeholder(value)
}

// pathless reports whether a value after パス may be a password: a path of a file has a slash, or is a word.
func pathless(value string) bool {
	return !strings.ContainsAny(value, "/\\.") && password(value) && opaque(value)
}

// harmless are forms that look like secrets and are none: hashes of public content, public keys, ids that are made to
// be shown, and examples of documentation.
var harmless = lazyregexp.New(`(?s)\bh1:[A-Za-z0-9+/]{43}=|\bsha(?:1|256|384|512)[-:][A-Za-z0-9+/]{20,}={0,2}|` +
	`\bSHA256:[A-Za-z0-9+/]{43}|data:[a-z]+/[A-Za-z0-9.+\-]+(?:;[a-z0-9=\-]+)*(?:;base64)?,[A-Za-z0-9+/=%_\-]+|` +
	`\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-[a-z0-9]+|sk-(?:ssh|ecdsa)-[a-z0-9@.\-]+) AAAA[A-Za-z0-9+/=]+|` +
	`-----BEGIN (?:PGP )?(?:PUBLIC KEY|CERTIFICATE|SIGNATURE|RSA PUBLIC KEY|CERTIFICATE REQUEST|PUBLIC KEY BLOCK|` +
	`MESSAGE)[A-Z ]*-----.*?(?:-----END [A-Z ]*-----|$)|` +
	`\bA(?:KIA|SIA)[A-Z0-9]{0,12}EXAMPLE[A-Z0-9]*|\b[A-Za-z0-9/+]{8,40}EXAMPLEKEY\b|` +
	`\b(?:pi|pk|pk_live|pk_test|cus|ch|in|sub|prod|price|evt|acct|pm|seti|si|txn|cs_test|cs_live|msg|toolu|resp|call|` +
	`asst|thread|run|batch|file|vs|msgbatch|chatcmpl|org|proj|cmpl|req|phc|sb_publishable|mem|usr|user|team|ws|wrk)[_-]` +
	`[A-Za-z0-9]{8,}(?:_[a-z]+)?\b|\bpk\.eyJ[A-Za-z0-9_.\-]+|` +
	`\b0x[0-9a-fA-F]{40}\b|\bChIJ[A-Za-z0-9_\-]{20,}`)

func withoutHarmless(text string, all []span) []span {
	if len(all) == 0 {
		return nil
	}
	places := harmless.Get().FindAllStringIndex(text, -1)
	return slices.DeleteFunc(all, func(s span) bool {
		return slices.ContainsFunc(places, func(p []int) bool { return s.From >= p[0] && s.To <= p[1] })
	})
}

// compatible is a text in its compatible form, in which full-width letters and digits are ordinary ones.
type compatible struct {
	text string
	from []int // for each byte, the offset of its character in the source
	end  int
}

// newCompatible returns the compatible form of a text, false if it is the text itself.
func newCompatible(text string) (c compatible, differs bool) {
	if norm.NFKC.IsNormalString(text) {
		return c, false
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := norm.NFKC.NextBoundaryInString(text[i:], true)
		if n <= 0 {
			n = len(text) - i
		}
		plain := norm.NFKC.String(text[i : i+n])
		for range len(plain) {
			c.from = append(c.from, i)
		}
		b.WriteString(plain)
		i += n
	}
	c.text, c.end = b.String(), len(text)
	return c, true
}

// span converts a span of the compatible form to one of the source.
func (c compatible) span(s span) span {
	to := c.end
	for i := s.To; i < len(c.from); i++ {
		if c.from[i] > c.from[s.To-1] {
			to = c.from[i]
			break
		}
	}
	return span{c.from[s.From], to}
}
