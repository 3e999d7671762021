package tools

import (
	"context"
	"encoding/json"
	"testing"
)

// TestUnless leaves out what is required, with and without what it may be left
// out for. The schema calls it required all the same.
func TestUnless(t *testing.T) {
	type in struct {
		Path string   `json:"path" unless:"all,any" min:"1" en:"p" ja:"p"`
		Text *string  `json:"text" unless:"all" en:"t" ja:"t"`
		All  []string `json:"all,omitempty" en:"a" ja:"a"`
		Any  bool     `json:"any,omitempty" en:"a" ja:"a"`
	}
	tool := Define(Tool{Name: "x"}, func(_ context.Context, _ *Env, got in) (in, error) { return got, nil })
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
		`{"path":5,"all":["x"]}`:    "/path ",
	} {
		r, e := tool.Invoke(context.Background(), &Env{}, Call{Input: []byte(input)})
		got := ""
		if e != nil {
			for _, d := range e.Details {
				got += d.Path + " "
			}
		} else if !json.Valid(r.JSON) {
			t.Errorf("%s: %s", input, r.JSON)
		}
		if got != want {
			t.Errorf("%s: faults %q, want %q", input, got, want)
		}
	}
}
