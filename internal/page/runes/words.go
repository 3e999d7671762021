// Package runes knows the characters and words of texts in any script: scripts without blanks
// between words, ends of sentences. It knows nothing of HTML.
package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/legible"
)

// HasStop reports whether a text has the end of a sentence.
func HasStop(text string) bool { return strings.ContainsAny(text, ".!?。！？") }

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
			isWord := IsWord(c) || c == '_'
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
	return IsLetter(c) || IsDigit(c, false)
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

// Tidy joins the lines of a text and removes invisible characters, whose number it returns.
func Tidy(text string) (tidied string, removed int) {
	text, removed = legible.Clean(text)
	return strings.Join(strings.Fields(text), " "), removed
}
