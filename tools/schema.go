package tools

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// Schema describes a tool's input or result. It is inferred from a struct:
//
//	json:"name,omitempty"   the field; omitempty, a pointer or a default make it optional
//	doc:"…"                 description
//	min:"1" max:"5"         a number's bounds, or a text's length in characters
//	least:"1" most:"3"      an array's length; the tool itself enforces most
//	enum:"a,b"              the allowed values of a text, or of an array's texts
//	default:"10"            the value of a missing field
//	text:"filled"           a text with a visible character, or ""
//	text:"name"             likewise, and without control characters
//	lone:"true"             an array of one text may be given as that text
//	unless:"a,b"            required unless a or b is given
//
// The constraints of an array of texts or numbers apply to each element.
type Schema struct {
	Kind       Kind
	About      Text
	Min, Max   *int64
	Least      int
	Most       int // a JSON value; "" means no default
	Lone       bool
	Enum       []string
	Text       string  // of an array's elements or a map's values
	Default    string  // a JSON value, or ""
	Items      *Schema // an object may have other properties
	Properties []Property
	Open       bool // Property is one field of an object.
}

// not required if one of these fields is given
type Property struct {
	Name     string
	Required bool
	Unless   []string // Property returns the property with a name, or nil.
	*Schema
}

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
func (s *Schema) sort(members []member) {
	place := func(name string) int {
		return slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
	}
	slices.SortStableFunc(members, func(a, b member) int {
		if c := place(a.name) - place(b.name); c != 0 {
			return c
		}
		return strings.Compare(a.name, b.name)
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
		s := &Schema{Kind: Object, Open: open}
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() || f.Tag.Get("json") == "-" {
				continue
			}
			p := field(f, open)
			if p.Name == "" || s.Property(p.Name) != nil {
				panic(fmt.Sprintf("tools: field %s: no name of its own", f.Name))
			}
			s.Properties = append(s.Properties, p)
		}
		for _, p := range s.Properties {
			for _, other := range p.Unless {
				if s.Property(other) == nil {
					panic(fmt.Sprintf("tools: field %s: unless:%q names no field", p.Name, other))
				}
			}
		}
		return s
	}
	panic(fmt.Sprintf("tools: no schema for %v", t))
}

// enumerated is a string type with a list of allowed values, for lists that are
// too long for the enum tag of each field.
type enumerated interface{ Enum() []string }

// fieldTags are the allowed struct tags.
var fieldTags = []string{"json", "doc", "min", "max", "least", "most", "enum", "default", "unless", "lone", "text"}

func field(f reflect.StructField, open bool) Property {
	tags := readTags(f)
	name, opts, _ := strings.Cut(tags.get("json"), ",")
	s := infer(f.Type, open)
	p := Property{Name: name, Schema: s}
	s.About = Text(tags.get("doc"))
	s.Default = tags.get("default")
	p.Required = opts != "omitempty" && opts != "omitzero" && s.Default == "" && f.Type.Kind() != reflect.Pointer
	if u := tags.get("unless"); u != "" {
		p.Required, p.Unless = true, strings.Split(u, ",")
	}
	if s.Default != "" && s.Kind == String {
		s.Default = string(appendText(nil, s.Default))
	}
	if least := tags.bound(f, "least"); least != nil {
		s.Least = int(*least)
	}
	if most := tags.bound(f, "most"); most != nil {
		s.Most = int(*most)
	}
	s.Lone = tags.get("lone") == "true"
	element := s
	if s.Items != nil {
		element = s.Items
	}
	if low := tags.bound(f, "min"); low != nil {
		element.Min = low
	}
	if high := tags.bound(f, "max"); high != nil {
		element.Max = high
	}
	element.Text = tags.get("text")
	if !slices.Contains([]string{"", "filled", "name"}, element.Text) {
		panic(fmt.Sprintf("tools: field %s: text:%q", f.Name, element.Text))
	}
	if e := tags.get("enum"); e != "" {
		element.Enum = strings.Split(e, ",")
	}
	if s.Default != "" && !s.fitsDefault() {
		panic(fmt.Sprintf("tools: field %s: default:%q", f.Name, tags.get("default")))
	}
	return p
}

// maxInteger is the largest integer that all JSON parsers read exactly: 2^53-1
// (RFC 8259, section 6).
const maxInteger = 1<<53 - 1

// inferInteger makes the schema of an integer. An input is limited to integers
// that JSON carries exactly, and the exported schema says so: a caller that
// validates against it sends nothing that techo refuses.
func inferInteger(open bool) *Schema {
	s := &Schema{Kind: Integer}
	if !open {
		low, high := int64(-maxInteger), int64(maxInteger)
		s.Min, s.Max = &low, &high
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

// readTags parses all tags in one pass. reflect.StructTag.Get would scan the long
// doc texts once per tag.
func readTags(f reflect.StructField) tags {
	found := make(tags, 0, 8)
	for rest := strings.TrimSpace(string(f.Tag)); rest != ""; rest = strings.TrimSpace(rest) {
		name, value, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || !slices.Contains(fieldTags, name) {
			panic(fmt.Sprintf("tools: field %s: unknown tag %q", f.Name, name))
		}
		text, _ := strconv.Unquote(quoted) // QuotedPrefix has checked it
		found = append(found, name, text)
		rest = value[len(quoted):]
	}
	return found
}

// bound parses a number, nil if there is no such tag.
func (t tags) bound(f reflect.StructField, name string) *int64 {
	text, ok := t.lookup(name)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("tools: field %s: %s:%q", f.Name, name, text))
	}
	return &n
}

// fitsDefault reports whether the default is valid under the schema.
func (s *Schema) fitsDefault() bool {
	v := &validator{env: &Env{}}
	n, err := parse([]byte(s.Default))
	if err == nil {
		v.check("", s, n)
	}
	return err == nil && len(v.problems) == 0
}
