package secrets

import (
	"strings"
	"sync"
)

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

	// from the pages of the providers about their tokens
	{"hvr.", 20, wordly}, {"key-", 32, lower + digits}, {"dp.st.", 24, dotted}, {"dp.ct.", 24, alnum},
	{"dp.scim.", 24, alnum}, {"dp.audit.", 24, alnum}, {"dp.sa.", 24, alnum}, {"dp.said.", 24, alnum},
	{"NRAK-", 20, alnum}, {"NRII-", 20, wordly}, {"NRIQ-", 20, wordly}, {"NRJS-", 16, alnum}, {"NRRA-", 20, alnum},
	{"NRSP-", 20, alnum}, {"NRBR-", 16, alnum}, {"sbp_", 30, alnum}, {"sb_secret_", 16, wordly}, {"lsv2_", 32, wordly},
	{"ls__", 24, alnum}, {"sk_", 40, alnum}, {"napi_", 30, alnum}, {"npg_", 12, alnum}, {"fc-", 28, hex},
	{"AQ.", 30, wordly}, {"gsk_", 30, alnum}, {"xai-", 30, alnum}, {"r8_", 30, alnum}, {"tgp_v1_", 30, wordly},
	{"fw_", 20, alnum}, {"csk-", 30, alnum}, {"nvapi-", 30, wordly}, {"tvly-", 20, wordly}, {"jina_", 30, wordly},
	{"pa-", 36, wordly}, {"pcsk_", 30, wordly}, {"pclocal_", 20, wordly}, {"nfp_", 30, alnum}, {"rnd_", 24, alnum},
	{"vcp_", 24, alnum}, {"vck_", 24, alnum}, {"vci_", 24, alnum}, {"vca_", 24, alnum}, {"vcr_", 24, alnum},
	{"lin_oauth_", 30, alnum}, {"figd_", 24, wordly}, {"figo_", 24, wordly}, {"figu_", 24, wordly},
	{"re_", 24, alnum + "_"}, {"xsmtpsib-", 24, wordly}, {"EAAA", 56, wordly}, {"EAA", 80, alnum},
	{"access-sandbox-", 30, hex + "-"}, {"access-development-", 30, hex + "-"}, {"access-production-", 30, hex + "-"},
	{"sl.", 60, wordly + "."}, {"ATBB", 24, alnum}, {"ATCTT3", 30, dotted + "-"}, {"ATSTT3", 30, dotted + "-"},
	{"ATOA", 40, alnum}, {"dckr_pat_", 20, wordly}, {"dckr_oat_", 20, wordly}, {"cio", 32, alnum},
	{"oy2", 43, lower + digits}, {"squ_", 32, hex}, {"sqp_", 32, hex}, {"sqa_", 32, hex}, {"CCIPAT_", 24, wordly},
	{"CCIPRJ_", 24, wordly}, {"bkua_", 32, hex}, {"bkct_", 20, alnum}, {"sk.eyJ", 40, dotted}, {"tfp_", 30, wordly},
	{"pat-na1-", 30, hex + "-"}, {"pat-eu1-", 30, hex + "-"}, {"pat-na2-", 30, hex + "-"}, {"CFPAT-", 30, wordly},
	{"nsec1", 50, lower + digits}, {"xprv", 90, alnum}, {"yprv", 90, alnum}, {"zprv", 90, alnum},
	{"AKID", 28, alnum}, {"t1.9euel", 40, dotted}, {"AQVN", 32, wordly}, {"SCW", 17, upper + digits},
	{"phx_", 24, alnum}, {"hcaik_", 40, alnum}, {"hcxik_", 40, alnum}, {"xaat-", 30, hex + "-"}, {"xapt-", 30, hex + "-"},
	{"secret-live-", 24, wordly}, {"secret-test-", 24, wordly}, {"unkey_", 16, wordly}, {"cal_live_", 24, hex},
	{"polar_", 30, wordly}, {"pdl_live_apikey_", 24, wordly}, {"pdl_sdbx_apikey_", 24, wordly},
	{"signkey-", 24, wordly}, {"tr_dev_", 16, alnum}, {"tr_prod_", 16, alnum}, {"rpa_", 36, alnum},
	{"e2b_", 32, hex}, {"esecret_", 20, alnum}, {"IGQ", 60, wordly}, {"sdk-", 36, hex + "-"},
	{"snyk_", 30, wordly + "."}, {"gitea_", 32, alnum}, {"rzp_live_", 14, alnum}, {"rzp_test_", 14, alnum},
	{"gocspx-", 20, wordly}, {"1//0", 30, wordly}, {"pat.", 40, dotted}, {"live_", 35, alnum + "_"},
	{"waka_", 30, hex + "-"}, {"shptka_", 24, hex}, {"ddp_", 30, alnum}, {"dsp_", 30, alnum},
	{"sgp_local_", 30, alnum}, {"AGE-PLUGIN-", 20, upper + digits + "-"}, {"glpat_", 20, dotted}, {"sk-proj-", 20, wordly},
	{"pk-lf-", 60, wordly}, {"posthog_", 40, alnum}, {"hooks.zapier.com/hooks/catch/", 12, alnum + "/"},
	{"discord.com/api/webhooks/", 40, wordly + "/"}, {"discordapp.com/api/webhooks/", 40, wordly + "/"},
	{"webhook.office.com/webhookb2/", 40, wordly + "/@"}, {"hooks.chime.aws/incomingwebhooks/", 40, wordly + "?=/"},
	{"tok_", 30, alnum}, {"techo_", 24, wordly},
}

// tokensOf are the formats by the first byte of their prefix: most bytes of a text begin none.
var tokensOf = sync.OnceValue(func() *[256][]*token {
	by := new([256][]*token)
	for i := range tokens {
		first := tokens[i].prefix[0]
		by[first] = append(by[first], &tokens[i])
	}
	return by
})

// tokenAt returns the length of the token that a text begins with, 0 for none. formats are tokensOf.
func tokenAt(text string, formats *[256][]*token) int {
	for _, t := range formats[text[0]] {
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
