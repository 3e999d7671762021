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
//
// The constraints of an array of texts or numbers hold for each element.
type Schema struct {
	Kind       Kind
	About      Say
	Min, Max   *int64
	Least      int
	Most       int // 0 is without end
	Enum       []string
	Default    string // JSON, "" is none
	Items      *Schema
	Properties []Property
	Open       bool // an object may have other properties
}

// Property is one field of an object.
type Property struct {
	Name     string
	Required bool
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
		return &Schema{Kind: Object, Open: true}
	case reflect.Interface:
		return &Schema{Kind: Any}
	case reflect.Struct:
		s := &Schema{Kind: Object, Open: open}
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				s.Properties = append(s.Properties, field(f, open))
			}
		}
		return s
	}
	panic(fmt.Sprintf("tools: no schema for %v", t))
}

// fieldTags are the tags that a field may have.
var fieldTags = []string{"json", "en", "ja", "min", "max", "least", "most", "enum", "default"}

func field(f reflect.StructField, open bool) Property {
	for _, tag := range strings.Fields(string(f.Tag)) {
		if name, _, ok := strings.Cut(tag, `:"`); ok && isWord(name) && !slices.Contains(fieldTags, name) {
			panic(fmt.Sprintf("tools: field %s: unknown tag %q", f.Name, name))
		}
	}
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	s := infer(f.Type, open)
	p := Property{Name: name, Schema: s}
	s.About = Say{f.Tag.Get("en"), f.Tag.Get("ja")}
	s.Default = f.Tag.Get("default")
	p.Required = opts != "omitempty" && s.Default == "" && f.Type.Kind() != reflect.Pointer
	if s.Default != "" && s.Kind == String {
		s.Default = strconv.Quote(s.Default)
	}
	s.Least, s.Most = number(f, "least"), number(f, "most")
	element := s
	if s.Kind == Array {
		element = s.Items
	}
	element.Min, element.Max = bound(f, "min"), bound(f, "max")
	if e := f.Tag.Get("enum"); e != "" {
		element.Enum = strings.Split(e, ",")
	}
	return p
}

func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == ""
}

func number(f reflect.StructField, tag string) int {
	if b := bound(f, tag); b != nil {
		return int(*b)
	}
	return 0
}

func bound(f reflect.StructField, tag string) *int64 {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("tools: field %s: %s:%q", f.Name, tag, text))
	}
	return &n
}
