package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/stem"
)

// # Terms
//
// A text is read after NFKC, in lower case and without the accents of Latin
// letters. A run of letters and digits is a word; an English one is brought to
// its stem. All else parts words and means nothing: there is no syntax.
//
// Scripts that write no blanks (Chinese, Japanese, Korean, Thai and their
// neighbours) are cut, run by run, into pairs of neighbouring letters. Each
// Chinese character is a term of its own as well, and so is a whole run of three or
// more of them or of katakana. It takes no dictionary, and finds a word that no
// dictionary has.
//
// Common terms, English function words and pairs of hiragana, are kept as
// well, so that "to be or not to be" finds its memory; but a question that has
// others does not ask for them, and they do not count in a text's length.
const (
	maxTerm   = 64    // bytes; a longer word is cut
	maxLength = 65535 // counted terms of one text
)

// token is one place of a text where a term stands.
type token struct {
	term       string
	start, end int // in bytes of the text
	common     bool
}

// script says how a letter is read.
type script byte

const (
	apart    script = iota // parts words
	letter                 // of a word
	han                    // the rest stand in runs without blanks
	hiragana               //
	katakana               //
	dense                  // Hangul, Thai …
)

// scriptOf tells the script of a letter after NFKC.
func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return letter
		}
		return apart
	case r < 0x0e00:
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return letter
		}
		return apart
	case r >= 0x3041 && r <= 0x309f:
		return hiragana
	case r >= 0x30a1 && r <= 0x30fa, r >= 0x30fc && r <= 0x30ff, r >= 0x31f0 && r <= 0x31ff:
		return katakana
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf, r >= 0x20000 && r <= 0x3ffff, r == '々', r == '〆', r == '〇':
		return han
	case unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Bopomofo, unicode.Yi):
		return dense
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r):
		return letter
	}
	return apart
}

// sign is one letter of a text after NFKC and where it came from.
type sign struct {
	r          rune
	kind       script
	start, end int
}

// reader cuts texts into tokens. It remembers the words that it has seen, and
// is for one goroutine.
type reader struct {
	words map[string]word
	run   []sign
	buf   []byte
	emit  func(token)
}

// word is what a written word stands for.
type word struct {
	term   string
	common bool
}

// maxWords bounds what a reader remembers.
const maxWords = 1 << 17

func newReader() *reader { return &reader{words: map[string]word{}} }

// read hands the tokens of a text to emit, in their order.
func (r *reader) read(text string, emit func(token)) {
	r.emit = emit
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			i = r.mixed(text, i)
			continue
		}
		if scriptOf(rune(c)) == apart {
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf && scriptOf(rune(text[i])) == letter {
			i++
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			i = r.mixed(text, start)
			continue
		}
		r.ascii(text, start, i)
	}
}

// ascii emits a word of ASCII letters.
func (r *reader) ascii(text string, start, end int) {
	r.buf = r.buf[:0]
	for i := start; i < end && len(r.buf) < maxTerm; i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		r.buf = append(r.buf, c)
	}
	r.word(start, end)
}

// word emits the word in buf.
func (r *reader) word(start, end int) {
	w, ok := r.words[string(r.buf)]
	if !ok {
		written := string(r.buf)
		w = word{stem.Of(written), isCommon(written)}
		if len(r.words) >= maxWords {
			clear(r.words)
		}
		r.words[written] = w
	}
	r.emit(token{w.term, start, end, w.common})
}

// mixed reads from start to the next ASCII character that parts words, and
// returns where that is.
func (r *reader) mixed(text string, start int) int {
	end := start
	for end < len(text) && (text[end] >= utf8.RuneSelf || scriptOf(rune(text[end])) == letter) {
		end++
	}
	var it norm.Iter
	it.InitString(norm.NFKC, text[start:end])
	for !it.Done() {
		from := start + it.Pos()
		signs := it.Next()
		to := start + it.Pos()
		for len(signs) > 0 {
			c, n := utf8.DecodeRune(signs)
			signs = signs[n:]
			c = plain(unicode.ToLower(c))
			kind := scriptOf(c)
			if len(r.run) > 0 && (r.run[len(r.run)-1].kind == letter) != (kind == letter) || kind == apart {
				r.flush()
			}
			if kind != apart {
				r.run = append(r.run, sign{c, kind, from, to})
			}
		}
	}
	r.flush()
	return end
}

// plain takes the accents off a Latin letter.
func plain(r rune) rune {
	if r < 0xc0 || r > 0x24f && (r < 0x1e00 || r > 0x1eff) {
		return r
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if len(d) > 0 && d[0] < utf8.RuneSelf {
		return rune(d[0])
	}
	return r
}

// flush emits the run that was gathered: a word, or letters without blanks.
func (r *reader) flush() {
	run := r.run
	r.run = run[:0]
	if len(run) == 0 {
		return
	}
	if run[0].kind != letter {
		r.grams(run)
		return
	}
	r.buf = r.buf[:0]
	for _, s := range run {
		if len(r.buf)+utf8.RuneLen(s.r) > maxTerm {
			break
		}
		if s.r < 0x300 || s.r > 0x36f { // what is left of an accent
			r.buf = utf8.AppendRune(r.buf, s.r)
		}
	}
	if len(r.buf) > 0 {
		r.word(run[0].start, run[len(run)-1].end)
	}
}

// grams emits the terms of a run without blanks.
func (r *reader) grams(run []sign) {
	if len(run) == 1 {
		r.gram(run)
		return
	}
	for i := range run {
		if run[i].kind == han {
			r.gram(run[i : i+1])
		}
		if i+1 < len(run) {
			r.gram(run[i : i+2])
		}
		if (i == 0 || run[i-1].kind != run[i].kind) && (run[i].kind == han || run[i].kind == katakana) {
			end := i + 1
			for end < len(run) && run[end].kind == run[i].kind {
				end++
			}
			if end-i >= 3 {
				r.gram(run[i:end])
			}
		}
	}
}

// gram emits some letters as one term.
func (r *reader) gram(part []sign) {
	var b strings.Builder
	common := true
	for _, s := range part {
		if b.Len()+utf8.RuneLen(s.r) > maxTerm {
			break
		}
		b.WriteRune(s.r)
		common = common && s.kind == hiragana
	}
	r.emit(token{b.String(), part[0].start, part[len(part)-1].end, common})
}
