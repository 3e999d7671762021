package secrets

import "strings"

// token is the format of a token: its beginning, and the least number of characters of an
// alphabet after it.
type token struct {
	prefix   string
	least    int
	alphabet string
}

// The alphabets of tokens.
const (
	digits    = "0123456789"
	lower     = "abcdefghijklmnopqrstuvwxyz"
	upper     = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hex       = digits + "abcdefABCDEF"
	alnum     = digits + lower + upper
	wordly    = alnum + "_-"
	sixtyFour = alnum + "+/="
	dotted    = wordly + ".="
)

// tokens are the formats of tokens that have a beginning of their own, from the rules of gitleaks 8 by
// Zachary Rice (MIT licence), https://github.com/gitleaks/gitleaks. The lengths also fit shortened
// and future tokens.
var tokens = [...]token{
	{"A3-", 24, upper + digits + "-"}, {"ops_eyJ", 40, sixtyFour}, {"p8e-", 24, alnum},
	{"AGE-SECRET-KEY-1", 30, upper + digits}, {"LTAI", 16, alnum}, {"sk-ant-", 16, wordly},
	{"AKCp", 40, alnum}, {"cmVmd", 40, alnum}, {"ATATT3", 20, dotted}, {"AKIA", 12, upper + digits},
	{"ASIA", 12, upper + digits}, {"ABIA", 12, upper + digits}, {"ACCA", 12, upper + digits},
	{"A3T", 13, upper + digits}, {"ABSK", 60, sixtyFour}, {"bedrock-api-key-", 16, sixtyFour},
	{"CLOJARS_", 30, alnum}, {"v1.0-", 40, hex + "-"}, {"dapi", 28, hex + "-"}, {"dnkey-", 20, wordly + "="},
	{"doo_v1_", 24, hex}, {"dop_v1_", 24, hex}, {"dor_v1_", 24, hex}, {"dp.pt.", 24, alnum},
	{"duffel_test_", 20, wordly + "="}, {"duffel_live_", 20, wordly + "="}, {"dt0c01.", 24, dotted},
	{"EZAK", 30, alnum}, {"EZTK", 30, alnum}, {"EAAC", 60, alnum}, {"EAAM", 60, alnum},
	{"FLWSECK", 12, wordly}, {"FLWPUBK", 12, wordly}, {"fo1_", 24, wordly}, {"fm1r_", 40, sixtyFour},
	{"fm1a_", 40, sixtyFour}, {"fm2_", 40, sixtyFour}, {"fio-u-", 30, wordly + "="}, {"AIza", 24, wordly},
	{"GOCSPX-", 16, wordly}, {"ya29.", 20, dotted}, {"ghp_", 16, alnum}, {"gho_", 16, alnum}, {"ghu_", 16, alnum},
	{"ghs_", 16, alnum}, {"ghr_", 16, alnum}, {"github_pat_", 20, wordly}, {"glpat-", 12, dotted},
	{"glcbt-", 16, wordly}, {"gldt-", 16, wordly}, {"glffct-", 16, wordly}, {"glft-", 16, wordly},
	{"glimt-", 16, wordly}, {"glagent-", 16, wordly}, {"gloas-", 16, wordly}, {"glptt-", 16, hex},
	{"GR1348941", 16, wordly}, {"glrt-", 16, dotted}, {"glsoat-", 16, wordly}, {"_gitlab_session=", 16, alnum},
	{"glc_", 24, sixtyFour}, {"glsa_", 24, wordly}, {"HRKU-AA", 24, wordly}, {"hf_", 24, alnum},
	{"api_org_", 24, alnum}, {"ico-", 28, alnum}, {"lin_api_", 24, alnum}, {"ntn_", 24, alnum},
	{"secret_", 32, alnum}, {"npm_", 24, alnum}, {"API-", 24, upper + digits}, {"sk-", 20, wordly},
	{"sha256~", 24, wordly}, {"pplx-", 24, alnum}, {"pscale_tkn_", 20, dotted}, {"pscale_oauth_", 20, dotted},
	{"pscale_pw_", 20, dotted}, {"PMAK-", 24, hex + "-"}, {"pnu_", 24, alnum}, {"pul-", 24, hex},
	{"pypi-AgEI", 24, wordly}, {"rdme_", 40, alnum}, {"rubygems_", 24, hex}, {"tk-us-", 24, wordly},
	{"SG.", 24, dotted}, {"xkeysib-", 24, wordly}, {"sntrys_", 24, sixtyFour + "_"}, {"sntryu_", 24, hex},
	{"sm_aat_", 12, alnum}, {"sm_pat_", 12, alnum}, {"sm_sat_", 12, alnum}, {"shippo_live_", 20, hex},
	{"shippo_test_", 20, hex}, {"shpat_", 20, hex}, {"shpca_", 20, hex}, {"shppa_", 20, hex}, {"shpss_", 20, hex},
	{"xapp-", 16, wordly}, {"xoxb-", 10, wordly}, {"xoxp-", 10, wordly}, {"xoxa-", 10, wordly},
	{"xoxr-", 10, wordly}, {"xoxs-", 10, wordly}, {"xoxo-", 10, wordly}, {"xoxe-", 10, wordly},
	{"xoxe.xox", 10, wordly}, {"hooks.slack.com/services/", 20, alnum + "/"},
	{"hooks.slack.com/workflows/", 20, alnum + "/"}, {"sgp_", 30, wordly}, {"sq0atp-", 20, wordly},
	{"sq0csp-", 20, wordly}, {"sk_live_", 10, alnum}, {"sk_test_", 10, alnum}, {"sk_prod_", 10, alnum},
	{"rk_live_", 10, alnum}, {"rk_test_", 10, alnum}, {"whsec_", 16, sixtyFour}, {"SK", 32, hex},
	{"hvb.", 40, wordly}, {"hvs.", 20, wordly}, {"b_", 44, wordly + "="}, {"tskey-", 16, wordly},
}

// tokenAt returns the length of the token that a text begins with, 0 for none.
func tokenAt(text string) int {
	for i := range tokens {
		t := &tokens[i]
		if !strings.HasPrefix(text, t.prefix) {
			continue
		}
		n := len(t.prefix)
		for n < len(text) && strings.IndexByte(t.alphabet, text[n]) >= 0 {
			n++
		}
		if tail := text[len(t.prefix):n]; len(tail) >= t.least && varied(tail) {
			return n
		}
	}
	return 0
}

// varied reports whether the end of a token is no repetition and no word, as in sk-xxxxxxxx.
func varied(tail string) bool {
	seen := map[rune]bool{}
	number := false
	for _, r := range tail {
		seen[r] = true
		number = number || r >= '0' && r <= '9'
	}
	return len(seen) > 5 && (number || strings.ToLower(tail) != tail && !strings.ContainsAny(tail, "_-"))
}
