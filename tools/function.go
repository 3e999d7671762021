package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
)

// Function is the function of a tool: a Func.
type Function interface {
	// call decodes a validated input and calls the function.
	call(ctx context.Context, env *Env, input []byte) (any, error)

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

func (f Func[In, Out]) types() (in, out reflect.Type) {
	return reflect.TypeFor[In](), reflect.TypeFor[Out]()
}

// Input returns the schema of the tool's input.
func (t *Tool) Input() *Schema {
	in, _ := t.Run.types()
	return schemas.get(schemaKey{in, false, t.Sharing})
}

// Output returns the schema of the tool's result.
func (t *Tool) Output() *Schema {
	_, out := t.Run.types()
	return schemas.get(schemaKey{of: out, open: true})
}

// schemas has the schemas that were used in this process. Many tools have results
// of the same type.
var schemas schemaCache

type schemaCache struct {
	mu  sync.RWMutex
	all map[schemaKey]*Schema
}

// schemaKey is everything that a schema is inferred from. It does not embed the
// reflect.Type: it would have the methods Method and MethodByName, for which the
// linker keeps all methods of the program.
type schemaKey struct {
	of      reflect.Type
	open    bool
	sharing Sharing
}

// infer returns a new schema.
func (k schemaKey) infer() *Schema {
	switch {
	case k.sharing != NotShared:
		return schemas.get(schemaKey{of: k.of, open: k.open}).withSpace(k.sharing)
	case k.of.Kind() == reflect.Struct:
		return inferStruct(k.of, k.open)
	}
	return infer(k.of, k.open)
}

// get returns a schema, which the caller must not change.
func (c *schemaCache) get(key schemaKey) *Schema {
	c.mu.RLock()
	s := c.all[key]
	c.mu.RUnlock()
	if s != nil {
		return s
	}
	s = key.infer()
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.all[key]; first != nil { // inferred by another goroutine meanwhile
		return first
	}
	if c.all == nil {
		c.all = map[schemaKey]*Schema{}
	}
	c.all[key] = s
	return s
}
