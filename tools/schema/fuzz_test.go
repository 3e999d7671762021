package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/jsontree"
)

type fuzzIn struct {
	Texts   *oracleTexts   `json:"texts"`
	Numbers *oracleNumbers `json:"numbers"`
	Lists   *oracleLists   `json:"lists"`
	Maps    *oracleMaps    `json:"maps"`
	Bounds  *oracleBounds  `json:"bounds"`
}

func fuzzTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "fuzz", Command: "fuzz", Refused: "Could not: %s"},
		func(context.Context, *tools.Env, fuzzIn) (struct{}, error) { return struct{}{}, nil })
}

// FuzzAccept validates arbitrary bytes. An accepted input must be JSON that
// validates unchanged and that the function can decode. A rejection must list its
// problems.
func FuzzAccept(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `[]`, ` {"texts":null}`, `{"texts":{"name":"a","pick":"bb"}}`, `{"nope":1}`, `{}{}`,
		`{"texts":{"name":"","pick":"","long":null,"said":"\u00e9\ud83d\ude00"}}`,
		`{"numbers":{"count":5.0,"on":true,"limit":1e2,"any":[{"a":1,"a":null}],"ratio":-0}}`,
		`{"numbers":{"count":1e-1,"on":1,"large":9223372036854775808}}`,
		`{"lists":{"kinds":["x"],"item":{"name":"a"},"grid":[[],[1]],"items":[{"name":"b","count":null}]}}`,
		`{"maps":{"headers":{"":"","a/b~c":"d"}}}`, `{"bounds":{"share":0.5,"rates":[1e400]}}`,
		`{"texts":{},"texts":{}}`, "\xff", `"\ud800"`, "\ufeff{}", strings.Repeat("[", 65),
		strings.Repeat(`{"maps":`, 64),
	} {
		f.Add([]byte(seed), false)
	}
	r := rand.New(rand.NewPCG(1, 2)) // fixed seed: the corpus stays the same
	m := &maker{r: r, spoil: 20}
	for _, field := range [][2]string{{"texts", oracleTextsSchema}, {"numbers", oracleNumbersSchema},
		{"lists", oracleListsSchema}} {
		var s jsonschema.Schema
		if err := json.Unmarshal([]byte(field[1]), &s); err != nil {
			f.Fatal(err)
		}
		for range 5 {
			f.Add(m.mangle(fmt.Appendf(nil, `{%q:%s}`, field[0], m.value(&s))), true)
		}
	}
	tool := fuzzTool()
	f.Fuzz(func(t *testing.T, raw []byte, japanese bool) {
		env := &tools.Env{}
		if japanese {
			env.Lang = tools.Japanese
		}
		accepted, e := tool.Accept(env, raw)
		if e != nil {
			checkRefused(t, raw, e)
			return
		}
		if !json.Valid(accepted) || !utf8.Valid(accepted) {
			t.Fatalf("%q was accepted as %q, which is no JSON", raw, accepted)
		}
		again, e := tool.Accept(env, accepted)
		if e != nil || string(again) != string(accepted) {
			t.Fatalf("%q was accepted as %s, and that as %s (%v)", raw, accepted, again, e)
		}
		if err := json.Unmarshal(accepted, new(fuzzIn)); err != nil {
			t.Fatalf("%q was accepted as %s, but %v", raw, accepted, err)
		}
	})
}

func checkRefused(t *testing.T, raw []byte, e *tools.Error) {
	t.Helper()
	if e.Code != tools.InvalidInput || e.Tool != "fuzz" || e.Message == "" || e.Hint == "" || len(e.Details) == 0 {
		t.Fatalf("%q was refused with %+v", raw, e)
	}
	for _, d := range e.Details {
		if d.Message == "" || d.Path != "" && d.Path[0] != '/' {
			t.Fatalf("%q was refused for %+v", raw, d)
		}
	}
	b, err := jsontree.Marshal(e)
	if err != nil || !json.Valid(b) {
		t.Fatalf("%q was refused with %s (%v)", raw, b, err)
	}
}

