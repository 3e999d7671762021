// Package input converts texts, such as flags and query parameters, to the JSON that a
// schema requires.
package input

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
	"techo/tools/when"
)

// Builder converts texts to the JSON types of a schema. A text that cannot be
// converted, such as a word for a number, stays a text: the pipeline reports it
// in the same words on every interface.
type Builder struct {
	env      *tools.Env
	tool     *tools.Tool
	order    []string
	values   map[string][]string
	Problems []tools.Detail
}

// New returns an empty input for a tool.
func New(env *tools.Env, tool *tools.Tool) *Builder {
	return &Builder{env: env, tool: tool, values: map[string][]string{}}
}

// Has reports whether a field was added.
func (b *Builder) Has(field string) bool { return len(b.values[field]) > 0 }

// Report adds a problem of the field at a JSON pointer.
func (b *Builder) Report(path string, message tools.Text, args ...any) {
	b.Problems = append(b.Problems, tools.Detail{Path: path, Message: b.env.Localize(message, args...)})
}

// Add adds a value of a field.
func (b *Builder) Add(field, text string) {
	if b.values[field] == nil {
		b.order = append(b.order, field)
	}
	b.values[field] = append(b.values[field], text)
}

// JSON returns the input as a JSON object, with the fields in the order of Add.
func (b *Builder) JSON() []byte {
	var fields []jsontree.Field
	for _, name := range b.order {
		fields = append(fields, jsontree.Field{Name: name,
			Value: b.value(name, b.tool.Field(name).Schema, b.values[name])})
	}
	return jsontree.AppendObject(nil, fields)
}

func (b *Builder) value(name string, s *schema.Schema, texts []string) []byte {
	// A list of objects may be one JSON text.
	whole := len(texts) == 1 && strings.HasPrefix(strings.TrimSpace(texts[0]), "[")
	if s.Kind == schema.Array && (s.Items.Kind != schema.Object || !whole) {
		if len(texts) == 1 && texts[0] == "" && s.Items.Format != "nonblank" {
			return []byte("[]") // --tags "" clears the list, but --option "" is an option without text
		}
		var items [][]byte
		for _, t := range texts {
			items = append(items, schema.AppendValue(nil, s.Items.Kind, t))
		}
		return jsontree.AppendList(nil, items)
	}
	if len(texts) > 1 {
		b.Report("/"+name, "is given twice")
	}
	if name == "timeout" && s.Kind == schema.Integer { // a tool's timeout is in seconds: 2m is 120
		if d, err := ParseTimeout(texts[0]); err == nil && d%time.Second == 0 {
			return schema.AppendValue(nil, s.Kind, strconv.Itoa(int(d/time.Second)))
		}
	}
	return schema.AppendValue(nil, s.Kind, texts[0])
}

// ParseTimeout parses a positive duration such as 30s; a bare number is seconds.
func ParseTimeout(text string) (time.Duration, error) {
	d, err := when.ParseDuration(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("not above zero: %s", text)
	}
	return d, err
}
