package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