// TestAcceptPlain checks the normal form of inputs, and that malformed documents
// are rejected.
func TestAcceptPlain(t *testing.T) {
	nest := func(n int) string {
		return `{"numbers":{"count":1,"limit":1,"on":true,"yes":false,"any":` + strings.Repeat("[", n-2) +
			strings.Repeat("]", n-2) + `}}`
	}
	for _, test := range []struct{ input, want, path string }{
		{"", `{}`, ""},
		{" {\n} ", `{}`, ""},
		{`{"texts":null,"maps":{"headers":{"a":null,"b":"c"}}}`, `{"maps":{"headers":{"b":"c"}}}`, ""},
		{`{"numbers":{"on":true,"count":5.0,"limit":1e2,"large":-0}}`,
			`{"numbers":{"count":5,"limit":100,"large":0,"on":true,"yes":true}}`, ""},
		{`{"texts":{"name":"\u0065\u0301","pick":"\u0061"}}`,
			"{\"texts\":{\"name\":\"e\u0301\",\"pick\":\"a\",\"mode\":\"bb\",\"said\":\"say \\\"hi\\\"\\n\"}}", ""},
		{nest(64), nest(64), ""},
		{nest(65), "", "/numbers/any" + strings.Repeat("/0", 62)},
		{`null`, "", ""},
		{`{}{}`, "", ""},
		{`{"texts":{"name":"\ud800","pick":"a"}}`, "", "/texts/name"},
		{"{\"texts\":{\"name\":\"\xff\",\"pick\":\"a\"}}", "", "/texts/name"},
		{`{"texts":{"name":"a","pick":"a","name":"b"}}`, "", "/texts/name"},
		{`{"texts":{"name":"a","pick":null}}`, "", "/texts/pick"},
		{`{"maps":{"items":{"a/b~c":{}}}}`, "", "/maps/items/a~1b~0c/name"},
		{`{"numbers":{"count":0e100,"on":true}}`, "", "/numbers/count"},
	} {
		got, e := fuzzTool().Accept(&tools.Env{}, []byte(test.input))
		switch {
		case test.want != "" && (e != nil || string(got) != test.want):
			t.Errorf("%s became %s (%v), want %s", test.input, got, e, test.want)
		case test.want == "" && (e == nil || len(e.Details) != 1 || e.Details[0].Path != test.path):
			t.Errorf("%s became %s (%+v), want one problem at %q", test.input, got, e, test.path)
		}
	}
}

// TestAcceptLong checks that long numbers, exponents and nested values need no
// more time than other long inputs. The limit is hundreds of times the usual
// duration.
func TestAcceptLong(t *testing.T) {
	n := testenv.Pick(1<<20, 8<<20)
	tests := map[string]string{
		"text":     `{"texts":{"name":"` + strings.Repeat("e\u0301", n/3) + `","pick":"a"}}`,
		"nest":     strings.Repeat("[", n),
		"name":     `{"` + strings.Repeat("x", n) + `":1}`,
		"exponent": `{"numbers":{"count":1e` + strings.Repeat("9", n) + `,"on":true}}`,
		"zeros":    `{"numbers":{"count":1e` + strings.Repeat("0", n) + `,"on":true}}`,
		"large":    `{"numbers":{"count":1e999999999,"on":true}}`,
		"integer":  `{"numbers":{"count":` + strings.Repeat("7", n) + `,"on":true}}`,
		"fraction": `{"numbers":{"count":1.` + strings.Repeat("0", n) + `7,"on":true}}`,
	}
	tool := fuzzTool()
	for name, raw := range tests {
		t.Run(name, func(t *testing.T) {
			done := make(chan *tools.Error, 1)
			go func() {
				_, e := tool.Accept(&tools.Env{}, []byte(raw))
				done <- e
			}()
			select {
			case e := <-done:
				if e == nil && name != "zeros" {
					t.Errorf("%d bytes were accepted", len(raw))
				}
			case <-time.After(15 * time.Second):
				t.Errorf("%d bytes are still not read", len(raw))
			}
		})
	}
}
