// Package legible knows the characters that the eye does not see: it checks that a text has others,
// and shows or removes them.
package legible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Blank reports whether a text has no visible character: it is empty, or has
// only spaces of any script, control characters and format characters such as
// U+200B.
func Blank(text string) bool { return Trim(text) == "" }

// Trim removes invisible characters from both ends of a text.
func Trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
}

// Control reports whether a text has a control character such as NUL, a newline
// or DEL. Names must not, because output puts them into lines and titles.
func Control(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// Clip returns a text of at most 60 characters, with … in place of the rest.
func Clip(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// Escape shows the characters of a text that the eye does not see, or that reorder what it sees, as \uXXXX or
// \UXXXXXXXX, so that nothing hidden reaches a prompt or a terminal. What scripts and emoji need stays: joiners between
// joining letters and in emoji, a variation selector behind a character with variants, marks beside scripts that run
// from right to left, and flags made of tags. Line ends, tabs and other control characters of ASCII stay as well.
func Escape(text string) string {
	return replace(text, isHidden, func(b *strings.Builder, r rune) {
		if r > 0xffff {
			fmt.Fprintf(b, `\U%08x`, r)
		} else {
			fmt.Fprintf(b, `\u%04x`, r)
		}
	})
}

// EscapeJSON is Escape for a JSON document: the texts in it stay what they are.
func EscapeJSON(document string) string {
	return replace(document, isHidden, func(b *strings.Builder, r rune) {
		if first, second := utf16.EncodeRune(r); first != utf8.RuneError {
			fmt.Fprintf(b, `\u%04x\u%04x`, first, second)
		} else {
			fmt.Fprintf(b, `\u%04x`, r)
		}
	})
}

// Clean removes what Escape shows, and control characters of ASCII but blanks and line ends. It
// returns their number.
func Clean(text string) (clean string, removed int) {
	clean = replace(text, IsInvisible, func(*strings.Builder, rune) { removed++ })
	return clean, removed
}

// IsInvisible reports whether a character has no place in a text that is read: it is invisible, or
// a control character other than blanks and line ends.
func IsInvisible(r rune) bool {
	switch r {
	case '\t', '\n', '\r', '\f', '\u2028', '\u2029':
		return false
	}
	return r < ' ' || r == 0x7f || isHidden(r)
}

// replace replaces the hidden characters of a text that have no function where they stand.
func replace(text string, hides func(rune) bool, write func(*strings.Builder, rune)) string {
	first := strings.IndexFunc(text, hides)
	if first < 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:first])
	last, _ := utf8.DecodeLastRuneInString(text[:first])
	for i := first; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if last == flag {
			if tags := tagSequence(text[i:]); tags > 0 {
				b.WriteString(text[i : i+tags])
				i, last = i+tags, 0
				continue
			}
		}
		next, _ := utf8.DecodeRuneInString(text[i+n:])
		if hides(r) && !isNeeded(last, r, next) {
			write(&b, r)
		} else {
			b.WriteString(text[i : i+n])
		}
		i, last = i+n, r
	}
	return b.String()
}

// flag is the black flag, which tags make the flag of a region.
const flag = 0x1f3f4

// tagSequence returns the length of the tags at the beginning of a text that make a flag: letters and digits, and the
// end mark.
func tagSequence(text string) int {
	for i, r := range text {
		switch {
		case r == 0xe007f && i > 0:
			return i + utf8.RuneLen(r)
		case (r < 0xe0030 || r > 0xe0039) && (r < 0xe0061 || r > 0xe007a) || i > 7*utf8.UTFMax:
			return 0
		}
	}
	return 0
}

// isHidden reports whether a character is invisible, or changes the direction of text.
func isHidden(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r < 0xa0, r == 0xad, r == 0x034f, r == 0x061c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5:
		return true
	case r < 0x180b:
		return false
	case r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0x3164,
		r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb, r >= 0x1d173 && r <= 0x1d17a,
		r >= 0x1bca0 && r <= 0x1bca3, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return false
}

// isNeeded reports whether a hidden character has a function between its neighbours.
func isNeeded(last, r, next rune) bool {
	switch {
	case r == 0x200d || r == 0x200c: // joiners; behind a virama also at the end of a word
		return joins(last) && (joins(next) || unicode.Is(unicode.Mn, last) && last > 0x08ff)
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return unicode.Is(unicode.Han, last) || r >= 0xfe0e && r <= 0xfe0f && last != 0xfe0f && hasVariants(last)
	case r >= 0x180b && r <= 0x180d || r == 0x180f:
		return unicode.Is(unicode.Mongolian, last)
	case r == 0x200e || r == 0x200f || r == 0x061c: // marks of direction
		return isRightToLeft(last) || isRightToLeft(next)
	case r == 0x115f || r == 0x1160: // in old Hangul
		return isJamo(last) || isJamo(next)
	}
	return false
}

// isJamo reports whether a character is a part of a Hangul syllable that can be seen.
func isJamo(r rune) bool { return r >= 0x1100 && r <= 0x11ff && r != 0x115f && r != 0x1160 }

// joins reports whether joiners affect a character: one of a joining script, or an emoji.
func joins(r rune) bool {
	return (unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)) && r > 0x0590 &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) && r < 0xe0000 ||
		hasVariants(r) || r >= 0x1f3fb && r <= 0x1f3ff
}

// hasVariants reports whether a character has a form as text and one as emoji.
func hasVariants(r rune) bool {
	return unicode.Is(unicode.So, r) || r >= 0x2000 && unicode.Is(unicode.Sm, r) || r == '#' || r == '*' ||
		r >= '0' && r <= '9' || r == 0x203c || r == 0x2049 || r == 0x2139 || r == 0x3030 || r == 0x303d || r == 0xfe0f
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
