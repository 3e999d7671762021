// Package tools defines techo's tools. A tool is declared once, as a Go function
// with typed input and result. Each interface (command line, MCP, HTTP, batch) calls it
// through Tool.Invoke.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"techo/tools/schema"
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
	Details Text     // help that follows More; a list of tools leaves it out, and who asks for the tool gets it
	Notes   []Note   // sentences that follow and name other commands
	For     Audience // required for each tool with a name; without it no catalogue or server offers the tool
	Effect  Effect
	World   bool // reaches beyond this machine
	InStore bool // uses only the store, so that calls may share a transaction and its sync
	Models  bool // also asks a model that the person has set, which no transaction waits for
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

	// Refused wraps the problems of an input into a sentence. Its one verb is replaced
	// by them.
	Refused Text

	Examples []Example

	// Plain means that models know the texts of the tool: a protocol whose answers are texts gives them
	// the text in place of the document.
	Plain bool

	// Forbidden checks an invalid input for a forbidden request, so that the answer is
	// "forbidden" whatever else is invalid. It ignores what it cannot parse.
	Forbidden func(env *Env, input []byte) *Error

	// When returns an error if the tool is not available in this environment. nil
	// means always available.
	When func(*Env) *Error

	// Run is the function. A package variable is a composite literal with a Func here:
	// it is part of the program's data, so that it takes no time at the start.
	Run Function
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

// Noter is a result that says what was guessed, for the last line of its text; "" for nothing. Its
// document has it as note.
type Noter interface {
	Guess() string
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
func (t *Tool) Word(i int) (field string, rest bool) { return WordOf(t.Words, i) }

// WordOf is Word for a list of words such as [Tool.Words].
func WordOf(words []string, i int) (field string, rest bool) {
	if n := len(words); n > 0 && i >= n-1 {
		if f, ok := strings.CutSuffix(words[n-1], "…"); ok {
			return f, true
		}
	}
	if i >= len(words) {
		return "", false
	}
	return words[i], false
}

// Function is the function of a tool: a Func.
type Function interface {
	// call decodes a validated input and calls the function.
	call(ctx context.Context, env *Env, input []byte) (any, error)

	// input returns the zero value of the input.
	input() any

	// types returns the types of the input and of the result.
	types() (in, out reflect.Type)
}

// Func is the function of a tool with its types, from which the schemas of the
// input and the result are inferred when they are first used.
type Func[In, Out any] func(context.Context, *Env, In) (Out, error)

func (f Func[In, Out]) call(ctx context.Context, env *Env, input []byte) (any, error) {
	var in In
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, fmt.Errorf("validated input does not fit: %w", err)
	}
	return f(ctx, env, in)
}

func (f Func[In, Out]) input() any {
	var in In
	return in
}

func (f Func[In, Out]) types() (in, out reflect.Type) {
	return reflect.TypeFor[In](), reflect.TypeFor[Out]()
}

// Input returns the schema of the tool's input.
func (t *Tool) Input() *schema.Schema {
	in, _ := t.Run.types()
	return schema.InputOf(in, t.Sharing.about())
}

// Output returns the schema of the tool's result.
func (t *Tool) Output() *schema.Schema {
	_, out := t.Run.types()
	return schema.OutputOf(out)
}

// Reader returns the input of the tool, which reads the inputs of calls.
func (t *Tool) Reader() schema.Input {
	return schema.Input{Schema: t.Input(), Tool: t.Name, MayClear: t.Effect == Changes}
}

// Field returns the property of the input with a name or an alias, or nil.
func (t *Tool) Field(name string) *schema.Property { return t.Reader().Field(name) }

// Image is an image in a result, which MCP sends as image content beside the document.
type Image struct {
	Type string // media type
	Data []byte
}

// Imager is implemented by results that may have an image. Image returns nil if there is
// none.
type Imager interface{ Image() *Image }

// Audience is the kind of caller that a tool is meant for. Catalogues and servers
// offer a caller the tools for its own audience and for all lower ones.
type Audience string

// The audiences, in ascending order.
const (
	Agents  Audience = "agent"  // a model that decides which tools to call
	Hosts   Audience = "host"   // the program that runs a model and writes its prompts
	Persons Audience = "person" // the person that both work for
)

// Enum returns the audiences, in ascending order.
func (Audience) Enum() []string { return []string{string(Agents), string(Hosts), string(Persons)} }

// rank orders the audiences. Unknown audiences have rank 0.
func (a Audience) rank() int {
	switch a {
	case Agents:
		return 1
	case Hosts:
		return 2
	case Persons:
		return 3
	}
	return 0
}

// Within returns the lower one of an audience and a ceiling.
func (a Audience) Within(ceiling Audience) Audience {
	if a.rank() < ceiling.rank() {
		return a
	}
	return ceiling
}

// Includes reports whether callers of audience a are offered the tools of another
// audience. A tool without an audience is offered to no caller.
func (a Audience) Includes(tool Audience) bool {
	return tool.rank() > 0 && tool.rank() <= a.rank()
}
