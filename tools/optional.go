package tools

import (
	"context"
	"slices"
	"strings"

	"techo/tools/jsontree"
	"techo/tools/schema"
)

// The input of a tool may have methods that few tools need. They are called on its zero value.
type (
	// Elsewhere is the input of a tool whose calls may go to another service, which then
	// handles their idempotency keys.
	Elsewhere interface {
		Elsewhere(ctx context.Context, env *Env, input []byte) bool
	}

	// Local is the input of a tool whose call may use files of the caller's machine
	// instead of the store, so that the client of a server runs it itself.
	Local interface {
		Here(env *Env, input []byte) bool
	}

	// Verbatim is the input of a tool whose text may be the bytes of something that the call
	// asked for, which a pipe gets unchanged. In other texts, control characters become
	// visible.
	Verbatim interface {
		Verbatim(input []byte) bool
	}

	// Editing is the input of a tool that changes the fields that are given. Controls are the
	// fields that change nothing: which record it is, and how.
	Editing interface {
		Controls() []string
	}

	// Keeping is the input of a tool that keeps texts in the store. Keeps lists their fields, in which the pipeline
	// looks for secrets.
	Keeping interface {
		Keeps() []string
	}

	// Flagged is the input of a tool with further flags, for users of similar programs.
	Flagged interface {
		Flags() []FlagAlias

		// Join combines the values of a field whose flag was repeated into one. It
		// returns false if the field takes one value only.
		Join(field string, values []string) (string, bool)

		// Stdin is the field in which the word - is stdin itself, which the tool reads. In
		// other fields that word is replaced by the content of stdin.
		Stdin() string
	}
)

// inputOf returns the zero value of a tool's input if it has some methods.
func inputOf[T any](t *Tool) (in T, ok bool) {
	in, ok = t.Run.input().(T)
	return in, ok
}

// runsElsewhere reports whether another service runs a call.
func runsElsewhere(ctx context.Context, t *Tool, env *Env, input []byte) bool {
	in, ok := inputOf[Elsewhere](t)
	return ok && in.Elsewhere(ctx, env, input)
}

// RunsHere reports whether a call uses files of the caller's machine instead of the store.
func RunsHere(t *Tool, env *Env, input []byte) bool {
	in, ok := inputOf[Local](t)
	return ok && in.Here(env, input)
}

// IsVerbatim reports whether a pipe gets the text of a result unchanged.
func IsVerbatim(t *Tool, input []byte) bool {
	in, ok := inputOf[Verbatim](t)
	return ok && in.Verbatim(input)
}

// changesNothing returns the problem of an edit that gives no new value.
func (t *Tool) changesNothing(env *Env, input []byte) []Detail {
	in, ok := inputOf[Editing](t)
	if !ok {
		return nil
	}
	document, err := jsontree.Parse(input)
	if err != nil {
		return nil
	}
	controls := append([]string{schema.SpaceField}, in.Controls()...)
	for _, f := range document.Members {
		if !slices.Contains(controls, f.Name) {
			return nil
		}
	}
	var names []string
	for _, p := range t.Input().Properties {
		if !slices.Contains(controls, p.Name) {
			names = append(names, p.Name)
		}
	}
	return []Detail{{Message: env.Localize("nothing to change"), Hint: env.Hint("Give a new value for one of: %s",
		strings.Join(names, ", "))}}
}

// FlagsOf returns the further flags of a tool, or nil.
func FlagsOf(t *Tool) Flagged {
	in, _ := inputOf[Flagged](t)
	return in
}

// StdinOf returns the field in which the word - is stdin itself, or "".
func StdinOf(t *Tool) string {
	if in := FlagsOf(t); in != nil {
		return in.Stdin()
	}
	return ""
}

// FlagAlias is a flag of a similar program that a command accepts, or refuses with
// the way to do the same here.
type FlagAlias struct {
	Name  string // without dashes; flags of one letter can be combined, as in -rn
	Field string // the field that it sets; "" for a flag that changes nothing here
	More  string // the field of further values if the flag is repeated, or ""
	Value bool   // it takes a value; otherwise it sets the field to true

	// Set, unless nil, returns the field that a value belongs to and the value for it.
	Set func(value string) (field, text string)

	// Refused is the hint of a flag that is not accepted, or only with one of the words of Accepted.
	Refused  Text
	Accepted string
}

// Flag returns the alias with a name, or nil.
func (t *Tool) Flag(name string) *FlagAlias {
	in := FlagsOf(t)
	if in == nil {
		return nil
	}
	all := in.Flags()
	if i := slices.IndexFunc(all, func(a FlagAlias) bool { return a.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}
