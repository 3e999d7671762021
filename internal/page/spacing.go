package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isBlankRune reports whether a character is white space that HTML collapses, or a
// space that does not break.
func isBlankRune(r rune) bool {
	return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == 0xa0
}

// unspaced reports whether a character belongs to a script that writes no spaces between
// words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3001 && r <= 0x303f ||
		r >= 0xff01 && r <= 0xff60
}

// breaksLine reports whether the blanks at the begin of a text contain a line break of
// the source, and returns the character after them, or 0. Between two characters of a
// script without spaces, such a break stands for nothing.
func breaksLine(text string) (broken bool, next rune) {
	rest := strings.TrimLeft(text, " \n\t\r\f")
	if rest != "" {
		next, _ = utf8.DecodeRuneInString(rest)
	}
	return strings.Contains(text[:len(text)-len(rest)], "\n"), next
}
