// Package tools defines techo's tools. A tool is declared once, as a Go function
// with typed input and result. Each interface (command line, MCP, HTTP, batch) calls it
// through Tool.Invoke.
package tools

import (
	"context"
	"slices"
	"strings"
)

// Effect is the kind of change that a tool makes. It decides how the store is
// opened, how protocols annotate the tool, and whether an idempotency key makes
// sense.
type Effect int

// The effects.
const (
	Reads   Effect = iota // changes nothing
	Adds                  // creates something; calling twice creates two
	Changes               // changes something that exists; idempotent
	Removes               // deletes; idempotent
	Asks                  // asks the person
)

// Tool is one function of techo.
type Tool struct {
	Name        string   // name for agents; empty for commands of the shell alone
	Remote      string   // of a command without a name that also works through a server: its name there
	Command     string   // command in a shell, such as "memo add"
	HelpCommand string   // the command whose help explains the input, if not Command
	Aliases     []string // further commands with the same effect

	// ExactVerb: other words for the verb do not call the tool, such as "delete" for
	// "remove".
	ExactVerb bool

	About   Text     // one line
	More    Text     // further help for models and persons
	For     Audience // required for each tool with a name; without it no catalogue or server offers the tool
	Effect  Effect
	World   bool // reaches beyond this machine
	InStore bool // uses only the store, so that calls may share a transaction and its sync
	Sharing Sharing

	// Calendars are the fields that name a calendar of the call's place or, as in
	// team/default, of a shared space. The tool gets names of one place.
	Calendars []string

	// Preapproved permits a skill to let an agent's shell run the command without
	// confirmation. Set it only if no flag and no setting of the command can write
	// anything, read a file or choose the address of a request.
	Preapproved bool

	// Words are the fields that positional arguments fill, in order. The last may end
	// in "…" and then takes all remaining arguments.
	Words []string

	// Stdin is the field in which the word - is stdin itself: the tool reads Env.Stdin. In
	// other fields that word is replaced by the content of stdin.
	Stdin string

	// Flags lists further flags of the command line, for users of similar programs.
	// nil means no flags.
	Flags func() []FlagAlias

	// Refused wraps the problems of an input into a sentence. Its one verb is replaced
	// by them.
	Refused Text

	Examples []Example

	// Elsewhere reports whether another service runs the call and handles its
	// idempotency key. nil means that no service does.
	Elsewhere func(context.Context, *Env, []byte) bool

	// Here reports whether a call uses files of the caller's machine instead of the store,
	// so that the client of a server runs it itself. nil means never.
	Here func(env *Env, input []byte) bool

	// Verbatim reports whether the text of a result is the bytes of something that the call
	// asked for, which a pipe gets unchanged. nil means never: control characters become
	// visible.
	Verbatim func(input []byte) bool

	// Forbidden checks an invalid input for a forbidden request, so that the answer is
	// "forbidden" whatever else is invalid. It ignores what it cannot parse.
	Forbidden func(env *Env, input []byte) *Error

	// When returns an error if the tool is not available in this environment. nil
	// means always available.
	When func(*Env) *Error

	// Join, unless nil, combines the values of a field whose flag was repeated into
	// one. It returns false if the field takes one value only.
	Join func(field string, values []string) (string, bool)

	// Run is the function. A package variable is a composite literal with a Func here:
	// it is part of the program's data, so that it takes no time at the start.
	Run Function
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

	// Refused is the hint of a flag that is not accepted.
	Refused Text
}

// Flag returns the alias with a name, or nil.
func (t *Tool) Flag(name string) *FlagAlias {
	if t.Flags == nil {
		return nil
	}
	all := t.Flags()
	if i := slices.IndexFunc(all, func(a FlagAlias) bool { return a.Name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Example is a command line with a description. A test runs the examples of all
// tools in order.
type Example struct {
	Does Text
	Line string // without the program's name
}

// Texter is a result with its own text form. Other results show their message.
type Texter interface {
	Text(*Env) string
}

// Outcomer is a result that sets the exit code of a process although the call
// succeeded: the exit code of the error code that Outcome returns.
type Outcomer interface {
	Outcome() Code // "" means exit code 0
}

// Define returns a tool that is made when the program runs. Call it for no package
// variable.
func Define[In, Out any](t Tool, fn func(context.Context, *Env, In) (Out, error)) *Tool {
	t.Run = Func[In, Out](fn)
	return &t
}

// Word returns the field that the i-th positional argument fills, and whether the
// field takes all remaining arguments. field is "" for an excess argument.
func (t *Tool) Word(i int) (field string, rest bool) {
	if n := len(t.Words); n > 0 && i >= n-1 {
		if f, ok := strings.CutSuffix(t.Words[n-1], "…"); ok {
			return f, true
		}
	}
	if i >= len(t.Words) {
		return "", false
	}
	return t.Words[i], false
}
