package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"techo/internal/testenv"
	"techo/tools/message"
	"techo/tools/schema"
)

// declared is an input type with its JSON Schema, written by hand so that it is
// independent of infer and the validator.
type declared struct {
	name   string
	input  reflect.Type
	schema string
}

type oracleItem struct {
	Name  string `json:"name" minLength:"1" maxLength:"4"`
	Count *int   `json:"count" minimum:"0" maximum:"9"`
	Kind  string `json:"kind" default:"plain" enum:"plain,bold"`
	On    bool   `json:"on,omitempty"`
}

const oracleItemSchema = `{"type":"object","properties":{
	"name":{"type":"string","minLength":1,"maxLength":4},
	"count":{"type":"integer","minimum":0,"maximum":9},
	"kind":{"type":"string","enum":["plain","bold"],"default":"plain"},
	"on":{"type":"boolean"}
},"required":["name"],"additionalProperties":false}`

type oracleTexts struct {
	Name string  `json:"name" minLength:"1" maxLength:"5"`
	Note string  `json:"note,omitempty" maxLength:"3"`
	Long *string `json:"long" minLength:"2"`
	Pick string  `json:"pick" enum:"a,bb,ccc"`
	Mode string  `json:"mode" default:"bb" enum:"a,bb,ccc"`
	Said string  `json:"said" default:"say \"hi\"\n" maxLength:"12"`
	Free string  `json:"free,omitempty"`
}

const oracleTextsSchema = `{"type":"object","properties":{
	"name":{"type":"string","minLength":1,"maxLength":5},
	"note":{"type":"string","maxLength":3},
	"long":{"type":"string","minLength":2},
	"pick":{"type":"string","enum":["a","bb","ccc"]},
	"mode":{"type":"string","enum":["a","bb","ccc"],"default":"bb"},
	"said":{"type":"string","maxLength":12,"default":"say \"hi\"\n"},
	"free":{"type":"string"}
},"required":["name","pick"],"additionalProperties":false}`

// oracleInteger is an integer without tags that limit it.
const oracleInteger = `{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`

type oracleNumbers struct {
	Count int             `json:"count" minimum:"1" maximum:"5"`
	Limit int             `json:"limit" default:"10" minimum:"0"`
	Below *int            `json:"below" maximum:"-1"`
	Large int64           `json:"large,omitempty"`
	Ratio float64         `json:"ratio,omitempty"`
	On    bool            `json:"on"`
	Yes   bool            `json:"yes" default:"true"`
	Maybe *bool           `json:"maybe"`
	Any   json.RawMessage `json:"any,omitempty"`
}

const oracleNumbersSchema = `{"type":"object","properties":{
	"count":{"type":"integer","minimum":1,"maximum":5},
	"limit":{"type":"integer","minimum":0,"maximum":9007199254740991,"default":10},
	"below":{"type":"integer","minimum":-9007199254740991,"maximum":-1},
	"large":` + oracleInteger + `,
	"ratio":{"type":"number"},
	"on":{"type":"boolean"},
	"yes":{"type":"boolean","default":true},
	"maybe":{"type":"boolean"},
	"any":{}
},"required":["count","on"],"additionalProperties":false}`

type oracleLists struct {
	Tags  []string     `json:"tags,omitempty" minLength:"1" maxLength:"4"`
	Kinds []string     `json:"kinds" minItems:"1" enum:"x,yy"`
	Sizes []int        `json:"sizes,omitempty" minItems:"2" maxItems:"3" minimum:"-2" maximum:"2"`
	More  []string     `json:"more" default:"[\"one\"]"`
	Items []oracleItem `json:"items,omitempty" minItems:"1"`
	Item  oracleItem   `json:"item"`
	Back  *oracleItem  `json:"back"`
	Grid  [][]int      `json:"grid,omitempty"`
}

// Of texts, repeated ones count once, so that maxItems says less than in JSON Schema.
const oracleListsSchema = `{"type":"object","properties":{
	"tags":{"type":"array","items":{"type":"string","minLength":1,"maxLength":4}},
	"kinds":{"type":"array","minItems":1,"items":{"type":"string","enum":["x","yy"]}},
	"sizes":{"type":"array","minItems":2,"maxItems":3,"items":{"type":"integer","minimum":-2,"maximum":2}},
	"more":{"type":"array","items":{"type":"string"},"default":["one"]},
	"items":{"type":"array","minItems":1,"items":` + oracleItemSchema + `},
	"item":` + oracleItemSchema + `,
	"back":` + oracleItemSchema + `,
	"grid":{"type":"array","items":{"type":"array","items":` + oracleInteger + `}}
},"required":["kinds","item"],"additionalProperties":false}`

type oracleMaps struct {
	Headers map[string]string     `json:"headers,omitempty"`
	Counts  map[string]int        `json:"counts,omitempty"`
	Items   map[string]oracleItem `json:"items,omitempty"`
}

const oracleMapsSchema = `{"type":"object","properties":{
	"headers":{"type":"object","additionalProperties":{"type":"string"}},
	"counts":{"type":"object","additionalProperties":` + oracleInteger + `},
	"items":{"type":"object","additionalProperties":` + oracleItemSchema + `}
},"additionalProperties":false}`

type oracleBounds struct {
	Share float64   `json:"share" minimum:"0" maximum:"1"`
	Rates []float64 `json:"rates,omitempty" minimum:"-2" maximum:"2"`
	Above *float64  `json:"above" minimum:"3"`
}

