package line

import (
	"regexp"
	"strings"
	"testing"
)

// powershellQuotes begin and end a text in PowerShell, where two of them stand for one.
const powershellQuotes = "'\u2018\u2019\u201a\u201b"

// powershellWord returns a word as the script inserts it into the line, by the expressions of the script.
func powershellWord(t *testing.T, word string) string {
	t.Helper()
	part := func(pattern string) *regexp.Regexp {
		m := regexp.MustCompile(pattern).FindStringSubmatch(powershellCompletion)
		if m == nil {
			t.Fatalf("the script has no %s:\n%s", pattern, powershellCompletion)
		}
		return regexp.MustCompile(regexp.MustCompile(`\\u(\w{4})`).ReplaceAllString(m[1], `\x{$1}`))
	}
	quoted := part(`if \(\$word -match '([^']+)'\)`)
	doubled := part(`\(\$word -replace "([^"]+)", '\$0\$0'\)`)
	if !quoted.MatchString(word) {
		return word
	}
	return "'" + doubled.ReplaceAllString(word, "$0$0") + "'"
}

// readPowershell reads a text in single quotes as PowerShell does, and reports whether that is all.
func readPowershell(typed string) (text string, whole bool) {
	in := []rune(typed)
	var b strings.Builder
	for i := 1; i < len(in); i++ {
		quote := strings.ContainsRune(powershellQuotes, in[i])
		switch {
		case quote && i+1 < len(in) && strings.ContainsRune(powershellQuotes, in[i+1]):
			b.WriteRune(in[i])
			i++
		case quote:
			return b.String(), i == len(in)-1
		default:
			b.WriteRune(in[i])
		}
	}
	return b.String(), false
}

// TestPowershellWord checks that no completion ends its quotes: what follows would run.
func TestPowershellWord(t *testing.T) {
	plain := regexp.MustCompile(`^[0-9A-Za-z_./:=+-]+$`)
	for _, word := range []string{
		"ramen", "--priority", "mem_8k2", "team/default", "+7d", "Kyoto trip", "it's", "a'; calc; '", "’; calc; ‘",
		"‚x‛", "$(calc)", "`calc`", "@(calc)", "a;b", "a,b", "{calc}", "a|b", "a&b",
		"–x", "メモ", "\"x\"", "#x", "(x)", "''",
	} {
		typed := powershellWord(t, word)
		if plain.MatchString(word) {
			if typed != word {
				t.Errorf("%q is inserted as %q", word, typed)
			}
			continue
		}
		if !strings.HasPrefix(typed, "'") {
			if strings.IndexFunc(typed, func(r rune) bool { return r < 0x80 && !plain.MatchString(string(r)) }) >= 0 {
				t.Errorf("%q is inserted as %q", word, typed)
			}
			continue
		}
		if text, whole := readPowershell(typed); text != word || !whole {
			t.Errorf("%q is inserted as %q, which is %q, %v", word, typed, text, whole)
		}
	}
}
