package meaning

import (
	"strconv"
	"unicode/utf8"
)

const (
	longestWord     = 32 // letters of a word without an entry that count
	longestPiece    = 5  // letters of an entry for parts of unknown words
	longestJapanese = 8  // characters of a Japanese entry
)

// tokens calls latin with each Latin word of text, in small letters, and use with the row of each
// other token, in order. With the rows of those words, train/tokens.py does exactly the same.
func (t *table) tokens(text string, latin func(word []byte), use func(row int)) {
	text = fold(text)
	var buffer [64]byte
	for i := 0; i < len(text); {
		switch r, size := utf8.DecodeRuneInString(text[i:]); {
		case letter(text[i]):
			end := wordEnd(text, i)
			latin(appendLower(buffer[:0], text[i:end]))
			i = end
		case digit(text[i]):
			end := i
			for end < len(text) && digit(text[end]) {
				end++
			}
			t.number(text[i:end], use)
			i = end
		case japanese(r):
			end := i
			for end < len(text) && japanese(r) {
				end += size
				r, size = utf8.DecodeRuneInString(text[end:])
			}
			t.japanese(text[i:end], use)
			i = end
		default:
			i += size
		}
	}
}

// wordEnd returns the end of the Latin word at i. A capital after a small letter
// begins another one; an apostrophe between letters belongs to the word.
func wordEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		b := text[i]
		if b == '\'' && i+1 < len(text) && letter(text[i+1]) {
			continue
		}
		if !letter(b) || b <= 'Z' && text[i-1] >= 'a' && text[i-1] <= 'z' {
			break
		}
	}
	return i
}

func appendLower(b []byte, text string) []byte {
	for i := range len(text) {
		b = append(b, lower(text[i]))
	}
	return b
}

// word uses the entry of a word, or of a plain form of it, or of its pieces.
func (t *table) word(word []byte, use func(int)) {
	if e, ok := t.find(word); ok {
		use(e.row)
		return
	}
	found := false
	stems(word, func(stem []byte) bool {
		e, ok := t.find(stem)
		if ok && len(stem) > 2 {
			use(e.row)
			found = true
		}
		return !found
	})
	if !found {
		t.pieces(word, use)
	}
}

// stems calls try with plain forms of an English word until it returns false.
func stems(word []byte, try func([]byte) bool) {
	var buffer [64]byte
	for _, rule := range [...]struct{ end, instead string }{
		{"'s", ""}, {"ies", "y"}, {"ied", "y"}, {"s", ""}, {"es", ""}, {"ed", ""}, {"ly", ""}, {"ed", "e"},
		{"er", "e"}, {"ing", ""}, {"ing", "e"}, {"est", ""}, {"est", "e"},
	} {
		n := len(word) - len(rule.end)
		if n < 0 || string(word[n:]) != rule.end {
			continue
		}
		if !try(append(append(buffer[:0], word[:n]...), rule.instead...)) {
			return
		}
	}
	if len(word) > 2 && (string(word[:2]) == "un" || string(word[:2]) == "re") {
		try(word[2:])
	}
}

// pieces uses the longest entries for parts of an unknown word, from left to right.
// They begin with # in the table.
func (t *table) pieces(word []byte, use func(int)) {
	var buffer [longestWord]byte
	letters := buffer[:0]
	for _, b := range word[:min(len(word), longestWord)] {
		if b != '\'' {
			letters = append(letters, b)
		}
	}
	for i := 0; i < len(letters); {
		next := i + 1
		row, h := -1, hash(hash(start, []byte("#")), letters[i:next])
		for j := i + 2; j <= min(len(letters), i+longestPiece); j++ {
			h = hash(h, letters[j-1:j])
			if e, ok := t.lookup(h); ok {
				row, next = e.row, j
			}
		}
		if row >= 0 {
			use(row)
		}
		i = next
	}
}

// number uses the entry of a small number, or of its count of digits.
func (t *table) number(digits string, use func(int)) {
	e, ok := t.find([]byte(digits))
	if !ok {
		e, ok = t.find(strconv.AppendInt([]byte("#"), int64(min(len(digits), 9)), 10))
	}
	if ok {
		use(e.row)
	}
}

// Known reports whether the table has an English word, a name that is written in Latin
// letters, or a plain form of it. The word is of ASCII letters, in any case. A misspelt word
// is not known.
func Known(word string) bool {
	var buffer [64]byte
	lower := appendLower(buffer[:0], word)
	if _, ok := builtIn.find(lower); ok {
		return true
	}
	known := false
	stems(lower, func(stem []byte) bool {
		if len(stem) > 2 {
			_, known = builtIn.find(stem)
		}
		return !known
	})
	return known
}
