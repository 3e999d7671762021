package system

import (
	"strings"

	"techo/internal/legible"
)

// Visible replaces control characters by visible ones, and shows other hidden characters as escapes.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		}
		return r
	}, legible.Escape(text))
}
