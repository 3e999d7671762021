package schema

import (
	"reflect"
	"slices"
	"sync"

	"techo/tools/message"
)

// InputOf returns the schema of an input type. space is the description of a further field, the
// name of a shared space; "" means that there is no such field.
func InputOf(of reflect.Type, space message.Text) *Schema {
	return schemas.get(schemaKey{of: of, space: space})
}

// OutputOf returns the schema of a result's type.
func OutputOf(of reflect.Type) *Schema { return schemas.get(schemaKey{of: of, open: true}) }

// SpaceField is the name of the field space.
const SpaceField = "space"

// withSpace adds the field space to a schema.
func (s *Schema) withSpace(about message.Text) *Schema {
	own := *s
	field := Property{Name: SpaceField, Schema: &Schema{Kind: String, About: about, Record: SpaceField}}
	own.Properties = append(slices.Clip(own.Properties), field)
	return &own
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
	of    reflect.Type
	open  bool
	space message.Text // the description of a further field space, or ""
}

// infer returns a new schema.
func (k schemaKey) infer() *Schema {
	switch {
	case k.space != "":
		return schemas.get(schemaKey{of: k.of, open: k.open}).withSpace(k.space)
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
