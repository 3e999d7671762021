package pattern

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The members of \w, \d and \s as in Python's re module for text: letters, numbers
// and the underscore; decimal digits; white space with the separators of ASCII.
// Each ends in a category, so that a dash may follow it in a class.
const (
	wordClass  = `_\pL\pN`
	digitClass = `\p{Nd}`
	spaceClass = `\t-\r\x1c-\x1f\x85\pZ`
)

// unicodeClasses replaces \w, \d, \s and their negations, which are ASCII in
// package syntax, by their Unicode forms. The expression must be valid.
func unicodeClasses(e string) string {
	if !strings.Contains(e, `\`) {
		return e
	}
	var b strings.Builder
	class := 0 // 0 outside of a class; in a class, the offset of its first member
	for i := 0; i < len(e); {
		switch {
		case e[i] == '\\' && i+1 < len(e):
			n := len(`\x`)
			switch c := e[i+1]; {
			case c == 'Q' && class == 0:
				n = len(e) - i
				if end := strings.Index(e[i:], `\E`); end >= 0 {
					n = end + len(`\E`)
				}
				b.WriteString(e[i : i+n])
			case strings.IndexByte("wWdDsS", c) >= 0:
				b.WriteString(unicodeClass(c, class > 0))
			default:
				b.WriteString(e[i : i+n])
			}
			i += n
			continue
		case class == 0 && e[i] == '[':
			class = i + 1
			if strings.HasPrefix(e[class:], "^") {
				class++
			}
			b.WriteString(e[i:class])
			i = class
			continue
		case class > 0 && e[i] == '[' && strings.HasPrefix(e[i:], "[:"):
			if end := strings.Index(e[i:], ":]"); end > 0 {
				b.WriteString(e[i : i+end+2])
				i += end + 2
				continue
			}
		case class > 0 && e[i] == ']' && i > class:
			class = 0
		}
		b.WriteByte(e[i])
		i++
	}
	return b.String()
}

// unicodeClass returns the Unicode form of a class escape.
func unicodeClass(letter byte, inClass bool) string {
	members := map[byte]string{'w': wordClass, 'd': digitClass, 's': spaceClass}[letter|0x20]
	negated := letter < 'a'
	switch {
	case !inClass && negated:
		return "[^" + members + "]"
	case !inClass:
		return "[" + members + "]"
	case !negated:
		return members
	}
	return complement(members)
}

// complement returns the characters that are not members of a class, as ranges. A
// class has no way to negate a part of itself.
func complement(members string) string {
	re, err := syntax.Parse("[^"+members+"]", syntax.Perl)
	if err != nil {
		panic(err) // members is a constant
	}
	var b strings.Builder
	for i := 0; i < len(re.Rune); i += 2 {
		fmt.Fprintf(&b, `\x{%x}-\x{%x}`, re.Rune[i], re.Rune[i+1])
	}
	return b.String()
}

// isWordRune reports whether a character is in the Unicode \w.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWord(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isWord(b byte) bool {
	return b == '_' || b-'0' < 10 || b|0x20-'a' < 26 && b < 0x80
}

// bytesRange is a range of values for one byte of a sequence.
type bytesRange struct{ lo, hi byte }

// sequence is the UTF-8 encoding of a range of runes, as byte ranges.
type sequence []bytesRange

func (s sequence) run() run {
	sets := make([]set, len(s))
	for i, b := range s {
		sets[i].addRange(b.lo, b.hi)
	}
	return run{sets: sets}
}

// sequences splits a range of runes into sequences whose byte ranges are
// independent of each other, the method of Ken Thompson's grep and RE2.
func sequences(lo, hi rune) (all []sequence) {
	const surrogates, afterSurrogates = 0xd800, 0xe000
	switch {
	case lo > hi:
		return nil
	case lo < surrogates && hi >= surrogates:
		return append(sequences(lo, surrogates-1), sequences(surrogates, hi)...)
	case lo >= surrogates && lo < afterSurrogates: // surrogates have no UTF-8 encoding
		return sequences(afterSurrogates, hi)
	}
	for _, most := range []rune{0x7f, 0x7ff, 0xffff} { // split at changes of length
		if lo <= most && hi > most {
			return append(sequences(lo, most), sequences(most+1, hi)...)
		}
	}
	for n := 1; n < 4; n++ { // split until each trailing byte covers its full range or a single value
		below := rune(1)<<(6*n) - 1
		if hi < 0x80 || lo&^below == hi&^below {
			continue
		}
		if lo&below != 0 {
			return append(sequences(lo, lo|below), sequences((lo|below)+1, hi)...)
		}
		if hi&below != below {
			return append(sequences(lo, hi&^below-1), sequences(hi&^below, hi)...)
		}
	}
	var a, b [utf8.UTFMax]byte
	n := utf8.EncodeRune(a[:], lo)
	utf8.EncodeRune(b[:], hi)
	s := make(sequence, n)
	for i := range s {
		s[i] = bytesRange{a[i], b[i]}
	}
	return []sequence{s}
}
