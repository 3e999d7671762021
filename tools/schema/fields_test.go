package schema_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/jsontree"
)

type fieldsItem struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

type fieldsOut struct {
	Memos   []fieldsItem      `json:"memos"`
	Grid    [][]fieldsItem    `json:"grid"`
	First   *fieldsItem       `json:"first"`
	Total   int               `json:"total"`
	Extra   map[string]string `json:"extra"`
	Raw     json.RawMessage   `json:"raw"`
	Message string            `json:"message"`
}

func fieldsTool() *tools.Tool {
	return tools.Define(tools.Tool{Name: "list"},
		func(context.Context, *tools.Env, struct{}) (fieldsOut, error) { return fieldsOut{}, nil })
}

// TestFields checks which parts of a result a list of fields keeps.
func TestFields(t *testing.T) {
	const document = `{"memos":[{"name":"a","tags":["x"]},{"name":"b","tags":[]}],` +
		`"grid":[[{"name":"c","tags":[]}],[]],"first":{"name":"a","tags":["x"]},"total":5,` +
		`"extra":{"k":"v","l":"w"},"raw":{"deep":[{"k":1,"l":2}]},"message":"two"}`
	tests := []struct{ fields, want string }{
		{"", document},
		{"total", `{"total":5}`},
		{"message total", `{"total":5,"message":"two"}`},
		{"total total", `{"total":5}`},
		{"memos", `{"memos":[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]}`},
		{"memos.name", `{"memos":[{"name":"a"},{"name":"b"}]}`},
		{"memos.name memos.tags", `{"memos":[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]}`},
		{"memos.name memos", `{"memos":[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]}`},
		{"memos memos.name", `{"memos":[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]}`},
		{"grid.name total", `{"grid":[[{"name":"c"}],[]],"total":5}`},
		{"first.tags", `{"first":{"tags":["x"]}}`},
		{"extra.k", `{"extra":{"k":"v"}}`},
		{"extra.none", `{"extra":{}}`},
		{"raw.deep.l", `{"raw":{"deep":[{"l":2}]}}`},
		{"raw.none", `{"raw":{}}`},
	}
	tool, env := fieldsTool(), &tools.Env{}
	for _, test := range tests {
		tree, problems := tool.Output().Select(env, strings.Fields(test.fields))
		if len(problems) > 0 {
			t.Errorf("%q: %v", test.fields, problems)
			continue
		}
		if got := string(jsontree.Pick([]byte(document), tree)); got != test.want {
			t.Errorf("%q: got %s\nwant %s", test.fields, got, test.want)
		}
	}
	if got := string(jsontree.Pick([]byte("not JSON"), jsontree.Fields{"a": nil})); got != "not JSON" {
		t.Errorf("what is not JSON became %q", got)
	}
}

// TestFieldsUnknown checks that all unknown fields are reported at once, with
// suggestions.
func TestFieldsUnknown(t *testing.T) {
	env := &tools.Env{}
	_, problems := fieldsTool().Output().Select(env, []string{"totl", "memos.nam", "total", "memos.", "", "zzz"})
	const all = "There are: memos, grid, first, total, extra, raw, message"
	want := []tools.Detail{
		{Path: "/fields", Message: `"totl" is not in the result`, Hint: "Did you mean 'total'?"},
		{Path: "/fields", Message: `"memos.nam" is not in the result`, Hint: "Did you mean 'name'?"},
		{Path: "/fields", Message: `"memos." is not in the result`, Hint: "There are: name, tags"},
		{Path: "/fields", Message: `"" is not in the result`, Hint: all},
		{Path: "/fields", Message: `"zzz" is not in the result`, Hint: all},
	}
	if !slices.Equal(problems, want) {
		t.Errorf("got  %+v\nwant %+v", problems, want)
	}
	env.Lang = tools.Japanese
	_, problems = fieldsTool().Output().Select(env, []string{"totl"})
	want = []tools.Detail{
		{Path: "/fields", Message: "「totl」は結果にありません", Hint: "もしかして: 「total」"},
	}
	if !slices.Equal(problems, want) {
		t.Errorf("got  %+v\nwant %+v", problems, want)
	}
}

// TestFieldsBelowValue checks that a step below a text or a number is rejected.
func TestFieldsBelowValue(t *testing.T) {
	for _, field := range []string{"total.x", "message.x", "memos.name.x", "memos.tags.x", "first.name.x.y"} {
		if _, problems := fieldsTool().Output().Select(&tools.Env{}, []string{field}); len(problems) != 1 {
			t.Errorf("%s: %+v", field, problems)
		}
	}
}
