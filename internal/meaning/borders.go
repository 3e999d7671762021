package meaning

import (
	"strings"
	"unicode/utf8"
)

const (
	// unsure is the cost by which the likeliest split must be likelier than one with a border on either
	// side of a part, for its borders to be believed.
	unsure = 8 * 3

	seenAround = 12 // characters on either side of a part that are split into words with it
)

// crosses reports whether the part text[from:to] of a Japanese text crosses the borders of words, as
// 京都 does in 東京都庁 and 本人 in 日本人学校. It is false if that is unsure.
func crosses(text string, from, to int) bool {
	start, end := from, to
	for range seenAround {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if size == 0 || !japanese(r) {
			break
		}
		start -= size
	}
	for range seenAround {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || !japanese(r) {
			break
		}
		end += size
	}
	if start == from && end == to || strings.ContainsFunc(text[from:to], notJapanese) {
		return false
	}
	return builtIn.straddles(text[start:end], from-start, to-start, false)
}

// HasWord reports whether a text has a part other than across the borders of its words.
func HasWord(text, part string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return false
		}
		if from := at + i; !crosses(text, from, from+len(part)) {
			return true
		}
		at += i + len(part)
	}
}

func notJapanese(r rune) bool { return !japanese(r) }

// straddles reports whether a part of a run begins or ends within one of several words that it
// touches. A part of one word is looked for among the words that this one consists of.
func (t *table) straddles(run string, from, to int, within bool) bool {
	words, cost := t.words(run, within)
	if t.cost(run[:from])+t.cost(run[from:to])+t.cost(run[to:])-cost <= unsure {
		return false
	}
	at := 0
	for _, word := range words {
		next := at + len(word)
		switch {
		case from >= next:
		case from >= at && to <= next:
			return (from > at || to < next) && t.straddles(word, from-at, to-at, true)
		case from > at || to < next && at < to:
			return true
		}
		at = next
	}
	return false
}
