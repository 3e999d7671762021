package schema_test

import (
	"context"
	"encoding/json"
	"testing"

	"techo/tools"
)

// TestUnless omits a required field, with and without the field that makes it
// optional. The advertised schema lists it as required in both cases.
func TestUnless(t *testing.T) {
	type in struct {
		Path string   `json:"path" requiredUnless:"all,any" minLength:"1" doc:"p"`
		Text *string  `json:"text" requiredUnless:"all" doc:"t"`
		All  []string `json:"all,omitempty" doc:"a"`
		Any  bool     `json:"any,omitempty" doc:"a"`
	}
	tool := tools.Define(tools.Tool{Name: "x"},
		func(_ context.Context, _ *tools.Env, got in) (in, error) { return got, nil })
	for _, p := range tool.Input().Properties {
		if want := p.Name == "path" || p.Name == "text"; p.Required != want {
			t.Errorf("%s: required is %v", p.Name, p.Required)
		}
	}
	for input, want := range map[string]string{
		`{}`:                        "/path /text ",
		`{"all":[]}`:                "/path /text ",
		`{"all":null}`:              "/path /text ",
		`{"any":true}`:              "/text ",
		`{"all":["x"]}`:             "",
		`{"path":"","all":["x"]}`:   "",
		`{"path":null,"all":["x"]}`: "",
		`{"text":"","path":"y"}`:    "",
		`{"text":null,"path":"y"}`:  "/text ",
		`{"path":"","text":""}`:     "/path ",
		`{"path":{},"all":["x"]}`:   "/path ",
	} {
		r, e := tool.Invoke(context.Background(), &tools.Env{}, tools.Call{Input: []byte(input)})
		got := ""
		if e != nil {
			for _, d := range e.Details {
				got += d.Path + " "
			}
		} else if !json.Valid(r.JSON) {
			t.Errorf("%s: %s", input, r.JSON)
		}
		if got != want {
			t.Errorf("%s: problems %q, want %q", input, got, want)
		}
	}
}
