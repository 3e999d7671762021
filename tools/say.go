package tools

import "fmt"

// Lang is a language that techo speaks.
type Lang int

// The languages.
const (
	English Lang = iota
	Japanese
)

// Say is one text in both languages, side by side. It may hold verbs of
// package fmt; where the languages need another order, indexed ones (%[2]s).
type Say struct{ EN, JA string }

// In returns the text in a language, with its verbs filled.
func (s Say) In(l Lang, args ...any) string {
	text := s.EN
	if l == Japanese {
		text = s.JA
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}
