// Package schema has the schemas of inputs and results, which it infers from Go types. It
// converts and validates inputs.
package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"techo/internal/sorting"
	"techo/tools/jsontree"
	"techo/tools/message"
)

// Kind is a JSON type.
type Kind string

// The kinds of a schema. No kind allows null; a null in an optional field means
// that the field is not given.
const (
	Object  Kind = "object"
	Array   Kind = "array"
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Any     Kind = "" // any JSON value
)

// Schema describes a tool's input or result. It is inferred from a struct. The tags
// have the names of JSON Schema where it has one:
//
//	json:"name,omitempty"        the field; omitempty, a pointer or a default make it optional
//	doc:"…"                      description
//	minimum:"1" maximum:"5"      bounds of a number
//	minLength:"1" maxLength:"5"  bounds of a text's length in characters
//	minItems:"1" maxItems:"3"    bounds of an array's length
//	enum:"a,b"                   the allowed values of a text
//	default:"10"                 the value of a missing field
//	asked:"true"                 the schema that a model reads requires it, so that a model chooses; others get the default
//	format:"nonblank"            a text with a visible character; minLength is 1 by default
//	format:"name"                likewise, and without control characters
//	allowSingle:"true"           an array of one text may be given as that text
//	allowNumber:"true"           a text may be given as a number: 30 for "30"
//	alternatives:"true"          a pattern; commas separate alternatives: *.py,*.js is {*.py,*.js}
//	orText:"email"               an object of an array may be given as the text of this field
//	requiredUnless:"a,b"         required, or asked, unless a or b is given; of an embedded struct: what it requires or asks
//	record:"event"               a text is the id, or else the name, of a record of this kind
//	list:"-"                     a list of tools leaves the field out; who asks for the tool gets it
//	list:"bare"                  a list of tools has the field without its description, which the name says
//
// A field of a result can have a rule for compact results, which are without empty fields:
//
//	compact:"keep"               it is there even if it is empty: the list that a tool is named for
//	compact:"-"                  an item of a list does without it: a choice does not need it
//	compact:"0"                  an item of a list does without it if it is 0
//	compact:"=name"              an item of a list does without it if it equals this field
//	compact:"day"                an item of a list has the day of a time
//	compact:"time=name"          an item of a list has the time alone (11:00) if this field has its day and zone
//
// The constraints of numbers and texts apply to each element of an array.
type Schema struct {
	Kind        Kind
	About       message.Text
	Minimum     *int64 // of a number
	Maximum     *int64
	MinLength   int // of a text, in characters
	MaxLength   int // 0 means unlimited
	MinItems    int // of an array
	MaxItems    int // 0 means unlimited
	AllowSingle bool
	AllowNumber bool

	Alternatives bool   // of a pattern
	OrText       string // an object may be given as the text of this field; "" means it may not
	Enum         []string
	Label        func(text string) string // the value of Enum that another name means, "" for none; nil without such names
	Compact      string                   // the rule for compact results
	Record       string                   // the kind of record that a text names; "" for other texts
	List         string                   // what a list of tools has of the field: "", "bare" or "-"
	Format       string                   // of a text: "", "nonblank" or "name"; of an integer: "" or "minutes"
	Default      string                   // a JSON value; "" means no default
	Items        *Schema                  // of an array's elements or a map's values
	Properties   []Property               // of an object
	Open         bool                     // an object may have other properties
}

// Property is one field of an object.
type Property struct {
	Name           string
	Required       bool
	RequiredUnless []string // not required if one of these fields is given
	Asked          bool     // required in the schema for models, in spite of a default
	*Schema
}

// Stays reports whether compact results always have the field of a result.
func (p *Property) Stays() bool {
	return p.StaysEmpty() || p.Compact == "" && (p.Kind == Integer || p.Kind == Number)
}

// StaysEmpty reports whether compact results have the field also if it is empty.
func (p *Property) StaysEmpty() bool {
	if p.Compact != "" {
		return p.Compact == "keep"
	}
	return slices.Contains([]string{"message", "total", "count", "truncated", "status", "available", "id"}, p.Name) ||
		strings.HasSuffix(p.Name, "_id")
}

// Property returns the property with a name, or nil.
func (s *Schema) Property(name string) *Property {
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return &s.Properties[i]
		}
	}
	return nil
}

