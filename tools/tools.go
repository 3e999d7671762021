// Package tools is the contract between what techo can do and whoever asks for
// it: a tool is defined once, and every face calls it through the one Invoke.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Effect is what a tool does to the world. It decides how the store is opened,
// what a protocol is told, and whether an idempotency key makes sense.
type Effect int

// The effects.
const (
	Reads   Effect = iota // changes nothing
	Adds                  // makes something new; twice makes two
	Changes               // changes what is there; twice is as once
	Removes               // destroys; twice is as once
	Asks                  // asks the person
)

// Tool is one thing that techo can do.
type Tool struct {
	Name    string   // what an agent calls it; empty when it is for a shell alone
	Command string   // what a shell calls it, "memo add"
	Aliases []string // other commands for it
	About   Say      // one line
	More    Say      // what else a model or a person should know
	Effect  Effect
	World   bool // it reaches beyond this machine
	InStore bool // it works on the store alone, so that calls may share a sync

	// Words are the fields that may be given as words, in this order. One that
	// ends in "…" takes all words that are left.
	Words []string

	// Refused wraps the faults of an input into the sentence that the tool
	// answers with; its one verb takes what is wrong.
	Refused Say

	Examples []Example

	// Elsewhere reports whether another service does the call, and keeps its
	// idempotency key; nil is that none does.
	Elsewhere func(context.Context, *Env, []byte) bool

	// Forbidden, when set, is asked about an input that is to be refused: what
	// is forbidden is so whatever else is wrong. It reads what it can.
	Forbidden func(env *Env, input []byte) *Error

	// When says why the tool is not to be had here; nil is that it is.
	When func(*Env) *Error

	in, out func() *Schema
	run     func(context.Context, *Env, []byte) (any, error)
}

// Example is a command line that does what its comment says. A test runs it,
// after those before it.
type Example struct {
	Does Say
	Line string // without the program's name
}

// Texter is a result that reads better in lines than as its message.
type Texter interface {
	Text(*Env) string
}

// Outcomer is a result that a process ends with another exit code than 0 for,
// though nothing failed: with that of an error of the code that it returns.
type Outcomer interface {
	Outcome() Code // "" is 0
}

// Define completes a tool with its function. The schemas of its input and its
// result are inferred from In and Out, when they are first asked for.
func Define[In, Out any](t Tool, fn func(context.Context, *Env, In) (Out, error)) *Tool {
	t.in = sync.OnceValue(func() *Schema { return infer(reflect.TypeFor[In](), false) })
	t.out = sync.OnceValue(func() *Schema { return infer(reflect.TypeFor[Out](), true) })
	t.run = func(ctx context.Context, env *Env, raw []byte) (any, error) {
		var in In
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, fmt.Errorf("validated input does not fit: %w", err)
		}
		return fn(ctx, env, in)
	}
	return &t
}

// Input returns the schema of the tool's input.
func (t *Tool) Input() *Schema { return t.in() }

// Output returns the schema of the tool's result.
func (t *Tool) Output() *Schema { return t.out() }

// Word returns the field that the i-th word gives, and whether it takes all
// words from there on. The field is "" when there is none.
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
