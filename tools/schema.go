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

// The kinds of a schema. None is nullable: null says that an optional field is
// not given.
const (
	Object  Kind = "object"
	Array   Kind = "array"
	String  Kind = "string"
	Integer Kind = "integer"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	Any     Kind = "" // whatever JSON there is
)

// Schema describes a tool's input or result. It is inferred from a struct:
//
//	json:"name,omitempty"   the field; omitempty, a pointer or a default make it optional
//	en:"…" ja:"…"           what it is, in both languages
//	min:"1" max:"5"         a number's bounds, a text's characters
//	least:"1" most:"3"      an array's length; more than most is for the tool to refuse
//	enum:"a,b"              the only values of a text, or of an array's texts
//	default:"10"            what is taken when it is not given
//	lone:"true"             an array of one text may be given as that text
//	unless:"a,b"            required, but may be left out, or empty, when a or b is given
//
// The constraints of an array of texts or numbers hold for each element.
type Schema struct {
	Kind       Kind
	About      Say
	Min, Max   *int64
	Least      int
	Most       int // 0 is without end
	Lone       bool
	Enum       []string
	Default    string  // JSON, "" is none
	Items      *Schema // of an array's elements, or of a map's values
	Properties []Property
	Open       bool // an object may have other properties
}

// Property is one field of an object.
type Property struct {
	Name     string
	Required bool
	Unless   []string // required no more when one of these is given
	*Schema
}

// Property returns the property of a name, nil when there is none.
func (s *Schema) Property(name string) *Property {
	for i := range s.Properties {
		if s.Properties[i].Name == name {
			return &s.Properties[i]
		}
	}
	return nil
}

// sort puts the fields of an object into the order of the schema, those that it
// does not name before them: the same input is always the same, and so is what
// is wrong with it.
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

// infer makes the schema of a type. It panics on a tag that makes no sense,
// which is a mistake in a tool's declaration.
func infer(t reflect.Type, open bool) *Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return infer(t.Elem(), open)
	case reflect.String:
		return &Schema{Kind: String}
	case reflect.Bool:
		return &Schema{Kind: Boolean}
	case reflect.Int, reflect.Int64:
		return &Schema{Kind: Integer}
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

// fieldTags are the tags that a field may have.
var fieldTags = []string{"json", "en", "ja", "min", "max", "least", "most", "enum", "default", "unless", "lone"}

func field(f reflect.StructField, open bool) Property {
	tags := readTags(f)
	name, opts, _ := strings.Cut(tags.get("json"), ",")
	s := infer(f.Type, open)
	p := Property{Name: name, Schema: s}
	s.About = Say{tags.get("en"), tags.get("ja")}
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
	element.Min, element.Max = tags.bound(f, "min"), tags.bound(f, "max")
	if e := tags.get("enum"); e != "" {
		element.Enum = strings.Split(e, ",")
	}
	if s.Default != "" && !s.fitsDefault() {
		panic(fmt.Sprintf("tools: field %s: default:%q", f.Name, tags.get("default")))
	}
	return p
}

// tags are those of a field: name, text, name, text.
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

// readTags reads them all at once: to look each up would read the texts, which
// are long, a dozen times.
func readTags(f reflect.StructField) tags {
	found := make(tags, 0, 8)
	for rest := strings.TrimSpace(string(f.Tag)); rest != ""; rest = strings.TrimSpace(rest) {
		name, value, _ := strings.Cut(rest, ":")
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || !slices.Contains(fieldTags, name) {
			panic(fmt.Sprintf("tools: field %s: unknown tag %q", f.Name, name))
		}
		text, _ := strconv.Unquote(quoted) // as QuotedPrefix found it
		found = append(found, name, text)
		rest = value[len(quoted):]
	}
	return found
}

// bound reads a number, nil when there is none.
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

// fitsDefault reports whether the default is what the schema asks for.
func (s *Schema) fitsDefault() bool {
	v := &validator{env: &Env{}}
	n, err := parse([]byte(s.Default))
	if err == nil {
		v.check("", s, n)
	}
	return err == nil && len(v.faults) == 0
}
