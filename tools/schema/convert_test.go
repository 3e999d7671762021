package schema_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

type convertIn struct {
	Path    string      `json:"path,omitempty" minLength:"1" doc:"p"`
	Detail  string      `json:"detail,omitempty" doc:"d"`
	Kind    string      `json:"kind,omitempty" enum:"a,b" doc:"k"`
	Limit   int         `json:"limit,omitempty" minimum:"1" maximum:"9" doc:"l"`
	Share   float64     `json:"share,omitempty" doc:"s"`
	On      bool        `json:"on,omitempty" doc:"o"`
	Tags    []string    `json:"tags,omitempty" doc:"t"`
	Counts  []int       `json:"counts,omitempty" doc:"c"`
	Query   []string    `json:"query,omitempty" allowSingle:"true" doc:"q"`
	Wait    string      `json:"wait,omitempty" allowNumber:"true" minLength:"1" doc:"w"`
	Include string      `json:"include,omitempty" alternatives:"true" doc:"i"`
	Edits   []convertOf `json:"edits,omitempty" doc:"e"`
	Any     any         `json:"any,omitempty" doc:"a"`
}

type convertOf struct {
	OldString  string `json:"old_string" doc:"o"`
	ReplaceAll bool   `json:"replace_all,omitempty" doc:"r"`
}

func convertTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "edit_file", Command: "convert"},
		func(_ context.Context, _ *tools.Env, in convertIn) (convertIn, error) { return in, nil })
}

// TestConvert checks inputs that have one meaning under the schema but another form.
func TestConvert(t *testing.T) {
	for _, test := range []struct{ input, want, converted string }{
		{`{"limit":"3"}`, `{"limit":3}`, `[{"path":"/limit","from":"3","to":3}]`},
		{`{"limit":"3.0"}`, `{"limit":3}`, `[{"path":"/limit","from":"3.0","to":3.0}]`},
		{`{"limit":[3]}`, `{"limit":3}`, `[{"path":"/limit","from":[3],"to":3}]`},
		{`{"limit":["3"]}`, `{"limit":3}`, `[{"path":"/limit","from":["3"],"to":3}]`},
		{`{"share":"-0.5"}`, `{"share":-0.5}`, `[{"path":"/share","from":"-0.5","to":-0.5}]`},
		{`{"on":"true"}`, `{"on":true}`, `[{"path":"/on","from":"true","to":true}]`},
		{`{"on":"false"}`, `{}`, `[{"path":"/on","from":"false","to":false}]`},
		{`{"path":["a"]}`, `{"path":"a"}`, `[{"path":"/path","from":["a"],"to":"a"}]`},
		{`{"path":5}`, `{"path":"5"}`, `[{"path":"/path","from":5,"to":"5"}]`},
		{`{"detail":true}`, `{"detail":"true"}`, `[{"path":"/detail","from":true,"to":"true"}]`},
		{`{"tags":"a"}`, `{"tags":["a"]}`, `[{"path":"/tags","from":"a","to":["a"]}]`},
		{`{"tags":"[\"a\",\"b\"]"}`, `{"tags":["a","b"]}`, `[{"path":"/tags","from":"[\"a\",\"b\"]","to":["a","b"]}]`},
		{`{"edits":"{\"old_string\":\"x\"}"}`, `{"edits":[{"old_string":"x"}]}`,
			`[{"path":"/edits","from":"{\"old_string\":\"x\"}","to":[{"old_string":"x"}]}]`},
		{`{"tags":5}`, `{"tags":["5"]}`, `[{"path":"/tags","from":5,"to":["5"]}]`},
		{`{"tags":["a",5]}`, `{"tags":["a","5"]}`, `[{"path":"/tags/1","from":5,"to":"5"}]`},
		{`{"counts":"7"}`, `{"counts":[7]}`, `[{"path":"/counts","from":"7","to":[7]}]`},
		{`{"query":"[\"a\"]"}`, `{"query":["a"]}`, `[{"path":"/query","from":"[\"a\"]","to":["a"]}]`},
		{`{"edits":"[{\"old_str\":\"x\",\"replaceAll\":\"true\"}]"}`,
			`{"edits":[{"old_string":"x","replace_all":true}]}`,
			`[{"path":"/edits","from":"[{\"old_str\":\"x\",\"replaceAll\":\"true\"}]",` +
				`"to":[{"old_str":"x","replaceAll":"true"}]},` +
				`{"path":"/edits/0/old_str","from":"old_str","to":"old_string"},` +
				`{"path":"/edits/0/replaceAll","from":"replaceAll","to":"replace_all"},` +
				`{"path":"/edits/0/replace_all","from":"true","to":true}]`},
		{`{"edits":{"old_string":"x"}}`, `{"edits":[{"old_string":"x"}]}`,
			`[{"path":"/edits","from":{"old_string":"x"},"to":[{"old_string":"x"}]}]`},
		{`{"limit":"","on":"","kind":"","path":"","tags":"","wait":""}`, `{}`,
			`[{"path":"/limit","from":"","to":null},{"path":"/on","from":"","to":null},` +
				`{"path":"/kind","from":"","to":null},{"path":"/path","from":"","to":null},` +
				`{"path":"/tags","from":"","to":null},{"path":"/wait","from":"","to":null}]`},
		{`{"file_path":"a"}`, `{"path":"a"}`, `[{"path":"/file_path","from":"file_path","to":"path"}]`},
		{`{"filePath":"a","path":""}`, `{"path":"a"}`,
			`[{"path":"/filePath","from":"filePath","to":"path"}]`},
		{`{"path":null,"filePath":"a"}`, `{"path":"a"}`, `[{"path":"/filePath","from":"filePath","to":"path"}]`},
		{`{"filePath":["a"]}`, `{"path":"a"}`,
			`[{"path":"/filePath","from":"filePath","to":"path"},{"path":"/path","from":["a"],"to":"a"}]`},
		{`{"include":"*.py, *.js"}`, `{"include":"{*.py,*.js}"}`,
			`[{"path":"/include","from":"*.py, *.js","to":"{*.py,*.js}"}]`},
		{`"{\"limit\":\"3\"}"`, `{"limit":3}`,
			`[{"path":"","from":"{\"limit\":\"3\"}","to":{"limit":"3"}},{"path":"/limit","from":"3","to":3}]`},
		{`{"tags":"` + strings.Repeat("x", 300) + `"}`, `{"tags":["` + strings.Repeat("x", 300) + `"]}`,
			`[{"path":"/tags","from":"\"` + strings.Repeat("x", 199) +
				`…","to":"[\"` + strings.Repeat("x", 198) + `…"}]`},
	} {
		r, e := convertTool().Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(test.input)})
		if e != nil {
			t.Errorf("%s: %s", test.input, e.Message)
			continue
		}
		want := strings.TrimSuffix(test.want, "}") + `,"converted":` + test.converted + "}"
		if want = strings.Replace(want, "{,", "{", 1); string(r.JSON) != want {
			t.Errorf("%s became\n%s, want\n%s", test.input, r.JSON, want)
		}
	}
}

