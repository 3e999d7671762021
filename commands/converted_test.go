package commands

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// sent writes an input as some clients send it: numbers, lists and the whole input as
// text, one value for a list, a list for one value, names in camel case, and empty texts for
// fields that are not given.
func (in sameInput) sent() string {
	r := in.dice()
	var fields []jsontree.Field
	for _, f := range in.fields {
		name := f.Name
		if r.IntN(4) == 0 {
			name = camelCase(name)
		}
		fields = append(fields, jsontree.Field{Name: name, Value: f.sent(r)})
	}
	for _, p := range in.tool.Input().Properties {
		given := slices.ContainsFunc(in.fields, func(f sameField) bool { return f.Name == p.Name })
		unused := p.Kind == schema.Integer || p.Kind == schema.Boolean || len(p.Enum) > 0 ||
			in.tool.Effect != tools.Changes && (p.Kind == schema.Array || p.MinLength > 0)
		if !given && !p.Required && unused && r.IntN(4) == 0 {
			fields = append(fields, jsontree.Field{Name: p.Name, Value: []byte(`""`)})
		}
	}
	text := jsontree.AppendObject(nil, fields)
	if r.IntN(8) == 0 {
		text = jsontree.AppendText(nil, string(text))
	}
	return string(text)
}

var wholeNumbers = regexp.MustCompile(`^-?[1-9][0-9]{0,17}$`)

func (f sameField) sent(r *rand.Rand) []byte {
	plain := jsontree.AppendText(nil, f.texts0())
	var items [][]byte
	for _, text := range f.texts {
		items = append(items, jsontree.AppendText(nil, text))
	}
	list := jsontree.AppendList(nil, items)
	switch {
	case f.Kind == schema.Array && f.Items.Kind == schema.Object: // a text is none of them
		return list
	case f.Kind == schema.Array && len(items) == 1 && r.IntN(2) == 0 && strings.TrimSpace(f.texts[0]) != "" &&
		f.texts[0] != "null" && !strings.ContainsAny(f.texts[0], "[{,、\n"):
		return plain
	case f.Kind == schema.Array && slices.ContainsFunc(f.texts, func(s string) bool { return !utf8.ValidString(s) }):
		return list
	case f.Kind == schema.Array:
		return jsontree.AppendText(nil, string(list))
	case f.Kind == schema.Integer && wholeNumbers.MatchString(f.texts[0]) && r.IntN(2) == 0:
		return []byte(`["` + f.texts[0] + `"]`)
	case f.Kind == schema.String && r.IntN(3) == 0 && (f.texts[0] != "" || f.Required):
		return jsontree.AppendList(nil, [][]byte{plain})
	}
	return plain // also numbers
}

func (f sameField) texts0() string {
	if len(f.texts) == 0 {
		return ""
	}
	return f.texts[0]
}

func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(words, "")
}

// convertedField matches the field with the conversions at the end of a result.
var convertedField = regexp.MustCompile(`,"converted":\[\{"path":.*\}\](,"converted_omitted":\d+)?\}\n$`)

// TestConverted sends random inputs in the forms of some clients. The results have the bytes
// of the plain inputs, but for the field with the conversions.
func TestConverted(t *testing.T) {
	t.Parallel()
	m := &sameMaker{Rand: testenv.Random(t)}
	f := newSameFaces(t, m.Rand)
	f.share()
	converted, samples := 0, testenv.Pick(300, 500)
	for range samples {
		in := m.input()
		if !in.each(utf8.ValidString) {
			continue
		}
		for i, field := range in.fields { // other digits of numbers are tested with the validator
			if field.Kind == schema.Integer && !wholeNumbers.MatchString(field.texts[0]) {
				in.fields[i].texts = []string{"3"}
			}
		}
		plain := f.do(f.stdin, in.json(), "call", in.tool.Name)
		sent := f.do(f.word, in.sent(), "call", in.tool.Name, "-")
		if convertedField.MatchString(sent.out) {
			converted++
		}
		if got := convertedField.ReplaceAllString(sent.out, "}\n"); got != plain.out || sent.code != plain.code {
			t.Fatalf("%s\ngives %s\n%s\ngives %s", in.json(), plain.out, in.sent(), sent.out)
		}
	}
	if converted < samples/6 { // a quarter is usual
		t.Errorf("only %d of %d results had conversions", converted, samples)
	}
}

// TestAliases checks that each alias names an existing field and is none itself.
func TestAliases(t *testing.T) {
	var has func(s *schema.Schema, name string) bool
	has = func(s *schema.Schema, name string) bool {
		return s != nil && (s.Property(name) != nil || has(s.Items, name) ||
			slices.ContainsFunc(s.Properties, func(p schema.Property) bool { return has(p.Schema, name) }))
	}
	seen := map[string]bool{}
	for _, a := range schema.Aliases {
		for _, name := range strings.Fields(a.Tools) {
			i := slices.IndexFunc(families(), func(t *tools.Tool) bool { return t.Name == name })
			if i < 0 || a.Field != "" && !has(families()[i].Input(), a.Field) {
				t.Errorf("%s has no field %s", name, a.Field)
				continue
			}
			for _, other := range strings.Fields(a.Names) {
				if seen[name+" "+other] || families()[i].Input().Property(other) != nil {
					t.Errorf("%s: %s is a field or has two meanings", name, other)
				}
				seen[name+" "+other] = true
			}
		}
	}
	w := newWorld(t)
	w.run("fs", "write", "--file-path", "a.txt", "--file_text", "one\n").ok()
	input := `{"file_path":"a.txt","edits":[{"oldText":"one","newText":"two"}],"dryRun":"true"}`
	got := w.run("call", "edit_file", input).ok()
	if got["replacements"] != 1.0 || len(got["converted"].([]any)) != 5 {
		t.Errorf("%v", got)
	}
	for _, mode := range []string{"content", "count", "files_with_matches"} {
		got := w.run("call", "grep", `{"pattern":"one","-n":true,"output_mode":"`+mode+`","head_limit":"5"}`).ok()
		if (mode == "count") != (got["counts"] != nil) || (mode == "files_with_matches") != (got["paths"] != nil) ||
			len(got["converted"].([]any)) != 4 {
			t.Errorf("%s: %v", mode, got)
		}
	}
	w.run("call", "grep", `{"pattern":"one","output_mode":"x"}`).fails("invalid_input", "/output_mode")
	if got := w.run("memo", "list", "--limit=").ok(); got["limit"] != 10.0 {
		t.Errorf("%v", got)
	}
	w.run("fs", "read", "a.txt", "--file-path", "b.txt").fails("invalid_input", "/file_path")
}
