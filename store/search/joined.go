package search

import (
	"strings"
	"unicode/utf8"

	"techo/internal/stem"
	"techo/store/search/common"
)

// chain collects words that are joined by one sign without blanks: node.js,
// 1,204, 555-0142, O'Brien. Together they form one more term, so that nodejs, 1204,
// 5550142 and OBrien find them, and the other way round.
type chain struct {
	words      int
	start, end int    // byte offsets in the text
	last       int    // where the last word begins in written
	written    []byte // the words, folded
}

// maxJoined is the largest number of words in a joined term.
const maxJoined = 4

// link adds the word in buf to the chain, or begins another chain.
func (r *reader) link(start, end int) {
	c := &r.chain
	if c.words == 0 || start < c.end || !r.joins(r.text[c.end:start]) {
		r.endChain()
		c.start, c.written = start, c.written[:0]
	}
	c.words++
	c.end, c.last = end, len(c.written)
	if len(c.written) <= maxTerm {
		c.written = append(c.written, r.buf...)
	}
}

// joins reports whether a sign joins the last word of the chain and the word in
// buf. A comma joins the digits of a number only. A full stop does not join digits:
// 1.5 is not 15.
func (r *reader) joins(sign string) bool {
	before, after := r.chain.written[len(r.chain.written)-1], r.buf[0]
	digits := isDigit(before) && isDigit(after)
	switch sign {
	case "'", "’", "-", "‐", "‑", "_":
		return true
	case ",":
		return digits
	case ".":
		return !digits
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// endChain emits the term of a chain of several words, unless it is a contraction
// or a possessive.
func (r *reader) endChain() {
	c := &r.chain
	if c.words > 1 && c.words <= maxJoined && len(c.written) <= maxTerm && !isRemainder(string(c.written[c.last:])) &&
		(r.wanted == nil || r.wanted(c.written, c.start)) {
		written := string(c.written)
		r.emit(token{term: stem.Of(written), start: c.start, end: c.end, joined: true})
		if identifier := r.text[c.start:c.end]; strings.Contains(identifier, "_") {
			r.exactly(strings.ToLower(identifier), c.start)
		}
	}
	c.words = 0
}

// isRemainder reports whether a word is what an apostrophe separates from a word:
// it's, don't, I'll.
func isRemainder(word string) bool {
	switch word {
	case "s", "t", "d", "m", "ll", "re", "ve":
		return true
	}
	return false
}

// # Identifiers
//
// A word in mixed case, such as getUser or HTTPServer, is found by its parts too, as
// get_user is. As a whole it is found in any such form, and before others in its own. A
// hexadecimal number of more than seven digits, such as a hash, is also
// found by seven: a person writes the beginning of a hash. 0x7fff is also found by 7fff.
const (
	mostParts   = 8
	hashDigits  = 7
	leastOfPart = 2 // letters; otherwise the word is no identifier: iPhone, dQw4w9Wg
	leastOfOne  = 3 // likewise, of one part at least
)

// partsOf returns the ends of the parts of a word of ASCII letters and digits; one, or none,
// if it is not in mixed case.
func partsOf(word string, ends []int) []int {
	longest, begin := 0, 0
	cut := func(end int) bool {
		ends = append(ends, end)
		n := end - begin
		begin, longest = end, max(longest, n)
		return n >= leastOfPart && len(ends) <= mostParts
	}
	for i := 1; i < len(word); i++ {
		upper, next := isUpper(word[i]), i+1 < len(word) && isLower(word[i+1])
		if i+2 == len(word) && word[i+1] == 's' && isUpper(word[i-1]) {
			next = false // URLs
		}
		if upper && (!isUpper(word[i-1]) || next) && !cut(i) {
			return nil
		}
	}
	if !cut(len(word)) || longest < leastOfOne {
		return nil
	}
	return ends
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// identifier emits the terms by which the word in buf is found as well: its parts, or the
// digits of a hexadecimal number. It reports whether it has parts.
func (r *reader) identifier(text string, start, end int) (parted bool) {
	if digits := hexDigits(r.buf); digits != nil {
		if r.wanted == nil || r.wanted(digits, start) {
			r.emit(token{term: string(digits), start: start, end: end, joined: true})
		}
		return false
	}
	var buf [mostParts + 1]int
	ends := partsOf(text[start:min(end, start+maxTerm)], buf[:0])
	if len(ends) < 2 {
		return false
	}
	from := start
	for _, to := range ends {
		r.lower(text, from, start+to)
		r.emitWord(from, start+to, false)
		from = start + to
	}
	r.exactly(text[start:end], start)
	r.lower(text, start, end)
	return true
}

// exactly emits an identifier as it is written, which other terms never are: getUser, get_user.
func (r *reader) exactly(identifier string, start int) {
	if len(identifier) <= maxTerm && (r.wanted == nil || r.wanted([]byte(identifier), start)) {
		r.emit(token{term: identifier, start: start, end: start + len(identifier), joined: true})
	}
}

// hexDigits returns the digits by which a word that is a hexadecimal number is found as well;
// nil for other words.
func hexDigits(word []byte) []byte {
	prefixed := len(word) > 3 && word[0] == '0' && word[1] == 'x'
	number := word
	if prefixed {
		number = word[2:]
	}
	digits, letters := 0, 0
	for _, c := range number {
		switch {
		case isDigit(c):
			digits++
		case c >= 'a' && c <= 'f':
			letters++
		default:
			return nil
		}
	}
	switch {
	case prefixed:
		for len(number) > 1 && number[0] == '0' {
			number = number[1:]
		}
		return number
	case digits > 0 && letters > 0 && len(word) > hashDigits:
		return word[:hashDigits]
	}
	return nil
}

// lower writes a word of ASCII letters to buf, in lower case.
func (r *reader) lower(text string, start, end int) {
	r.buf = r.buf[:0]
	for i := start; i < end && len(r.buf) < maxTerm; i++ {
		c := text[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		r.buf = append(r.buf, c)
	}
}

// emitWord emits the word in buf.
func (r *reader) emitWord(start, end int, joined bool) {
	if r.wanted != nil && !r.wanted(r.buf, start) {
		return
	}
	w, ok := r.words[string(r.buf)]
	if !ok {
		written := string(r.buf)
		w = word{stem.Of(written), common.Word(written)}
		if len(r.words) >= maxWords {
			clear(r.words)
		}
		r.words[written] = w
	}
	r.emit(token{term: w.term, start: start, end: end, common: w.common && !joined, joined: joined})
}

// standsAlone reports whether a character beside ASCII letters is not of the same word: kana
// and kanji.
func standsAlone(r rune) bool {
	kind := scriptOf(r)
	return r != utf8.RuneError && (kind == han || kind == hiragana || kind == katakana)
}

// unspacedAt reports whether a text goes on with kana or kanji.
func unspacedAt(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return standsAlone(r)
}

// unspacedBefore reports whether a text ends with kana or kanji.
func unspacedBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return standsAlone(r)
}
