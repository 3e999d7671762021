package search

import (
	"techo/internal/stem"
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
