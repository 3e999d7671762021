package content

import (
	"unicode"
	"unicode/utf8"

	"techo/internal/page/runes"
)

// shingles is the set of hashes of all sequences of four words, or of eight
// characters in scripts without blanks.
type shingles map[uint64]bool

// eachShingle calls do with the hash of each sequence of a text.
func eachShingle(text string, do func(uint64)) {
	var w window
	word := uint64(0)
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if i++; runes.IsWord(c) {
				word = (word ^ uint64(c|0x20) ^ mixer) * prime
			} else {
				word = w.end(word, 2, do)
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			word = w.end(word, 2, do)
		case runes.IsIdeographic(r):
			w.end(word, 2, do)
			word = w.end(uint64(r)*prime, 1, do)
		default:
			word = (word ^ uint64(unicode.ToLower(r)) ^ mixer) * prime
		}
	}
	w.end(word, 2, do)
}

const (
	prime = 1099511628211
	power = 2232315406967589409 // prime to the power of wide, modulo 2^64
	mixer = 0x9e3779b9
	wide  = 8 // characters of a sequence
)

// window is the hash of the last words of a text.
type window struct {
	last [wide]uint64
	n    int
	hash uint64
}

// end adds a word, which counts as weight characters, if it is not empty, and
// returns an empty one.
func (w *window) end(word uint64, weight int, do func(uint64)) uint64 {
	if word == 0 {
		return 0
	}
	for range weight {
		w.hash = w.hash*prime + word - w.last[w.n%wide]*power
		w.last[w.n%wide] = word
		w.n++
	}
	if w.n >= wide {
		do(w.hash)
	}
	return 0
}

func shinglesOf(text string) shingles {
	s := shingles{}
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
