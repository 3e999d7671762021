package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/kanji"
)

// # Terms
//
// A text is folded: NFKC, lower case, no accents, hiragana for katakana, present forms of characters (渡辺 for 渡邊).
// A run of letters and digits is a word, and an English word is reduced to its
// stem. All other characters separate words: there is no query syntax. Words that
// are joined by a sign, such as node.js, also form one term (joined.go), and words in
// mixed case have parts (likewise). An emoji is a term.
//
// Scripts without blanks between words (Chinese, Japanese, Korean, Thai and
// others) are split into overlapping bigrams. A Chinese character is also a term
// of its own, and so is a whole run of at least three of them or of katakana.
// This needs no dictionary and finds words that are in none.
//
// Common terms, which are English function words and bigrams of hiragana, are
// indexed as well, so that "to be or not to be" can be found. A question with
// other terms ignores them, and they do not count towards the length of a text.
const (
	maxTerm   = 64    // bytes; longer words are cut
	maxLength = 65535 // limit of the length of a text in terms
)

// token is an occurrence of a term in a text.
type token struct {
	term       string
	start, end int // byte offsets in the text
	common     bool
	joined     bool // consists of several words, which are terms as well
}

// script is the class of a character for tokenization.
type script byte

const (
	separator script = iota // separates words
	letter                  // part of a word
	han                     // this and the following are written without blanks
	hiragana                //
	katakana                //
	dense                   // Hangul, Thai and others
	symbol                  // an emoji, which is a term of its own
)

const firstHan = 0x3400

// scriptOf returns the script of a character after NFKC.
func scriptOf(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return letter
		}
		return separator
	case r < 0x0e00:
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return letter
		}
		return separator
	case r >= 0x3041 && r <= 0x309f:
		return hiragana
	case r >= 0x30a1 && r <= 0x30fa, r >= 0x30fc && r <= 0x30ff, r >= 0x31f0 && r <= 0x31ff:
		return katakana
	case r >= 0x4e00 && r <= 0x9fff, r >= 0x3400 && r <= 0x4dbf, r >= 0x20000 && r <= 0x3ffff, r == '々', r == '〆',
		r == '〇':
		return han
	case unicode.In(r, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Bopomofo,
		unicode.Yi):
		return dense
	case unicode.Is(unicode.Variation_Selector, r):
		return separator
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.Is(unicode.M, r):
		return letter
	case r >= 0x2600 && unicode.Is(unicode.So, r):
		return symbol
	}
	return separator
}

// sign is a character after NFKC with its position in the text.
type sign struct {
	r          rune
	kind       script
	start, end int
}

// reader splits texts into tokens. It caches words and is not safe for concurrent
// use.
type reader struct {
	words map[string]word
	text  string
	run   []sign
	buf   []byte
	chain chain
	emit  func(token)

	// wanted selects words, which are written as they are folded; nil selects all.
	// It saves reducing the others to their stems.
	wanted func(written []byte, start int) bool
}

// word is the cached result for a word.
type word struct {
	term   string
	common bool
}

// maxWords limits the cache.
const maxWords = 1 << 15

func newReader() *reader { return &reader{words: map[string]word{}} }

// ellipsis separates words and is often the only character of a text that is not ASCII:
// captions end with it. Its normal form is not needed, for which the library makes a table
// of a thousand entries.
const ellipsis = "…"

