package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/tools/message"
)

// inferred describes a schema with one line per field.
func inferred(s *Schema) (lines []string) {
	for _, p := range s.Properties {
		line := p.Name + " " + notation(p.Schema)
		if p.Required {
			line = p.Name + "! " + notation(p.Schema)
		}
		lines = append(lines, line)
	}
	return lines
}

func notation(s *Schema) string {
	text := string(s.Kind)
	if s.Kind == Any {
		text = "any"
	}
	if s.Minimum != nil {
		text += fmt.Sprintf(" min=%d", *s.Minimum)
	}
	if s.Maximum != nil {
		text += fmt.Sprintf(" max=%d", *s.Maximum)
	}
	for _, length := range []struct {
		name string
		n    int
	}{{"minLength", s.MinLength}, {"maxLength", s.MaxLength}, {"minItems", s.MinItems}, {"maxItems", s.MaxItems}} {
		if length.n > 0 {
			text += fmt.Sprintf(" %s=%d", length.name, length.n)
		}
	}
	if s.Format != "" {
		text += " format=" + s.Format
	}
	if s.Enum != nil {
		text += " enum=" + strings.Join(s.Enum, "|")
	}
	if s.Default != "" {
		text += " default=" + s.Default
	}
	if s.Kind == Array {
		text += " of (" + notation(s.Items) + ")"
	}
	if s.Kind == Object {
		if s.Open {
			text += " open"
		}
		text += " {" + strings.Join(inferred(s), ", ") + "}"
	}
	return text
}

// InferItem is exported because only exported structs can be embedded as fields.
type InferItem struct {
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
}