// sort puts the fields of an object into the order of the schema, after the
// unknown fields. Equal inputs thereby have equal digests and report problems in
// the same order.
func (s *Schema) sort(members []jsontree.Member) {
	place := func(name string) int {
		return slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
	}
	sorting.By(members, func(a, b jsontree.Member) int {
		if c := place(a.Name) - place(b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
}

// Names returns the names of all properties.
func (s *Schema) Names() []string {
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	return names
}

// infer returns the schema of a type. It panics on an invalid declaration, which
// is a bug in the tool.
func infer(t reflect.Type, open bool) *Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return infer(t.Elem(), open)
	case reflect.String:
		s := &Schema{Kind: String}
		if t != reflect.TypeFor[string]() {
			if e, ok := reflect.Zero(t).Interface().(enumerated); ok {
				s.Enum = e.Enum()
				if l, ok := e.(labelled); ok {
					s.Label = l.Label
				}
			}
		}
		return s
	case reflect.Bool:
		return &Schema{Kind: Boolean}
	case reflect.Int, reflect.Int64:
		return inferInteger(open)
	case reflect.Float64:
		return &Schema{Kind: Number}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 { // json.RawMessage
			return &Schema{Kind: Any}
		}
		return &Schema{Kind: Array, Items: infer(t.Elem(), open)}
	case reflect.Map:
		return &Schema{Kind: Object, Open: true, Items: infer(t.Elem(), open)}
	case reflect.Interface:
		return &Schema{Kind: Any}
	case reflect.Struct:
		s := *schemas.get(schemaKey{of: t, open: open}) // the caller sets About
		return &s
	}
	panic(fmt.Sprintf("tools: no schema for %v", t))
}

// inferStruct returns the schema of a struct, which the caller must not change. The
// fields of an embedded struct come in its place, as in encoding/json.
func inferStruct(t reflect.Type, open bool) *Schema {
	s := &Schema{Kind: Object, Open: open, Properties: make([]Property, 0, t.NumField())}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Tag == "" || strings.HasPrefix(string(f.Tag), "requiredUnless:")) {
			s.embed(f, open)
			continue
		}
		if !f.IsExported() || strings.HasPrefix(string(f.Tag), `json:"-"`) {
			continue
		}
		s.add(f, field(f, open))
	}
	for _, p := range s.Properties {
		for _, other := range p.RequiredUnless {
			if s.Property(other) == nil {
				panic(fmt.Sprintf("tools: field %s: requiredUnless:%q names no field", p.Name, other))
			}
		}
	}
	return s
}

// embed adds the fields of an embedded struct, which are optional if it is a pointer.
// A field of the outer struct that comes before a pointer hides one of the same name.
func (s *Schema) embed(f reflect.StructField, open bool) {
	of, optional := f.Type, f.Type.Kind() == reflect.Pointer
	if optional {
		of = of.Elem()
	}
	others := readTags(f.Name, f.Tag).get("requiredUnless")
	for _, p := range schemas.get(schemaKey{of: of, open: open}).Properties {
		if optional && s.Property(p.Name) != nil {
			continue
		}
		if others != "" && (p.Required || p.Asked) {
			p.RequiredUnless = strings.Split(others, ",")
		}
		p.Required = p.Required && !optional
		s.add(f, p)
	}
}

// add adds a property, which must have a name of its own.
func (s *Schema) add(f reflect.StructField, p Property) {
	if p.Name == "" || s.Property(p.Name) != nil {
		panic(fmt.Sprintf("tools: field %s: no name of its own", f.Name))
	}
	s.Properties = append(s.Properties, p)
}

// enumerated is a string type with a list of allowed values, for lists that are
// too long for the enum tag of each field.
type enumerated interface{ Enum() []string }

// labelled is an enumerated type whose values have other names as well.
type labelled interface{ Label(text string) string }

// tagged is a type with tags that all fields of the type have, for lines that would
// be too long.
type tagged interface{ FieldTags() reflect.StructTag }

// fieldTags are the allowed struct tags.
var fieldTags = []string{"json", "doc", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "enum",
	"default", "asked", "format", "compact", "allowSingle", "allowNumber", "alternatives", "orText", "requiredUnless",
	"record", "list"}

func field(f reflect.StructField, open bool) Property {
	tags := readTags(f.Name, f.Tag)
	if f.Type.Implements(reflect.TypeFor[tagged]()) {
		t := reflect.Zero(f.Type).Interface().(tagged)
		tags = append(tags, readTags(f.Name, t.FieldTags())...)
	}
	name, opts, _ := strings.Cut(tags.get("json"), ",")
	s := infer(f.Type, open)
	p := Property{Name: name, Schema: s}
	s.About = message.Text(tags.get("doc"))
	s.Default = tags.get("default")
	p.Required = opts != "omitempty" && opts != "omitzero" && s.Default == "" && f.Type.Kind() != reflect.Pointer
	if others := tags.get("requiredUnless"); others != "" {
		p.Required, p.RequiredUnless = s.Default == "", strings.Split(others, ",")
	}
	p.Asked = tags.get("asked") == "true"
	if s.Default != "" && s.Kind == String {
		s.Default = string(jsontree.AppendText(nil, s.Default))
	}
	s.Compact = tags.get("compact")
	s.List = tags.get("list")
	s.AllowSingle = tags.get("allowSingle") == "true"
	s.AllowNumber = tags.get("allowNumber") == "true"
	s.Alternatives = tags.get("alternatives") == "true"
	if text := tags.get("orText"); text != "" {
		s.Items.OrText = text
	}
	s.constrain(f, tags)
	if s.Default != "" && !s.fitsDefault() {
		panic(fmt.Sprintf("tools: field %s: default:%q", f.Name, tags.get("default")))
	}
	return p
}

