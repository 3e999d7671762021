package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// refusal is a call that must be refused before the tool runs.
type refusal struct {
	tool  definition
	input []byte
	path  string // of the only problem; "" is any
}

// checkRefusals calls the tools with inputs that their schemas forbid for one reason,
// and with the extreme values that they allow beside an unknown field, which must be
// the only problem.
func checkRefusals(t *testing.T, w *world, d document) {
	var calls []refusal
	for _, tool := range d.tools {
		r, s := resolve(t, tool.Name, tool.Input), decodeSchema(t, tool.Input)
		for _, good := range append(extremes(s), smallest(s)) {
			if err := r.Validate(good); err != nil {
				t.Fatalf("%s: the schema forbids %v: %v", tool.Name, good, err)
			}
			good.(map[string]any)["no_such_field"] = "x"
			calls = append(calls, refusal{tool, mustEncode(t, good), "/no_such_field"})
		}
		for _, bad := range forbidden(s) {
			if r.Validate(bad) == nil {
				t.Fatalf("%s: the schema allows %v", tool.Name, bad)
			}
			calls = append(calls, refusal{tool, mustEncode(t, bad), ""})
		}
	}
	var lines bytes.Buffer
	for _, c := range calls {
		fmt.Fprintf(&lines, "{\"tool\":%q,\"input\":%s}\n", c.tool.Name, c.input)
	}
	answers := strings.Split(strings.TrimSpace(w.feed(lines.String(), "call", "--batch").out), "\n")
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	t.Logf("%d calls of %d tools", len(calls), len(d.tools))
	for i, c := range calls {
		c.check(t, []byte(answers[i]))
	}
}

func (c refusal) check(t *testing.T, answer []byte) {
	t.Helper()
	var got struct {
		Error struct {
			Code    string
			Details []struct{ Path, Message string }
		}
	}
	mustDecode(t, answer, &got)
	// A schema cannot say that one of two fields is required.
	got.Error.Details = slices.DeleteFunc(got.Error.Details, func(d struct{ Path, Message string }) bool {
		return d.Path != c.path && d.Message == "is required" && slices.Contains(replaceable, path.Base(d.Path))
	})
	switch {
	case c.tool.Meta["techo/off"] != nil && got.Error.Code == "unavailable":
	case got.Error.Code != "invalid_input":
		t.Errorf("%s %s: %s, want invalid_input", c.tool.Name, c.input, answer)
	case c.path != "" && (len(got.Error.Details) != 1 || got.Error.Details[0].Path != c.path):
		t.Errorf("%s %s: %s, want only the problem %s", c.tool.Name, c.input, answer, c.path)
	}
}

// replaceable are fields that are not required if another one is given.
var replaceable = []string{"path", "old_string", "new_string", "name", "content", "full_text"}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// extremes returns the smallest and largest values that a schema allows.
func extremes(s map[string]any) (all []any) {
	switch s["type"] {
	case "object":
		for name, p := range properties(s) {
			for _, v := range extremes(p) {
				o := smallest(s).(map[string]any)
				o[name] = v
				all = append(all, o)
			}
		}
	case "array":
		n, _ := s["minItems"].(float64)
		for _, v := range extremes(s["items"].(map[string]any)) {
			all = append(all, slices.Repeat([]any{v}, max(1, int(n))))
		}
	case "string":
		for _, e := range texts(s["enum"]) {
			all = append(all, e)
		}
		for _, end := range []string{"minLength", "maxLength"} {
			if n, ok := s[end].(float64); ok {
				all = append(all, strings.Repeat("x", int(n)))
			}
		}
	case "integer", "number":
		for _, end := range []string{"minimum", "maximum"} {
			if n, ok := s[end].(float64); ok {
				all = append(all, n)
			}
		}
	case "boolean":
		all = append(all, true, false)
	}
	return all
}

// smallest returns the smallest value that a schema allows.
func smallest(s map[string]any) any {
	least := func(keyword string) int {
		n, _ := s[keyword].(float64)
		return int(n)
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		for _, name := range texts(s["required"]) {
			o[name] = smallest(properties(s)[name])
		}
		return o
	case "array":
		list := []any{}
		for range least("minItems") {
			list = append(list, smallest(s["items"].(map[string]any)))
		}
		return list
	case "string":
		if e := texts(s["enum"]); len(e) > 0 {
			return e[0]
		}
		return strings.Repeat("x", max(1, least("minLength")))
	case "integer", "number":
		return float64(least("minimum"))
	case "boolean":
		return false
	}
	return "anything"
}

// forbidden returns values that a schema forbids, each with one problem. Arrays with too
// many items are left out, because tools refuse them with an error of their own.
func forbidden(s map[string]any) (all []any) {
	limit := func(keyword string) (int, bool) {
		n, ok := s[keyword].(float64)
		return int(n), ok
	}
	low, hasLow := limit("minimum")
	high, hasHigh := limit("maximum")
	switch s["type"] {
	case "object":
		return append(all, forbiddenObjects(s)...)
	case "array":
		all = append(all, "[1,", map[string]any{})
		items, _ := limit("minItems")
		if items > 0 {
			all = append(all, slices.Repeat([]any{smallest(s["items"].(map[string]any))}, items-1))
		}
		for _, bad := range forbidden(s["items"].(map[string]any)) {
			all = append(all, slices.Repeat([]any{bad}, max(1, items)))
		}
		return all
	case "string":
		all = append(all, map[string]any{}, []any{})
		if s["enum"] != nil {
			all = append(all, "none of them")
		}
		if n, ok := limit("minLength"); ok && n > 0 {
			all = append(all, strings.Repeat("x", n-1))
		}
		if n, ok := limit("maxLength"); ok {
			all = append(all, strings.Repeat("x", n+1))
		}
		return all
	case "boolean":
		return append(all, "yes", 1.0)
	case "integer":
		all = append(all, 1.5)
		fallthrough
	case "number":
		all = append(all, "7px", []any{})
		if hasLow {
			all = append(all, float64(low-1))
		}
		if hasHigh {
			all = append(all, float64(high+1))
		}
	}
	return all
}

// forbiddenObjects returns objects that a schema forbids, each with one problem.
func forbiddenObjects(s map[string]any) (all []any) {
	with := func(name string, v any) any {
		o := smallest(s).(map[string]any)
		o[name] = v
		return o
	}
	all = append(all, "text", []any{})
	if s["additionalProperties"] == false {
		all = append(all, with("no_such_field", "x"))
	}
	for _, name := range texts(s["required"]) {
		if name == "priority" { // add_memo has a default, which the schema hides so that a model chooses
			continue
		}
		o := smallest(s).(map[string]any)
		delete(o, name)
		all = append(all, o)
	}
	for name, p := range properties(s) {
		for _, bad := range forbidden(p) {
			if bad != "" || slices.Contains(texts(s["required"]), name) { // else it counts as not given
				all = append(all, with(name, bad))
			}
		}
	}
	return all
}
