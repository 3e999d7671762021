package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"techo/internal/testenv"
)

// TestCutters cuts texts with words without end, bytes that are no UTF-8 and names in all spellings.
func TestCutters(t *testing.T) {
	random := testenv.Random(t)
	parts := []string{"a", "\xe3\x81", "\xff", "た", "ナ", "ー", "っ", "𠮷", "邊\U000E0103", "k8s", "tanaka", "\u212aelvin", "é", "́", "。",
		" ", "\n", ".", "😀", "ﾀﾅｶ", "さん", "ん", "\x00", "Kubernetes", "1", "_", "ｱ", "กก", "\U0001b001"}
	text := func() string {
		var b strings.Builder
		for range random.IntN(12) {
			n := 1
			if random.IntN(4) == 0 {
				n = random.IntN(400)
			}
			b.WriteString(strings.Repeat(parts[random.IntN(len(parts))], n))
		}
		return b.String()
	}
	for range testenv.Pick(400, 4000) {
		question, found := text(), text()
		e := NewExcerpts(question)
		for _, cut := range append(append([]string{e.Snippet(found), Written(found, "tanaka")}, e.Matched(found, question)...),
			append(Keywords(found, 5), append(Suggestions(found, 5), LatinStems(found)...)...)...) {
			if utf8.ValidString(found+question) && !utf8.ValidString(cut) {
				t.Fatalf("%q for %q: %q", found, question, cut)
			}
		}
		for _, p := range e.Passages(found, 3) {
			if utf8.ValidString(found) && !utf8.ValidString(p.Text) {
				t.Fatalf("%q for %q: passage %q", found, question, p.Text)
			}
		}
		Terms(found)
	}
}
