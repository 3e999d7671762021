// Package legible checks that a name or a text has something visible in it.
package legible

import (
	"strings"
	"unicode"
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
