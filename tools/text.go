package tools

import (
	"regexp/syntax"

	"techo/tools/message"
)

// Lang is a language of messages, Text a message in English.
type (
	Lang = message.Lang
	Text = message.Text
)

// The languages that code refers to by name.
const (
	English  = message.English
	Japanese = message.Japanese
)

// Localize returns a text in the caller's language, with its verbs filled in.
func (env *Env) Localize(text Text, args ...any) string { return env.Lang.Localize(text, args...) }

// Count returns a number with its noun: "1 event", "2 events". Both texts have
// one %d. Languages without a plural translate both texts alike.
func (env *Env) Count(n int, one, many Text) string {
	if n == 1 {
		return env.Localize(one, n)
	}
	return env.Localize(many, n)
}

// PastEnd says that a list of some length ends before the offset or cursor that was asked for.
func (env *Env) PastEnd(total int) string { return env.Localize("The list has only %d", total) }

// Cause describes an error of the system or of a library in the caller's language.
// An error that has no text of its own keeps the text of Go.
func (env *Env) Cause(err error) string { return env.Lang.Cause(err) }

// RegexpReason describes an error in a regular expression in the caller's
// language.
func (env *Env) RegexpReason(code syntax.ErrorCode) string { return env.Lang.RegexpReason(code) }
