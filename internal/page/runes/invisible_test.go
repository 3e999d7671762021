package runes

import "testing"

// TestInvisible checks that invisible characters are removed, except the ones that
// names and emoji need.
func TestInvisible(t *testing.T) {
	for text, want := range map[string]struct {
		clean string
		n     int
	}{
		"ig\u200bno\u2060re\ufeff":        {"ignore", 3},
		"soft\u00adhyphen":                {"softhyphen", 1},
		"a\u202eb\u2066c\u2069":           {"abc", 3},
		"x\U000e0041\U000e0042y":          {"xy", 2},
		"e\x1b]0;title\x07f\u0085":        {"e]0;titlef", 3},
		"👨\u200d👩\u200d👧":                 {"👨\u200d👩\u200d👧", 0},
		"葛\U000e0100城":                    {"葛\U000e0100城", 0},
		"葛\U000e0100\U000e0101\U000e0102": {"葛\U000e0100", 2},
		"❤\ufe0f a\ufe0f":                 {"❤\ufe0f a", 1},
		"می\u200cخواهم a\u200cb":          {"می\u200cخواهم ab", 1},
		"line\tone\nline two":             {"line\tone\nline two", 0},
		"か\u3099 é":                       {"か\u3099 é", 0},
	} {
		if got, n := Clean(text); got != want.clean || n != want.n {
			t.Errorf("%q: %q, %d, want %q, %d", text, got, n, want.clean, want.n)
		}
	}
}
