package legible

import (
	"encoding/json"
	"testing"
)

func TestBlank(t *testing.T) {
	for _, text := range []string{"", " ", "\u3000", "\t\n", "\u00a0\u2003", "\u200b", "\ufeff", "\x00"} {
		if !Blank(text) {
			t.Errorf("%q is not blank", text)
		}
	}
	for _, text := range []string{"a", " . ", "\u3000茶", "🍵", "\x00a"} {
		if Blank(text) {
			t.Errorf("%q is blank", text)
		}
	}
}

func TestControl(t *testing.T) {
	for text, want := range map[string]bool{"": false, "a b\u3000c": false, "👩\u200d💻": false, "a\x00": true,
		"a\nb": true, "\x7f": true, "\u0085": true} {
		if Control(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestEscape shows what hides, and leaves what scripts and emoji need.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"tea \U000e0068\U000e0069":  `tea \U000e0068\U000e0069`,
		"a\u200bb\u2060c\ufeffd":    `a\u200bb\u2060c\ufeffd`,
		"a\u180eb\u00adc\u2064":     `a\u180eb\u00adc\u2064`,
		"a\u200db":                  `a\u200db`,
		"\u115f\u1160\u3164\uffa0x": `\u115f\u1160\u3164\uffa0x`,
		"x\ufe0f\ufe0f\ufe01":       `x\ufe0f\ufe0f\ufe01`,
		"葛\U000e0100\U000e0101":     "葛\U000e0100" + `\U000e0101`,
		"a\u202eb\u2066c\u200fd":    `a\u202eb\u2066c\u200fd`,
		"\u0080\u009b31m":           `\u0080\u009b31m`,
		"a\u2028b\u2029c":           `a\u2028b\u2029c`,
		"\U0001f3f4\U000e0068hi":    "\U0001f3f4" + `\U000e0068hi`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
		var back string
		quoted, _ := json.Marshal(text)
		if err := json.Unmarshal([]byte(EscapeJSON(string(quoted))), &back); err != nil || back != text {
			t.Errorf("%+q is %+q behind JSON, %v", text, back, err)
		}
	}
	for _, text := range []string{"plain\tText\r\n", "日本語　テキスト", "👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 1\ufe0f⃣ ℹ\ufe0f 👍🏽", "می\u200cخواهم", "क्\u200dष क्\u200d ",
		"葛\U000e0100城", "辻󠄀", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "שלום\u200f!", "한국어"} {
		if got := Escape(text); got != text {
			t.Errorf("%+q became %+q", text, got)
		}
	}
}

// TestClean removes invisible characters, except the ones that names and emoji need.
func TestClean(t *testing.T) {
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
		"a\u2028b":                        {"a\u2028b", 0},
		"か\u3099 é":                       {"か\u3099 é", 0},
	} {
		if got, n := Clean(text); got != want.clean || n != want.n {
			t.Errorf("%q: %q, %d, want %q, %d", text, got, n, want.clean, want.n)
		}
	}
}