type inferAll struct {
	Name     string            `json:"name" minLength:"1" maxLength:"32" doc:"a name"`
	Note     string            `json:"note,omitempty"`
	New      *string           `json:"new" maxLength:"5"`
	Mode     string            `json:"mode" default:"fast" enum:"fast,slow"`
	Quoted   string            `json:"quoted" default:"say \"hi\""`
	Count    int               `json:"count" minimum:"-1"`
	Limit    int64             `json:"limit" default:"10" minimum:"0"`
	Ratio    float64           `json:"ratio"`
	On       bool              `json:"on" default:"true"`
	Maybe    *bool             `json:"maybe"`
	Tags     []string          `json:"tags,omitempty" minItems:"1" maxItems:"3" minLength:"1" maxLength:"64" enum:"a,b"`
	Sizes    []int             `json:"sizes" minimum:"0" maximum:"9"`
	Item     InferItem         `json:"item"`
	Items    []InferItem       `json:"items,omitempty" maxItems:"2"`
	Back     *InferItem        `json:"back"`
	Grid     [][]int           `json:"grid,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Raw      json.RawMessage   `json:"raw"`
	Whatever any               `json:"whatever,omitempty"`
	Hidden   string            `json:"-" mistaken:"of no concern"`
	Names    inferNames        `json:"names,omitempty"`
	Label    string            `json:"label" format:"name" minLength:"0"`
	unseen   string
}

// inferNames has tags for all its fields. Its format implies a minimum length.
type inferNames []string

func (inferNames) FieldTags() reflect.StructTag { return `format:"name" maxItems:"3" maxLength:"5"` }

// TestInfer checks the schema of a declared struct: required fields, constraints
// and closed objects.
func TestInfer(t *testing.T) {
	in := inferAll{unseen: "not a field"}
	s := infer(reflect.TypeOf(in), false)
	want := []string{
		"name! string minLength=1 maxLength=32",
		"note string",
		"new string maxLength=5",
		"mode string enum=fast|slow default=\"fast\"",
		"quoted string default=\"say \\\"hi\\\"\"",
		"count! integer min=-1 max=9007199254740991",
		"limit integer min=0 max=9007199254740991 default=10",
		"ratio! number",
		"on boolean default=true",
		"maybe boolean",
		"tags array minItems=1 maxItems=3 of (string minLength=1 maxLength=64 enum=a|b)",
		"sizes! array of (integer min=0 max=9)",
		"item! object {id! string, note string}",
		"items array maxItems=2 of (object {id! string, note string})",
		"back object {id! string, note string}",
		"grid array of (array of (integer min=-9007199254740991 max=9007199254740991))",
		"headers object open {}",
		"raw! any",
		"whatever any",
		"names array maxItems=3 of (string minLength=1 maxLength=5 format=name)",
		"label! string format=name",
	}
	if got := inferred(s); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.Open || s.Kind != Object {
		t.Errorf("the input is %s, open %v", s.Kind, s.Open)
	}
	if about := s.Property("name").About; about != "a name" {
		t.Errorf("about is %+v", about)
	}
	if p := s.Property("unseen"); p != nil {
		t.Errorf("a field that is not exported became %+v", p)
	}
	out := infer(reflect.TypeOf(&in), true)
	if got := notation(out); !out.Open || !strings.Contains(got, "item! object open {") ||
		!strings.Contains(got, "of (object open {") {
		t.Errorf("a result is open at every depth, not %s", got)
	}
}

// TestInferLists checks Names and Property.
func TestInferLists(t *testing.T) {
	s := infer(reflect.TypeFor[InferItem](), false)
	if got := s.Names(); !slices.Equal(got, []string{"id", "note"}) {
		t.Errorf("names are %q", got)
	}
	if s.Property("id") == nil || s.Property("ID") != nil || s.Property("") != nil {
		t.Error("a property has its exact name")
	}
	empty := infer(reflect.TypeFor[struct{}](), false)
	if empty.Names() != nil || empty.Property("id") != nil {
		t.Error("an empty struct has properties")
	}
}

func panics(call func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	call()
	return ""
}

type invalidDeclaration struct {
	what string
	of   any
	want string // a part of the panic
}

func invalidTags() []invalidDeclaration {
	return []invalidDeclaration{
		{"an unknown tag", struct {
			A string `json:"a" cli:"a"`
		}{}, `field A: unknown tag "cli"`},
		{"a misspelt tag", struct {
			A string `json:"a" maks:"5"`
		}{}, `field A: unknown tag "maks"`},
		{"a tag with a capital", struct {
			A string `json:"a" Minimum:"1"`
		}{}, `field A: unknown tag "Minimum"`},
		{"a tag with a number", struct {
			A string `json:"a" maximum2:"1"`
		}{}, `field A: unknown tag "maximum2"`},
		{"an unknown tag in a list's element", struct {
			A []struct {
				B string `json:"b" limit:"5"`
			} `json:"a"`
		}{}, `field B: unknown tag "limit"`},
		{"a length that is no number", struct {
			A string `json:"a" minLength:"one"`
		}{}, `field A: minLength:"one"`},
		{"a bound that is no whole number", struct {
			A int `json:"a" maximum:"1.5"`
		}{}, `field A: maximum:"1.5"`},
		{"a bound that is too large", struct {
			A int `json:"a" maximum:"9223372036854775808"`
		}{}, `field A: maximum:"9223372036854775808"`},
		{"an empty bound", struct {
			A int `json:"a" minimum:""`
		}{}, `field A: minimum:""`},
		{"an array's length that is no number", struct {
			A []string `json:"a" minItems:"few"`
		}{}, `field A: minItems:"few"`},
		{"an array's length with a blank", struct {
			A []string `json:"a" maxItems:"3 "`
		}{}, `field A: maxItems:"3 "`},
		{"a number's bound on a text", struct {
			A string `json:"a" minimum:"1"`
		}{}, `field A: minimum:"1"`},
		{"a text's length on a number", struct {
			A []int `json:"a" maxLength:"1"`
		}{}, `field A: maxLength:"1"`},
		{"an array's length on a text", struct {
			A string `json:"a" maxItems:"1"`
		}{}, `field A: maxItems:"1"`},
		{"an unknown format", struct {
			A string `json:"a" format:"date"`
		}{}, `field A: format:"date"`},
		{"a default that is no number", struct {
			A int `json:"a" default:"ten"`
		}{}, `default`},
		{"a quoted number as default", struct {
			A int `json:"a" default:"\"10\""`
		}{}, `default`},
		{"a default out of bounds", struct {
			A int `json:"a" default:"6" maximum:"5"`
		}{}, `default`},
		{"a default that is no boolean", struct {
			A bool `json:"a" default:"yes"`
		}{}, `default`},
		{"a default that is not listed", struct {
			A string `json:"a" default:"c" enum:"a,b"`
		}{}, `default`},
		{"a default of an array", struct {
			A []string `json:"a" default:"a,b"`
		}{}, `default`},
	}
}

func invalidTypes() []invalidDeclaration {
	return []invalidDeclaration{
		{"a type that JSON does not have", struct {
			A chan int `json:"a"`
		}{}, "no schema for chan int"},
		{"a function", struct {
			A []func() `json:"a"`
		}{}, "no schema for func()"},
		{"a number of another size", struct {
			A *int32 `json:"a"`
		}{}, "no schema for int32"},
		{"a complex number", struct {
			A struct {
				B complex64 `json:"b"`
			} `json:"a"`
		}{}, "no schema for complex64"},
	}
}

// TestInferPanics checks that an invalid declaration panics when its schema is
// first used, and that the panic names the field.
func TestInferPanics(t *testing.T) {
	for _, test := range append(invalidTags(), invalidTypes()...) {
		got := panics(func() { infer(reflect.TypeOf(test.of), false) })
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: panics with %q, want %q", test.what, got, test.want)
		}
	}
}

// TestInferQuotes checks that a description may contain quotes.
func TestInferQuotes(t *testing.T) {
	type quotes struct {
		A time.Duration `json:"a" doc:"half:\"way\" there: \"x\""`
	}
	if got := panics(func() { infer(reflect.TypeFor[quotes](), false) }); got != "" {
		t.Errorf("panics with %q", got)
	}
}

// TestInferPanicsName checks that missing and duplicate field names panic.
func TestInferPanicsName(t *testing.T) {
	text := reflect.TypeFor[string]()
	for _, of := range [][]reflect.StructField{
		{{Name: "A", Type: text}},
		{{Name: "A", Type: text, Tag: `json:",omitempty"`}},
		{{Name: "InferItem", Type: reflect.TypeFor[InferItem](), Anonymous: true, Tag: `doc:"x"`}},
		{{Name: "InferItem", Type: reflect.TypeFor[InferItem](), Anonymous: true},
			{Name: "A", Type: text, Tag: `json:"id"`}},
		{{Name: "A", Type: text, Tag: `json:"id"`},
			{Name: "InferItem", Type: reflect.TypeFor[InferItem](), Anonymous: true}},
		{{Name: "A", Type: text, Tag: `json:"a"`}, {Name: "B", Type: text, Tag: `json:"a"`}},
	} {
		of := reflect.StructOf(of)
		if got := panics(func() { infer(of, false) }); got == "" {
			t.Errorf("%v has the names %q", of, infer(of, false).Names())
		}
	}
}

// TestInferEmbedded checks that the fields of an embedded struct come in its place.
func TestInferEmbedded(t *testing.T) {
	type outer struct {
		InferItem

		More string `json:"more"`
	}
	want := append(infer(reflect.TypeFor[InferItem](), false).Names(), "more")
	if got := infer(reflect.TypeFor[outer](), false).Names(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestBounds checks that the message names the bound that a number exceeds.
func TestBounds(t *testing.T) {
	type in struct {
		Both  *int     `json:"both" minimum:"1" maximum:"5"`
		Low   *int     `json:"low" minimum:"1"`
		High  *int     `json:"high" maximum:"-1"`
		Free  *int     `json:"free"`
		Ratio *float64 `json:"ratio" minimum:"1"`
	}
	s := infer(reflect.TypeFor[in](), false)
	for _, test := range []struct{ input, message string }{
		{`{"both":0}`, "must be between 1 and 5, not 0"},
		{`{"both":6}`, "must be between 1 and 5, not 6"},
		{`{"both":9223372036854775808}`, "must be between 1 and 5, not 9223372036854775808"},
		{`{"low":-1}`, "must be at least 1, not -1"},
		{`{"low":0}`, "must be at least 1, not 0"},
		{`{"low":9223372036854775808}`, "must be at most 9007199254740991, not 9223372036854775808"},
		{`{"high":0}`, "must be at most -1, not 0"},
		{`{"high":-9223372036854775809}`, "must be at least -9007199254740991, not -9223372036854775809"},
		{`{"free":9223372036854775808}`, "must be at most 9007199254740991, not 9223372036854775808"},
		{`{"free":-1e30}`, "must be at least -9007199254740991, not -1e30"},
		{`{"free":9007199254740992}`, "must be at most 9007199254740991, not 9007199254740992"},
		{`{"ratio":0.5}`, "must be at least 1, not 0.5"},
	} {
		_, problems := Validate(message.English, s, []byte(test.input))
		if len(problems) != 1 || problems[0].Message != test.message {
			t.Errorf("%s: %+v, want %q", test.input, problems, test.message)
		}
	}
}
