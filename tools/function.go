package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"techo/tools/schema"
)

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