// constrain applies the tags that limit the values of a field. Those of numbers and
// texts apply to the elements of an array.
func (s *Schema) constrain(f reflect.StructField, tags tags) {
	element := s
	if s.Items != nil {
		element = s.Items
	}
	nonempty := false
	for i := 0; i < len(tags); i += 2 {
		switch name, text := tags[i], tags[i+1]; name {
		case "minimum":
			element.Minimum = number(f, name, text, element.Kind, Integer, Number)
		case "maximum":
			element.Maximum = number(f, name, text, element.Kind, Integer, Number)
		case "minLength":
			element.MinLength, nonempty = length(f, name, text, element.Kind, String), true
		case "maxLength":
			element.MaxLength = length(f, name, text, element.Kind, String)
		case "minItems":
			s.MinItems = length(f, name, text, s.Kind, Array)
		case "maxItems":
			s.MaxItems = length(f, name, text, s.Kind, Array)
		case "record":
			element.Record = text
		case "enum":
			element.Enum = strings.Split(text, ",")
		case "format":
			element.Format = text
			if minutes := text == "minutes"; minutes != (element.Kind == Integer) ||
				!minutes && text != "nonblank" && text != "name" {
				panic(fmt.Sprintf("tools: field %s: format:%q", f.Name, text))
			}
		}
	}
	if element.Format != "" && element.Kind == String && !nonempty {
		element.MinLength = 1
	}
}

// MaxInteger is the largest integer that all JSON parsers read exactly: 2^53-1
// (RFC 8259, section 6).
const MaxInteger = 1<<53 - 1

// inferInteger makes the schema of an integer. An input is limited to integers
// that JSON carries exactly. These bounds are part of the exported schema, so that
// a caller that validates against it sends nothing that techo refuses.
func inferInteger(open bool) *Schema {
	s := &Schema{Kind: Integer}
	if !open {
		low, high := int64(-MaxInteger), int64(MaxInteger)
		s.Minimum, s.Maximum = &low, &high
	}
	return s
}

// tags are the struct tags of a field, as name, text, name, text.
type tags []string

func (t tags) lookup(name string) (text string, ok bool) {
	for i := 0; i < len(t); i += 2 {
		if t[i] == name {
			return t[i+1], true
		}
	}
	return "", false
}

func (t tags) get(name string) string {
	text, _ := t.lookup(name)
	return text
}

// readTags parses all tags of a field in one pass. reflect.StructTag.Get would scan
// the long doc texts once per tag.
func readTags(field string, tag reflect.StructTag) tags {
	found := make(tags, 0, 8)
	for rest := strings.TrimSpace(string(tag)); rest != ""; rest = strings.TrimSpace(rest) {
		name, value, _ := strings.Cut(rest, ":")
		text, length, ok := quoted(value)
		if !ok || !slices.Contains(fieldTags, name) {
			panic(fmt.Sprintf("tools: field %s: unknown tag %q", field, name))
		}
		found = append(found, name, text)
		rest = value[length:]
	}
	return found
}

// quoted returns the text of the Go string with which value begins, and its length.
func quoted(value string) (text string, length int, ok bool) {
	if value == "" {
		return "", 0, false
	}
	if end := strings.IndexByte(value[1:], '"'); value[0] == '"' && end >= 0 {
		if text = value[1 : 1+end]; strings.IndexByte(text, '\\') < 0 { // as nearly all are
			return text, end + 2, true
		}
	}
	whole, err := strconv.QuotedPrefix(value)
	text, _ = strconv.Unquote(whole) // QuotedPrefix has checked it
	return text, len(whole), err == nil
}

// number parses the number of a tag. It panics if the tag does not apply to the kind
// of value.
func number(f reflect.StructField, name, text string, of Kind, kinds ...Kind) *int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !slices.Contains(kinds, of) {
		panic(fmt.Sprintf("tools: field %s: %s:%q", f.Name, name, text))
	}
	return &n
}

func length(f reflect.StructField, name, text string, of, kind Kind) int {
	return int(*number(f, name, text, of, kind))
}

// fitsDefault reports whether the default is valid under the schema.
func (s *Schema) fitsDefault() bool {
	v := &validator{words: message.English}
	n, err := jsontree.Parse([]byte(s.Default))
	if err == nil {
		v.check("", s, n)
	}
	return err == nil && len(v.problems) == 0
}

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
	field := Property{Name: SpaceField, Schema: &Schema{Kind: String, About: about, Record: SpaceField, List: "-"}}
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
