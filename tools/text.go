package tools

import (
	"fmt"

	"techo/locales"
)

// Lang is a language of messages: "en", or the name of a file in locales.
type Lang string

// The languages that code refers to by name.
const (
	English  Lang = locales.Source
	Japanese Lang = "ja"
)

// Text is a message in English. Its translations are in the catalogues of package
// locales. It may contain verbs of package fmt; a translation that needs another
// order uses indexed verbs (%[2]s).
type Text string

// In returns the text in a language, with its verbs filled in.
func (t Text) In(lang Lang, args ...any) string {
	text := locales.Translate(string(lang), string(t))
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

// Localize returns a text in the caller's language, with its verbs filled in.
func (env *Env) Localize(text Text, args ...any) string { return text.In(env.Lang, args...) }
