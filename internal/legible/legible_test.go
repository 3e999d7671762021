package legible

import "testing"

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
