package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// subset is what a vendor documents of JSON Schema.
type subset struct {
	types    []string
	keywords []string
	strict   bool // OpenAI's strict mode
	gemini   bool
}

func subsets() (plain, strict, gemini subset) {
	types := []string{"object", "array", "string", "integer", "number", "boolean"}
	common := []string{"type", "description", "enum", "minimum", "maximum", "minItems", "maxItems", "items",
		"properties", "required"}
	lengths := []string{"minLength", "maxLength"}
	var upper []string
	for _, name := range types {
		upper = append(upper, strings.ToUpper(name))
	}
	plain = subset{types: types, keywords: slices.Concat(common, lengths, []string{"default", "additionalProperties"})}
	strict = subset{types: types, keywords: slices.Concat(common, []string{"additionalProperties"}), strict: true}
	gemini = subset{types: upper, keywords: slices.Concat(common, lengths, []string{"propertyOrdering"}), gemini: true}
	return plain, strict, gemini
}

func checkSubsets(t *testing.T, all map[edition]document) {
	plain, strict, gemini := subsets()
	for e, d := range all {
		for _, tool := range d.tools {
			at := e.String() + ": " + tool.Name
			switch {
			case e.format == "names":
				continue
			case e.format == "gemini" && tool.input() == nil:
				continue
			case e.format == "gemini":
				gemini.check(t, at, decodeSchema(t, tool.input()))
				continue
			case tool.Strict:
				strict.check(t, at, decodeSchema(t, tool.input()))
				continue
			}
			plain.check(t, at, decodeSchema(t, tool.input()))
			if strings.HasPrefix(e.format, "openai") && !isOpen(decodeSchema(t, tool.input())) {
				t.Errorf("%s: is not strict, and nothing in it is open", at)
			}
			if decodeSchema(t, tool.input())["additionalProperties"] != false {
				t.Errorf("%s: the input is not closed", at)
			}
			resolve(t, at, tool.input())
			if e.format == "mcp" {
				plain.check(t, at+" output", decodeSchema(t, tool.Output))
				resolve(t, at+" output", tool.Output)
			}
		}
	}
}

func decodeSchema(t *testing.T, raw []byte) (s map[string]any) {
	t.Helper()
	mustDecode(t, raw, &s)
	return s
}

// resolve reads a schema as the library of another hand does, with its
// defaults held against it.
func resolve(t *testing.T, at string, raw []byte) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	mustDecode(t, raw, &s)
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	return r
}

// isOpen reports whether some object takes other properties, or some value is
// of any type, which strict mode cannot say.
func isOpen(s map[string]any) bool {
	if s["type"] == nil || s["type"] == "object" && s["additionalProperties"] != false {
		return true
	}
	for _, p := range properties(s) {
		if isOpen(p) {
			return true
		}
	}
	items, ok := s["items"].(map[string]any)
	return ok && isOpen(items)
}

func properties(s map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	if m, ok := s["properties"].(map[string]any); ok {
		for name, p := range m {
			all[name] = p.(map[string]any)
		}
	}
	return all
}

// texts returns a list of texts.
func texts(v any) []string {
	var list []string
	items, _ := v.([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item))
	}
	return list
}

// check walks a schema, and so never takes a property called "default" for the
// keyword.
func (v subset) check(t *testing.T, at string, s map[string]any) {
	t.Helper()
	for keyword := range s {
		if !slices.Contains(v.keywords, keyword) {
			t.Errorf("%s: the keyword %q is not in the subset", at, keyword)
		}
	}
	v.checkType(t, at, s)
	for _, e := range texts(s["enum"]) {
		if e == "" || e == "<nil>" && !v.strict {
			t.Errorf("%s: enum %v", at, s["enum"])
		}
	}
	names := slices.Sorted(maps.Keys(properties(s)))
	if sorted := slices.Sorted(slices.Values(texts(s["required"]))); v.strict && s["properties"] != nil &&
		!slices.Equal(sorted, names) {
		t.Errorf("%s: required is %v, the properties are %v", at, sorted, names)
	}
	for name, p := range properties(s) {
		v.check(t, at+"."+name, p)
	}
	if items, ok := s["items"].(map[string]any); ok {
		v.check(t, at+"[]", items)
	}
}

