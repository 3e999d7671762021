package css

import (
	"fmt"
	"strings"
	"testing"

	"techo/internal/page/dom"
)

// TestWordsOf checks that the bits of a list include the bits of all its words, also if
// lists share a place.
func TestWordsOf(t *testing.T) {
	m := matcher{left: 1}
	for round := range 2 {
		for i := range 2000 {
			words := []string{fmt.Sprint("a", i), fmt.Sprint(i*7, "-b"), strings.Repeat("x", i%50+1)}
			list := " " + strings.Join(words, []string{" ", "\n", "\t  "}[i%3]) + " "
			for _, word := range words {
				if m.wordsOf(list)&wordBit(word) == 0 || !dom.HasWord(list, word) {
					t.Fatalf("round %d: %q lacks %q", round, list, word)
				}
			}
		}
	}
	if m.wordsOf("") != 0 || m.wordsOf("one two")&^(wordBit("one")|wordBit("two")) != 0 {
		t.Error("bits without a word")
	}
}
