package page

import (
	"unicode"
	"unicode/utf8"
)

// shingles is the set of hashes of all sequences of four words, or of eight
// characters in scripts without blanks.
type shingles map[uint64]bool

// eachShingle calls do with the hash of each sequence of a text.
func eachShingle(text string, do func(uint64)) {
	const prime, wide = 1099511628211, 8
	var last [wide]uint64 // hashes of the last words
	n, word := 0, uint64(0)
	end := func(weight int) {
		if word == 0 {
			return
		}
		for range weight { // a word counts as two characters
			last[n%wide] = word
			n++
		}
		word = 0
		if n >= wide {
			h := uint64(0)
			for i := range wide {
				h = h*prime + last[(n+i)%wide]
			}
			do(h)
		}
	}
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && !isWord(byte(r)), r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(2)
		case isIdeographic(r):
			end(2)
			word = uint64(r) * prime
			end(1)
		default:
			word = (word ^ uint64(unicode.ToLower(r)) ^ 0x9e3779b9) * prime
		}
	}
	end(2)
}

func shinglesOf(text string) shingles {
	s := make(shingles, len(text)/6)
	eachShingle(text, func(h uint64) { s[h] = true })
	return s
}

// holds returns the share of the sequences of a text that are in the set, and
// their number.
func (s shingles) holds(text string) (share float64, n int) {
	hit := 0
	eachShingle(text, func(h uint64) {
		if n++; s[h] {
			hit++
		}
	})
	return float64(hit) / float64(max(n, 1)), n
}

// isIdeographic reports whether a character belongs to a script without blanks
// between words.
func isIdeographic(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff || r >= 0xac00 &&
		r <= 0xd7af || r >= 0x0e00 && r <= 0x0eff
}
