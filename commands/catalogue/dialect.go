package catalogue

import (
	"slices"
	"strconv"
	"strings"

	"techo/tools/jsontree"
	"techo/tools/schema"
)

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

// exported is the schema of a value in a dialect. appendJSON writes it.
type exported struct {
	w       Writer
	of      *schema.Schema
	dialect dialect
}

// append appends the schema as JSON. Only strictSchema contains lists of types: if
// one tool has such a list, Gemini refuses all tools.
func (s exported) append(b []byte) []byte {
	return s.w.appendSchema(b, s.of, s.dialect, false)
}

// appendSchema appends the schema of a value. nullable is set for optional properties
// in strictSchema. A catalogue has a thousand of these schemas, so they are written
// without values in between.
func (w Writer) appendSchema(b []byte, s *schema.Schema, d dialect, nullable bool) []byte {
	b = append(b, '{')
	if d == geminiSchema && s.Kind == schema.Object && len(s.Properties) == 0 { // Gemini refuses it; JSON as text does
		s = &schema.Schema{Kind: schema.String, About: s.About}
	}
	if s.Kind != schema.Any {
		b = appendKind(appendName(b, "type"), s.Kind, d, nullable)
	}
	if about := w.about(s, d); about != "" {
		b = jsontree.AppendText(appendName(b, "description"), about)
	}
	if len(s.Enum) > 0 {
		b = appendTexts(appendName(b, "enum"), s.Enum)
		if nullable {
			b = append(b[:len(b)-1], ",null]"...)
		}
	}
	b = w.appendBounds(b, s, d)
	if s.Default != "" && d == plainSchema {
		b = append(appendName(b, "default"), s.Default...)
	}
	if s.Kind == schema.Array {
		b = w.appendSchema(appendName(b, "items"), s.Items, d, false)
	}
	if s.Kind == schema.Object && !(w.brief() && len(s.Properties) == 0 && s.Open) {
		b = w.appendProperties(b, s, d)
	}
	return append(b, '}')
}

func appendKind(b []byte, k schema.Kind, d dialect, nullable bool) []byte {
	switch {
	case d == geminiSchema:
		return jsontree.AppendText(b, strings.ToUpper(string(k)))
	case nullable:
		return appendTexts(b, []string{string(k), "null"})
	}
	return jsontree.AppendText(b, string(k))
}

const (
	// longText is a length in characters that no text of a model reaches by chance.
	longText = 32

	// fewThings is a number that a model may exceed without a reason.
	fewThings = 100
)

// appendBounds appends the limits of a value. A brief list leaves out those that say nothing to a model: a
// text that is not empty or not very long, a number that is at least one or not very large.
func (w Writer) appendBounds(b []byte, s *schema.Schema, d dialect) []byte {
	number := func(name string, n int64) {
		b = appendName(b, name)
		if d == geminiSchema && s.Kind != schema.Integer { // Gemini's protocol encodes int64 as a string
			b = jsontree.AppendText(b, strconv.FormatInt(n, 10))
		} else {
			b = strconv.AppendInt(b, n, 10)
		}
	}
	length := func(name string, n int) {
		if n > 0 {
			number(name, int64(n))
		}
	}
	bound := func(name string, n *int64) {
		if n != nil {
			number(name, *n)
		}
	}
	if w.brief() {
		if s.Maximum != nil && *s.Maximum <= fewThings {
			bound("minimum", s.Minimum)
			bound("maximum", s.Maximum)
		} else if s.Minimum != nil && *s.Minimum > 1 {
			bound("minimum", s.Minimum)
		}
	} else {
		bound("minimum", s.Minimum)
		bound("maximum", s.Maximum)
	}
	if d != strictSchema {
		if !w.brief() || s.MinLength > 1 {
			length("minLength", s.MinLength)
		}
		if !w.brief() || s.MaxLength <= longText {
			length("maxLength", s.MaxLength)
		}
	}
	length("minItems", s.MinItems)
	length("maxItems", s.MaxItems)
	return b
}

// about returns the description of a schema, with the limits and the default that a
// dialect has no keyword for.
func (w Writer) about(s *schema.Schema, d dialect) string {
	text := w.env.Localize(s.About)
	if w.brief() && s.List == "bare" {
		text = ""
	}
	var extra []string
	if d == strictSchema && s.Kind == schema.String {
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
func (w Writer) length(s *schema.Schema) []string {
	switch {
	case s.MaxLength == 0:
		return nil
	case s.MinLength == 0:
		return []string{w.env.Localize("at most %d characters", s.MaxLength)}
	}
	return []string{w.env.Localize("%d to %d characters", s.MinLength, s.MaxLength)}
}

func (w Writer) appendProperties(b []byte, s *schema.Schema, d dialect) []byte {
	b = append(appendName(b, "properties"), '{')
	var required []string
	listed := func(name string) bool {
		p := s.Property(name)
		return p != nil && !(w.brief() && p.List == "-")
	}
	for _, p := range s.Properties {
		if !listed(p.Name) {
			continue
		}
		needed := p.Asked || p.Required
		if (d == strictSchema || !w.brief()) && slices.ContainsFunc(p.RequiredUnless, listed) {
			needed = false // a brief list shows the form of a call that most need
		}
		if needed && (!s.Open || !w.list.Compact || p.Stays()) || d == strictSchema {
			required = append(required, p.Name)
		}
		of := p.Schema
		if p.Asked {
			chosen := *of
			chosen.Default, of = "", &chosen
		}
		b = w.appendSchema(appendName(b, p.Name), of, d, !needed && d == strictSchema)
	}
	b = append(b, '}')
	if len(required) > 0 || d == strictSchema {
		b = appendTexts(appendName(b, "required"), required)
	}
	switch {
	case d == geminiSchema:
		return appendTexts(appendName(b, "propertyOrdering"), s.Names())
	case !s.Open && w.brief() && d == plainSchema: // the tool may have more fields
	case !s.Open:
		return append(appendName(b, "additionalProperties"), "false"...)
	case s.Items != nil && s.Items.Kind != schema.Any:
		return w.appendSchema(appendName(b, "additionalProperties"), s.Items, d, false)
	}
	return b
}

// appendName appends the name of a member to an unfinished object, after a comma if it
// is not the first.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(jsontree.AppendText(b, name), ':')
}

func appendTexts(b []byte, texts []string) []byte { return appendList(b, texts, jsontree.AppendText) }

func appendList[T any](b []byte, items []T, add func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, item)
	}
	return append(b, ']')
}