const oracleBoundsSchema = `{"type":"object","properties":{
	"share":{"type":"number","minimum":0,"maximum":1},
	"rates":{"type":"array","items":{"type":"number","minimum":-2,"maximum":2}},
	"above":{"type":"number","minimum":3}
},"required":["share"],"additionalProperties":false}`

// TestOracle compares the validator with an independent one. Both get the same
// inputs, and the normal form must have the values of the input.
func TestOracle(t *testing.T) {
	for _, d := range []declared{
		{"texts", reflect.TypeFor[oracleTexts](), oracleTextsSchema},
		{"numbers", reflect.TypeFor[oracleNumbers](), oracleNumbersSchema},
		{"lists", reflect.TypeFor[oracleLists](), oracleListsSchema},
		{"maps", reflect.TypeFor[oracleMaps](), oracleMapsSchema},
		{"bounds", reflect.TypeFor[oracleBounds](), oracleBoundsSchema},
	} {
		t.Run(d.name, func(t *testing.T) { compareAll(t, d, testenv.Pick(2_000, 4_000)) })
	}
}

func compareAll(t *testing.T, d declared, cases int) {
	seed := testenv.Random(t).Uint64()
	o := newOracle(t, d)
	m := &maker{r: rand.New(rand.NewPCG(seed, 0))}
	var accepted, refused int
	for i := range cases {
		m.spoil = []int{0, 10, 60}[i%3] // in 1000: valid, nearly valid, wrong
		raw := []byte(m.value(o.schema))
		if i%8 == 7 {
			raw = m.mangle(raw)
		}
		ok, err := o.compare(raw)
		if err != nil {
			t.Fatalf("seed %d, case %d: %s\n%v", seed, i, raw, err)
		}
		if ok {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < cases/4 || refused < cases/4 {
		t.Errorf("of %d inputs %d were accepted and %d refused: too few of one kind to learn from", cases, accepted,
			refused)
	}
}

// oracle computes the expected outcome for one declared input.
type oracle struct {
	declared
	ours     *schema.Schema
	schema   *jsonschema.Schema
	resolved *jsonschema.Resolved
}

func newOracle(t *testing.T, d declared) *oracle {
	t.Helper()
	o := &oracle{declared: d, ours: schema.InputOf(d.input, ""), schema: &jsonschema.Schema{}}
	if err := json.Unmarshal([]byte(d.schema), o.schema); err != nil {
		t.Fatal(err)
	}
	var err error
	if o.resolved, err = o.schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		t.Fatal(err)
	}
	return o
}

// compare validates one input both ways and reports any difference.
func (o *oracle) compare(raw []byte) (accepted bool, err error) {
	got, problems := schema.Validate(message.English, o.ours, raw)
	given, err := o.judge(raw)
	switch {
	case err == nil && len(problems) > 0:
		return false, fmt.Errorf("refused: %+v", problems)
	case err != nil && len(problems) == 0:
		return false, fmt.Errorf("accepted as %s, but %w", got, err)
	case err != nil:
		return false, nil
	}
	want := complete(o.schema, given)
	plain, err := decode(got)
	if err != nil {
		return true, fmt.Errorf("handed on as %s: %w", got, err)
	}
	if !jsonschema.Equal(plain, want) {
		return true, fmt.Errorf("handed on as %s, want %v", got, want)
	}
	if again, problems := schema.Validate(message.English, o.ours, got); string(again) != string(got) {
		return true, fmt.Errorf("%s became %s at a second time: %+v", got, again, problems)
	}
	return true, o.decodes(got, want)
}

// decodes checks that a tool's function receives the given values.
func (o *oracle) decodes(got []byte, want any) error {
	in := reflect.New(o.input)
	d := json.NewDecoder(bytes.NewReader(got))
	d.DisallowUnknownFields()
	if err := d.Decode(in.Interface()); err != nil {
		return fmt.Errorf("%s does not fit: %w", got, err)
	}
	back, err := json.Marshal(in.Interface())
	if err != nil {
		return err
	}
	held, err := decode(back)
	if err != nil {
		return err
	}
	if !holds(o.schema, held, want) {
		return fmt.Errorf("%s was decoded as %s", got, back)
	}
	return nil
}

// holds reports whether held contains all given values. A zero may be missing,
// because omitempty omits it.
func holds(s *jsonschema.Schema, held, given any) bool {
	switch given := given.(type) {
	case map[string]any:
		held, ok := held.(map[string]any)
		for name, v := range given {
			h, there := held[name]
			ok = ok && (there && (s.Type == "" || holds(property(s, name), h, v)) || !there && isZero(v))
		}
		return ok
	case []any:
		held, ok := held.([]any)
		if !ok || len(held) != len(given) {
			return false
		}
		for i, v := range given {
			if s.Items != nil && !holds(s.Items, held[i], v) {
				return false
			}
		}
		return true
	case json.Number:
		if held, ok := held.(json.Number); ok && s.Type == "number" {
			f, _ := given.Float64()
			g, _ := held.Float64()
			return f == g
		}
	}
	return jsonschema.Equal(held, given)
}

func isZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	}
	return v == "" || v == false
}

func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// judge returns the expected value of an input, or an error if it is invalid. The
// oracle checks the values; judge checks what JSON leaves open.
func (o *oracle) judge(raw []byte) (any, error) {
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if !json.Valid(raw) || !utf8.Valid(raw) {
		return nil, errors.New("it is no JSON")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := readStrictly(d, 0, false); err != nil {
		return nil, err
	}
	v, err := decode(raw)
	if err != nil {
		return nil, err
	}
	given := withoutNulls(o.schema, v)
	return given, o.resolved.Validate(seen(o.schema, given))
}