// read calls emit with the tokens of a text in order.
func (r *reader) read(text string, emit func(token)) {
	r.text, r.emit = text, emit
	for i := 0; i < len(text); {
		c := text[i]
		if strings.HasPrefix(text[i:], ellipsis) {
			i += len(ellipsis)
			continue
		}
		if c >= utf8.RuneSelf {
			i = r.mixed(text, i)
			continue
		}
		if scriptOf(rune(c)) == separator {
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf && scriptOf(rune(text[i])) == letter {
			i++
		}
		if i < len(text) && text[i] >= utf8.RuneSelf && !strings.HasPrefix(text[i:], ellipsis) &&
			!unspacedAt(text[i:]) {
			i = r.mixed(text, start)
			continue
		}
		r.ascii(text, start, i)
	}
	r.endChain()
}

// ascii emits a word of ASCII letters.
func (r *reader) ascii(text string, start, end int) {
	r.lower(text, start, end)
	parted := r.identifier(text, start, end)
	r.link(start, end)
	r.emitWord(start, end, parted)
}

// mixed reads from start to the next ASCII separator and returns its position.
func (r *reader) mixed(text string, start int) int {
	end := start
	for end < len(text) && (text[end] >= utf8.RuneSelf || scriptOf(rune(text[end])) == letter) {
		if text[end] < utf8.RuneSelf && end > start && unspacedBefore(text[start:end]) {
			break
		}
		end++
	}
	var it norm.Iter
	it.InitString(norm.NFKC, text[start:end])
	for !it.Done() {
		from := start + it.Pos()
		signs := it.Next()
		to := start + it.Pos()
		if to == from { // what follows is of the same character: ㈱ is (株)
			_, n := utf8.DecodeRuneInString(text[from:])
			to += n
		}
		for len(signs) > 0 {
			c, n := utf8.DecodeRune(signs)
			signs = signs[n:]
			r.sign(unicode.ToLower(c), from, to)
		}
	}
	r.flush()
	return end
}

// sign adds a lower-case character to the run, which it may end.
func (r *reader) sign(c rune, from, to int) {
	if c >= firstHan {
		c = kanji.Standard(c)
	}
	kind := scriptOf(c)
	before := separator
	if len(r.run) > 0 {
		before = r.run[len(r.run)-1].kind
	}
	if before == han && unicode.Is(unicode.Variation_Selector, c) {
		return // it says how the character is drawn
	}
	if c == longVowel && before == hiragana {
		kind = hiragana
	}
	if kind == separator || kind == symbol || before != separator && (before == letter) != (kind == letter) {
		r.flush()
	}
	switch kind {
	case separator:
	case symbol:
		r.emit(token{term: string(c), start: from, end: to})
	default:
		letters, ok := foldLetter(c)
		if !ok {
			r.run = append(r.run, sign{foldRune(c), kind, from, to})
		}
		for _, c := range letters {
			r.run = append(r.run, sign{c, kind, from, to})
		}
	}
}

// flush emits the collected run: a word, or characters of a script without blanks.
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
		if s.r < 0x300 || s.r > 0x36f { // combining accents
			r.buf = utf8.AppendRune(r.buf, s.r)
		}
	}
	if len(r.buf) > 0 {
		start, end := run[0].start, run[len(run)-1].end
		r.link(start, end)
		r.emitWord(start, end, false)
	}
}

// grams emits the terms of a run of a script without blanks.
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

// gram emits some characters as one term.
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
	r.emit(token{term: b.String(), start: part[0].start, end: part[len(part)-1].end, common: common})
}

// longVowel lengthens the vowel of the kana before it, in both syllabaries.
const longVowel = 'ー'

// A character is folded after NFKC and lower-casing, so that spellings of one word
// are one term: Straße and Strasse, café and cafe, リンゴ and りんご.

// foldLetter folds letters that Unicode does not decompose.
func foldLetter(r rune) (string, bool) {
	switch r {
	case 'ß':
		return "ss", true
	case 'æ':
		return "ae", true
	case 'œ':
		return "oe", true
	case 'ø':
		return "o", true
	case 'ł':
		return "l", true
	case 'đ', 'ð':
		return "d", true
	case 'þ':
		return "th", true
	case 'ı':
		return "i", true
	}
	return "", false
}

// foldRune removes the accent of a Latin letter and returns the hiragana of a
// katakana.
func foldRune(r rune) rune {
	switch {
	case r >= 'ァ' && r <= 'ヶ', r == 'ヽ', r == 'ヾ':
		return r - 'ァ' + 'ぁ'
	case r < 0xc0 || r > 0x24f && (r < 0x1e00 || r > 0x1eff):
		return r
	}
	var buf [utf8.UTFMax]byte
	d := norm.NFD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if len(d) > 0 && d[0] < utf8.RuneSelf {
		return rune(d[0])
	}
	return r
}
