package commands

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// subset is the part of JSON Schema that a vendor supports.
type subset struct {
	types    []string
	keywords []string
	strict   bool // OpenAI's strict mode
	gemini   bool
}

// subsets returns JSON Schema for MCP and Anthropic, OpenAI's strict subset, and
// Gemini's.
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

// checkSubsets checks that each schema keeps to the subset of its format.
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
			if strings.HasPrefix(e.format, "openai") && !hasOpenPart(decodeSchema(t, tool.input())) {
				t.Errorf("%s: is not strict, although strict mode can express it", at)
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

// resolve compiles a schema with another library, and validates its defaults.
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

// hasOpenPart reports whether a schema contains an object with arbitrary properties or
// a value of any type, which strict mode cannot express.
func hasOpenPart(s map[string]any) bool {
	if s["type"] == nil || s["type"] == "object" && s["additionalProperties"] != false {
		return true
	}
	for _, p := range properties(s) {
		if hasOpenPart(p) {
			return true
		}
	}
	items, ok := s["items"].(map[string]any)
	return ok && hasOpenPart(items)
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

func texts(v any) []string {
	var list []string
	items, _ := v.([]any)
	for _, item := range items {
		list = append(list, fmt.Sprint(item))
	}
	return list
}

// check checks a schema and its parts. It follows the structure, so that a property
// called "default" is not taken for the keyword.
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

// checkType checks the type of a schema, and what a vendor demands of that type.
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
