package wording

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Joined returns a text with the sentences of all texts, in their order. A sentence that an earlier text has,
// but for case, width and punctuation, is left out.
func Joined(texts []string) string {
	seen := map[string]bool{}
	var kept []string
	for _, text := range texts {
		var lines []string
		for line := range strings.Lines(text) {
			var b strings.Builder
			for rest := strings.TrimRight(line, "\r\n"); rest != ""; {
				end := sentenceEnd(rest)
				for end < len(rest) && rest[end] == ' ' {
					end++
				}
				sentence := Folded(rest[:end])
				if sentence == "" || !seen[sentence] {
					b.WriteString(rest[:end])
				}
				if sentence != "" {
					seen[sentence] = true
				}
				rest = rest[end:]
			}
			lines = append(lines, strings.TrimRight(b.String(), " "))
		}
		if part := strings.TrimSpace(strings.Join(lines, "\n")); part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n")
}

// ends are the signs that end or enclose what is said; inside a word or a number they belong to it.
const ends = ".,!?;:…\"'()“”‘’、。「」『』・"

// Folded returns what a text says without case, width, blanks and punctuation that tell nothing. Exact
// repetitions are equal in this form.
func Folded(text string) string {
	all := []rune(strings.ToLower(norm.NFKC.String(text)))
	word := func(i int) bool {
		return i >= 0 && i < len(all) && inWord(all[i])
	}
	var b strings.Builder
	blank, last := false, rune(0)
	for i, r := range all {
		switch {
		case unicode.IsSpace(r):
			blank = true
		case strings.ContainsRune(ends, r) && !(word(i-1) && word(i+1)):
		default:
			if blank && inWord(last) && inWord(r) {
				b.WriteByte(' ')
			}
			b.WriteRune(r)
			blank, last = false, r
		}
	}
	return b.String()
}