// TestNotConverted checks that nothing is guessed, and that a valid input is not changed.
func TestNotConverted(t *testing.T) {
	for _, test := range []struct{ input, path string }{
		{`{"limit":"12px"}`, "/limit"},
		{`{"limit":"3.5"}`, "/limit"},
		{`{"limit":true}`, "/limit"},
		{`{"limit":"[3]"}`, "/limit"},
		{`{"limit":[3,4]}`, "/limit"},
		{`{"limit":[[3]]}`, "/limit"},
		{`{"limit":"30"}`, "/limit"}, // out of range
		{`{"share":"NaN"}`, "/share"},
		{`{"on":"True"}`, "/on"},
		{`{"on":"yes"}`, "/on"},
		{`{"on":1}`, "/on"},
		{`{"on":"1"}`, "/on"},
		{`{"path":["a","b"]}`, "/path"},
		{`{"path":[]}`, "/path"},
		{`{"path":[null]}`, "/path"},
		{`{"path":{"a":1}}`, "/path"},
		{`{"tags":"[1,"}`, "/tags"},
		{`{"tags":" [a]"}`, "/tags"},
		{`{"tags":{}}`, "/tags"},
		{`{"tags":"null"}`, "/tags"},
		{`{"tags":"a, b"}`, "/tags"},
		{`{"tags":"{\"a\":1}"}`, "/tags"},
		{`{"tags":[["a","b"]]}`, "/tags/0"},
		{`{"counts":"x"}`, "/counts"},
		{`{"edits":"x"}`, "/edits"},
		{`{"edits":"{\"old_string\":"}`, "/edits"},
		{`{"file_path":"a","path":"a"}`, "/file_path"},
		{`{"file_path":"a","filePath":"b"}`, "/filePath"},
		{`{"old_str":"a"}`, "/old_str"}, // the tool has the field, this object does not
		{`{"kind":"c"}`, "/kind"},
		{`[{},{}]`, ""},
		{`"{"`, ""},
	} {
		_, e := convertTool().Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(test.input)})
		if e == nil || e.Code != tools.InvalidInput || len(e.Details) != 1 || e.Details[0].Path != test.path {
			t.Errorf("%s: %+v, want one problem at %q", test.input, e, test.path)
		}
	}
	for _, input := range []string{`{}`, `{"path":"[\"a\"]"}`, `{"detail":""}`, `{"wait":30}`, `{"query":"a"}`,
		`{"query":"[1,"}`, `{"include":"*.{py,js}"}`, `{"include":"a[,]b"}`, `{"include":"a\\,b"}`, `{"include":"{a,"}`,
		`{"include":"!*,b*"}`, `{"include":"a.txt,b.txt"}`, `{"limit":null,"tags":null}`,
		`{"any":"[1]"}`, `{"any":{"file_path":"5"}}`} {
		r, e := convertTool().Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(input)})
		if e != nil || strings.Contains(string(r.JSON), `"converted"`) {
			t.Errorf("%s: %s %v", input, r.JSON, e)
		}
	}
}

