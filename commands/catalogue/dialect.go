package catalogue

import (
	"encoding/json"
	"strconv"
	"strings"

	"techo/tools"
)

// dialect is a variant of JSON Schema.
type dialect int

const (
	// plainSchema is JSON Schema 2020-12, for MCP and Anthropic.
	plainSchema dialect = iota

	// strictSchema is OpenAI's strict subset: every property is required, optional
	// ones may be null, and the description contains lengths and defaults.
	strictSchema

	// geminiSchema is Google's subset of OpenAPI: types in capitals, no default,
	// no additionalProperties, 64-bit numbers as strings.
	geminiSchema
)

// schema writes a schema in a dialect. Only strictSchema contains lists of types: if
// one tool has such a list, Gemini refuses all tools.
func (w Writer) schema(s *tools.Schema, d dialect) object {
	return w.property(s, d, false)
}

// property writes the schema of a property. nullable is set for optional properties
// in strictSchema.
func (w Writer) property(s *tools.Schema, d dialect, nullable bool) object {
	o := make(object, 0, 4)
	if s.Kind != tools.Any {
		o = append(o, entry{"type", kindName(s.Kind, d, nullable)})
	}
	if about := w.about(s, d); about != "" {
		o = append(o, entry{"description", about})
	}
	if len(s.Enum) > 0 {
		o = append(o, entry{"enum", enum(s, nullable)})
	}
	o = append(o, bounds(s, d)...)
	if s.Default != "" && d == plainSchema {
		o = append(o, entry{"default", json.RawMessage(s.Default)})
	}
	if s.Kind == tools.Array {
		o = append(o, entry{"items", w.property(s.Items, d, false)})
	}
	if s.Kind == tools.Object {
		o = append(o, w.properties(s, d)...)
	}
	return o
}

func kindName(k tools.Kind, d dialect, nullable bool) any {
	switch {
	case d == geminiSchema:
		return strings.ToUpper(string(k))
	case nullable:
		return []string{string(k), "null"}
	}
	return k
}

func enum(s *tools.Schema, nullable bool) []any {
	var values []any
	for _, v := range s.Enum {
		values = append(values, v)
	}
	if nullable {
		values = append(values, nil)
	}
	return values
}

// bounds writes the limits of a value.
func bounds(s *tools.Schema, d dialect) object {
	var o object
	number := func(name string, n int64) {
		var v any = n
		if d == geminiSchema && s.Kind != tools.Integer {
			v = strconv.FormatInt(n, 10) // Gemini's protocol encodes int64 as a string
		}
		o = append(o, entry{name, v})
	}
	length := func(name string, n int) {
		if n > 0 {
			number(name, int64(n))
		}
	}
	if s.Minimum != nil {
		number("minimum", *s.Minimum)
	}
	if s.Maximum != nil {
		number("maximum", *s.Maximum)
	}
	if d != strictSchema {
		length("minLength", s.MinLength)
		length("maxLength", s.MaxLength)
	}
	length("minItems", s.MinItems)
	length("maxItems", s.MaxItems)
	return o
}

// about returns the description of a schema, with the limits and the default that a
// dialect has no keyword for.
func (w Writer) about(s *tools.Schema, d dialect) string {
	text := w.env.Localize(s.About)
	var extra []string
	if d == strictSchema && s.Kind == tools.String {
		extra = append(extra, w.length(s)...)
	}
	if d != plainSchema && s.Default != "" {
		extra = append(extra, w.env.Localize("default: %s", s.Default))
	}
	if len(extra) == 0 {
		return text
	}
	return strings.TrimSpace(text + " (" + strings.Join(extra, "; ") + ")")
}

// length describes the limits of a text's length. A minimum alone, which is usually
// "not empty", is left out.
func (w Writer) length(s *tools.Schema) []string {
	switch {
	case s.MaxLength == 0:
		return nil
	case s.MinLength == 0:
		return []string{w.env.Localize("at most %d characters", s.MaxLength)}
	}
	return []string{w.env.Localize("%d to %d characters", s.MinLength, s.MaxLength)}
}

// properties writes the fields of an object.
func (w Writer) properties(s *tools.Schema, d dialect) object {
	fields := make(object, 0, len(s.Properties))
	required, order := []string{}, make([]string, 0, len(s.Properties))
	for _, p := range s.Properties {
		optional := !p.Required
		if p.Required || d == strictSchema {
			required = append(required, p.Name)
		}
		order = append(order, p.Name)
		fields = append(fields, entry{p.Name, w.property(p.Schema, d, optional && d == strictSchema)})
	}
	o := object{{"properties", fields}}
	if len(required) > 0 || d == strictSchema {
		o = append(o, entry{"required", required})
	}
	switch {
	case d == geminiSchema:
		o = append(o, entry{"propertyOrdering", order})
	case !s.Open:
		o = append(o, entry{"additionalProperties", false})
	case s.Items != nil && s.Items.Kind != tools.Any:
		o = append(o, entry{"additionalProperties", w.property(s.Items, d, false)})
	}
	return o
}
