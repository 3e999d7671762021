// Package runes knows the characters and words of texts in any script: invisible
// characters, scripts without blanks between words, ends of sentences. It knows nothing of
// HTML.
package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasStop reports whether a text has the end of a sentence.
func HasStop(text string) bool {
	for _, stop := range [...]string{".", "!", "?", "。", "！", "？"} {
		if strings.Contains(text, stop) {
			return true
		}
	}
	return false
}

// EndsSentence reports whether a text ends with the end of a sentence, quotes and brackets
// apart.
func EndsSentence(text string) bool {
	for text != "" {
		r, size := utf8.DecodeLastRuneInString(text)
		switch r {
		case '"', '\'', '”', '’', '）', ')', '」', '』', '»', ']', ' ', '\n':
			text = text[:len(text)-size]
		case '.', '!', '?', '。', '！', '？', '…', ':', '：':
			return true
		default:
			return false
		}
	}
	return false
}

// CountWords counts words. In scripts without blanks, two characters count as a
// word.
func CountWords(text string) float64 {
	n, inWord := 0.0, false
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			isWord := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
			if isWord && !inWord {
				n++
			}
			inWord = isWord || inWord && c == '\''
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case IsIdeographic(r):
			n += 0.5
			inWord = false
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if !inWord {
				n++
			}
			inWord = true
		default:
			inWord = inWord && unicode.IsMark(r)
		}
	}
	return n
}

// IsWord reports whether c is an ASCII letter or digit.
func IsWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// IsWordRune reports whether a character is a letter or a digit of any script.
func IsWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// IsGap reports whether a byte separates attributes in HTML.
func IsGap(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

// IsIdeographic reports whether a character belongs to a script without blanks
// between words.
func IsIdeographic(r rune) bool {
	return r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0x20000 && r <= 0x3ffff || r >= 0xac00 &&
		r <= 0xd7af || r >= 0x0e00 && r <= 0x0eff
}

// IsLetter reports whether a byte is an ASCII letter.
func IsLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// IsDigit reports whether a byte is a digit, or a hexadecimal one if hex is set.
func IsDigit(b byte, hex bool) bool {
	return b >= '0' && b <= '9' || hex && b|0x20 >= 'a' && b|0x20 <= 'f'
}

// IsSpace reports whether Python's str.isspace is true.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// IsBlankRune reports whether a character is white space that HTML collapses, or a
// space that does not break.
func IsBlankRune(r rune) bool {
	return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xa0
}

// Unspaced reports whether a character belongs to a script that writes no spaces between
// words.
func Unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3001 && r <= 0x303f ||
		r >= 0xff01 && r <= 0xff60
}

// BreaksLine reports whether the blanks at the begin of a text contain a line break of
// the source, and returns the character after them, or 0. Between two characters of a
// script without spaces, such a break stands for nothing.
func BreaksLine(text string) (broken bool, next rune) {
	rest := strings.TrimLeft(text, " \n\t\r\f")
	if rest != "" {
		next, _ = utf8.DecodeRuneInString(rest)
	}
	return strings.Contains(text[:len(text)-len(rest)], "\n"), next
}

// Clean removes invisible characters, which can hide text from the reader, and returns
// their number. It keeps the ones that scripts and emoji need: a joiner between joining
// letters, and one variation selector after a character with variants.
func Clean(text string) (cleaned string, removed int) {
	suspect := strings.IndexFunc(text, IsInvisible)
	if suspect < 0 {
		return text, 0
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:suspect])
	last, _ := utf8.DecodeLastRuneInString(text[:suspect])
	for i, r := range text[suspect:] {
		if !IsInvisible(r) {
			b.WriteRune(r)
			last = r
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[suspect+i+utf8.RuneLen(r):])
		if needed(last, r, next) {
			b.WriteRune(r)
		} else {
			removed++
		}
		last = r
	}
	return b.String(), removed
}

// Tidy joins the lines of a text and removes invisible characters, whose number it returns.
func Tidy(text string) (tidied string, removed int) {
	text, removed = Clean(text)
	return strings.Join(strings.Fields(text), " "), removed
}

// IsInvisible reports whether a character is invisible, or the replacement of one.
func IsInvisible(r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f:
		return false
	case r < 0x20:
		return r != '\t' && r != '\n' && r != '\r' && r != '\f'
	case r < 0xa0, r == 0xad, r == 0x034f, r == 0x061c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5:
		return true
	case r < 0x180b:
		return false
	case r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0x3164,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb, r >= 0x1d173 && r <= 0x1d17a,
		r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// needed reports whether a suspect character has a function between its
// neighbours.
func needed(last, r, next rune) bool {
	switch {
	case r == 0x200d || r == 0x200c: // joiners
		return joins(last) && joins(next)
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return unicode.Is(unicode.Han, last) || r >= 0xfe0e && r <= 0xfe0f && hasLooks(last)
	case r == 0x200e || r == 0x200f: // implicit directional marks
		return isRightToLeft(last) || isRightToLeft(next)
	}
	return false
}

// joins reports whether joiners affect a character: a joining script, or an emoji.
func joins(r rune) bool {
	return unicode.IsLetter(r) && r > 0x0590 &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
		unicode.Is(unicode.Mn, r) && r > 0x0590 && !(r >= 0xe0100 && r <= 0xe01ef) || hasLooks(r) || r >= 0x1f3fb &&
		r <= 0x1f3ff
}

// hasLooks reports whether a character has both a text and an emoji presentation.
func hasLooks(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x2000 && unicode.Is(unicode.Sm, r) || r == '#' || r == '*' || r >= '0' &&
		r <= '9' ||
		r == 0x203c || r == 0x2049 || r == 0x3030 || r == 0x303d || r == 0xfe0f
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