// TestConvertEmpty checks that an empty text is refused where it may mean to clear a field.
func TestConvertEmpty(t *testing.T) {
	tool := convertTool()
	tool.Effect = tools.Changes
	input := `{"path":"","tags":"","query":"","limit":"","kind":"","edits":""}`
	_, e := tool.Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(input)})
	if e == nil || len(e.Details) != 2 || e.Details[0].Path != "/path" || e.Details[1].Path != "/tags" {
		t.Errorf("%+v", e)
	}
}

// TestConvertedFields keeps the conversions only where the caller wants them, and limits
// their number.
func TestConvertedFields(t *testing.T) {
	tool := convertTool()
	for fields, want := range map[string]string{
		"limit":           `{"limit":3}`,
		"limit,converted": `{"limit":3,"converted":[{"path":"/limit","from":"3","to":3}]}`,
	} {
		call := tools.Call{Input: []byte(`{"limit":"3"}`), Fields: strings.Split(fields, ",")}
		if r, e := tool.Invoke(context.Background(), &tools.Env{}, call); e != nil || string(r.JSON) != want {
			t.Errorf("%s: %s %v", fields, r.JSON, e)
		}
	}
	many := `{"counts":["1"` + strings.Repeat(`,"1"`, 102) + `]}`
	r, e := tool.Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(many)})
	if e != nil || !strings.HasSuffix(string(r.JSON), `],"converted_omitted":3}`) {
		t.Errorf("%s %v", r.JSON, e)
	}
}

// FuzzConvert checks that conversion changes no valid input, and that a converted input
// is not converted again.
func FuzzConvert(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2)) // fixed seed: the corpus stays the same
	for _, seed := range []string{`{"limit":"3"}`, `{"tags":"[\"a\"]"}`, `{"edits":"[{\"old_str\":\"x\"}]"}`,
		`"{\"limit\":\"3\"}"`, `{"include":"a,b,{c,d}"}`, `{"on":["false"]}`, `{"filePath":[""]}`, `[[{}]]`,
		`{"wait":[5]}`, `{"include":["a,b"]}`, `{"limit":[["1"]]}`, strings.Repeat(`["`, 70)} {
		f.Add([]byte(seed))
		f.Add((&maker{r: r}).mangle([]byte(seed)))
	}
	tool := convertTool()
	f.Fuzz(func(t *testing.T, raw []byte) {
		strict, problems := schema.Validate(&tools.Env{}, tool.Input(), raw)
		got, c, refused := tool.Reader().Read(&tools.Env{}, raw)
		if problems == nil && !hasException(raw) && (converted(c) || string(got) != string(strict)) {
			t.Errorf("%q was valid as %s and became %s", raw, strict, got)
		}
		if refused != nil {
			return
		}
		again, c, refused := tool.Reader().Read(&tools.Env{}, got)
		if refused != nil || converted(c) || string(again) != string(got) {
			t.Errorf("%q became %s, and that %s: %v %s", raw, got, again, refused, c.AddTo([]byte("{}")))
		}
	})
}

// hasException reports whether an input has a text that is valid, although schemas do not
// list it, and is converted: a list as text where one text may stand for a list, and commas
// in a pattern.
func hasException(raw []byte) bool {
	n, err := jsontree.Parse(raw)
	return err == nil && (textOf(n, "query") != "" || textOf(n, "include") != "")
}

// converted reports whether an input was converted.
func converted(c *schema.Conversions) bool { return string(c.AddTo([]byte("{}"))) != "{}" }

// textOf returns a field of an object that is a text, or "".
func textOf(n *jsontree.Node, name string) string {
	if v := n.Member(name); v != nil && v.Kind == '"' {
		return strings.TrimSpace(v.Text)
	}
	return ""
}
