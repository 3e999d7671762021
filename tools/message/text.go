// Package message has the texts of techo in the caller's language, also for errors of the
// system and of libraries.
package message

import (
	"fmt"
	"slices"
	"strings"

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
// order uses indexed verbs (%[2]s). An argument of type error is described in the
// language of the text; see Lang.Cause.
type Text string

// In returns the text in a language, with its verbs filled in.
func (t Text) In(lang Lang, args ...any) string {
	text := locales.Translate(string(lang), string(t))
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, describeErrors(lang, args)...)
}

// describeErrors returns the arguments with a text for each error. The text leaves
// out the name of the thing that failed if it is another argument.
func describeErrors(lang Lang, args []any) []any {
	described := slices.Clone(args)
	for i, arg := range args {
		err, ok := arg.(error)
		if !ok {
			continue
		}
		text := lang.Cause(err)
		for _, other := range args {
			if name, ok := other.(string); ok && name != "" {
				text = strings.TrimPrefix(text, name+": ")
			}
		}
		described[i] = text
	}
	return described
}

// Localizer puts texts into the caller's language. Hint also puts commands and flags into the
// names that the caller uses.
type Localizer interface {
	Localize(text Text, args ...any) string
	Hint(text Text, args ...any) string
	DidYouMean(names []string) string
}

// Localize returns a text in the language, with its verbs filled in.
func (l Lang) Localize(text Text, args ...any) string { return text.In(l, args...) }

// Hint is Localize: a language alone knows no names to replace.
func (l Lang) Hint(text Text, args ...any) string { return text.In(l, args...) }

// DidYouMean returns a hint with similar names, the best match first, or "" without names.
func (l Lang) DidYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := "'" + strings.Join(names, "', '") + "'"
	if l == Japanese {
		quoted = "「" + strings.Join(names, "」「") + "」"
	}
	return l.Localize("Did you mean %s?", quoted)
}
