package speech

import (
	"strings"
	"testing"
)

// TestExact tells names and numbers from other words.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		text, word string
		exact      bool
	}{
		{"What does Sato eat?", "Sato", true}, {"What does Sato eat?", "What", false},
		{"Call 555-0142", "0142", true}, {"Sure. Does it work?", "Does", false}, {"the \"Élan\" file", "Élan", true},
		{"会議はどこ？", "会議", false}, {"we deploy at 9", "deploy", false},
	} {
		before, _, _ := strings.Cut(c.text, c.word)
		if got := Exact(before, c.word); got != c.exact {
			t.Errorf("%q in %q: %v", c.word, c.text, got)
		}
	}
}
