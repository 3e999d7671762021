package tools

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSentences compares the sentences of random texts with what a regular
// expression finds.
func TestSentences(t *testing.T) {
	end := regexp.MustCompile(`\.\s+|。|\n`)
	pieces := []string{"a", ".", " ", "\n", "\t", "\r", "。", "e.g.", "あ", "--x", "\v"}
	for range 20000 {
		var text string
		for range rand.IntN(12) {
			text += pieces[rand.IntN(len(pieces))]
		}
		var want []string
		from := 0
		for _, e := range end.FindAllStringIndex(text, -1) {
			want, from = append(want, text[from:e[1]]), e[1]
		}
		want = append(want, text[from:])
		got := slices.Collect(sentences(text))
		if !slices.Equal(got, want) || strings.Join(got, "") != text {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}