func (v subset) checkType(t *testing.T, at string, s map[string]any) {
	t.Helper()
	kind, single := s["type"].(string)
	if list := texts(s["type"]); v.strict && len(list) == 2 && list[1] == "null" {
		kind, single = list[0], true
	}
	if s["type"] == nil && !v.strict && !v.gemini {
		return // any JSON
	}
	if !single || !slices.Contains(v.types, kind) {
		t.Errorf("%s: type %v", at, s["type"])
	}
	names := slices.Sorted(maps.Keys(properties(s)))
	order := slices.Sorted(slices.Values(texts(s["propertyOrdering"])))
	switch {
	case v.strict && kind == "object" && s["additionalProperties"] != false:
		t.Errorf("%s: the object is not closed", at)
	case v.gemini && kind == "OBJECT" && len(names) == 0:
		t.Errorf("%s: an object without properties is refused", at)
	case v.gemini && !slices.Equal(order, names):
		t.Errorf("%s: propertyOrdering is %v, the properties are %v", at, order, names)
	}
}

// refusal is a call that must be refused, before anything is done.
type refusal struct {
	tool  definition
	input []byte
	path  string // of its only fault, "" when it does not matter
}

// checkRefusals calls the tools with what their schemas forbid, each time for
// one reason, and with the outermost that they allow beside one fault: that
// has to be the only one that is found.
func checkRefusals(t *testing.T, techo func(*testing.T, []byte, ...string) []byte, d document) {
	var calls []refusal
	for _, tool := range d.tools {
		r, s := resolve(t, tool.Name, tool.Input), decodeSchema(t, tool.Input)
		for _, good := range append(outermost(s), allowed(s)) {
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
	answers := bytes.Split(bytes.TrimSpace(techo(t, lines.Bytes(), "call", "--batch")), []byte("\n"))
	if len(answers) != len(calls) {
		t.Fatalf("%d answers to %d calls", len(answers), len(calls))
	}
	t.Logf("%d calls of %d tools", len(calls), len(d.tools))
	for i, c := range calls {
		c.check(t, answers[i])
	}
}

func (c refusal) check(t *testing.T, answer []byte) {
	t.Helper()
	var got struct {
		Error struct {
			Code    string
			Details []struct{ Path string }
		}
	}
	mustDecode(t, answer, &got)
	switch {
	case c.tool.Meta["techo/off"] != nil && got.Error.Code == "unavailable":
	case got.Error.Code != "invalid_input":
		t.Errorf("%s %s: %s, want invalid_input", c.tool.Name, c.input, answer)
	case c.path != "" && (len(got.Error.Details) != 1 || got.Error.Details[0].Path != c.path):
		t.Errorf("%s %s: %s, want no fault but %s", c.tool.Name, c.input, answer, c.path)
	}
}

func mustEncode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// outermost makes the values at the ends of what a schema allows.
func outermost(s map[string]any) (all []any) {
	switch s["type"] {
	case "object":
		for name, p := range properties(s) {
			for _, v := range outermost(p) {
				o := allowed(s).(map[string]any)
				o[name] = v
				all = append(all, o)
			}
		}
	case "array":
		n, _ := s["minItems"].(float64)
		for _, v := range outermost(s["items"].(map[string]any)) {
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

// allowed makes the least that a schema allows.
func allowed(s map[string]any) any {
	least := func(keyword string) int {
		n, _ := s[keyword].(float64)
		return int(n)
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		for _, name := range texts(s["required"]) {
			o[name] = allowed(properties(s)[name])
		}
		return o
	case "array":
		list := []any{}
		for range least("minItems") {
			list = append(list, allowed(s["items"].(map[string]any)))
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

// forbidden makes values that a schema forbids, one fault in each. More items
// than an array may have are left out: those a tool refuses in its own words.
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
		all = append(all, "text", map[string]any{})
		items, _ := limit("minItems")
		if items > 0 {
			all = append(all, slices.Repeat([]any{allowed(s["items"].(map[string]any))}, items-1))
		}
		for _, bad := range forbidden(s["items"].(map[string]any)) {
			all = append(all, slices.Repeat([]any{bad}, max(1, items)))
		}
		return all
	case "string":
		all = append(all, 7.0, true, []any{})
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
		return append(all, "true", 1.0)
	case "integer":
		all = append(all, 1.5)
		fallthrough
	case "number":
		all = append(all, "7", []any{})
		if hasLow {
			all = append(all, float64(low-1))
		}
		if hasHigh {
			all = append(all, float64(high+1))
		}
	}
	return all
}

func forbiddenObjects(s map[string]any) (all []any) {
	with := func(name string, v any) any {
		o := allowed(s).(map[string]any)
		o[name] = v
		return o
	}
	all = append(all, "text", []any{})
	if s["additionalProperties"] == false {
		all = append(all, with("no_such_field", "x"))
	}
	for _, name := range texts(s["required"]) {
		o := allowed(s).(map[string]any)
		delete(o, name)
		all = append(all, o)
	}
	for name, p := range properties(s) {
		for _, bad := range forbidden(p) {
			all = append(all, with(name, bad))
		}
	}
	return all
}
