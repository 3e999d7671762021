package splice

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

// TestJSONInsert sets values in texts with comments, and in lists, and then removes them.
func TestJSONInsert(t *testing.T) {
	for _, c := range []struct{ name, text, path, want string }{
		{"after a comment", "{\n  \"a\": 1 // one\n}", "x", "{\n  \"a\": 1, // one\n  \"x\": [\n    1\n  ]\n}"},
		{"after a comma", "{\n  \"a\": 1, // one\n}", "x", "{\n  \"a\": 1, // one\n  \"x\": [\n    1\n  ],\n}"},
		{"after blocks", "{\"a\": 1 /* b */ /* c */ }", "x",
			"{\"a\": 1, /* b */ /* c */\n  \"x\": [\n    1\n  ] }"},
		{"before a comment", "{\n  // none\n}\n", "x", "{\n  \"x\": [\n    1\n  ]\n  // none\n}\n"},
		{"in a list", "{\"l\": [\n  1]}", "l -", "{\"l\": [\n  1,\n    [\n      1\n    ]]}"},
		{"in a list of a list", "{\"l\": [[]]}", "l 0 -", "{\"l\": [[\n      [\n        1\n      ]\n    ]]}"},
		{"in an empty list", "{\"l\": []}", "l -", "{\"l\": [\n    [\n      1\n    ]\n  ]}"},
		{"in no list", "{}", "l -", "{\n  \"l\": [\n    [\n      1\n    ]\n  ]\n}"},
		{"windows", "{\r\n\t\"a\": 1 // one\r\n}", "x",
			"{\r\n\t\"a\": 1, // one\r\n\t\"x\": [\r\n\t\t1\r\n\t]\r\n}"},
	} {
		got, err := JSON{Comments: true}.Set([]byte(c.text), strings.Fields(c.path), []int{1})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
		if _, err := (JSON{}).Set([]byte(c.text), strings.Fields(c.path), 1); (err == nil) != json.Valid([]byte(c.text)) {
			t.Errorf("%s: without comments: %v", c.name, err)
		}
	}
}

// TestJSONRemove removes a value and nothing else.
func TestJSONRemove(t *testing.T) {
	for _, c := range []struct{ name, text, path, want string }{
		{"only", "{\n  \"x\": 1\n}\n", "x", "{}\n"},
		{"only, with a comma", "{\n  \"x\": 1,\n}\n", "x", "{}\n"},
		{"only, with a comment", "{ // y\n  \"x\": 1\n}\n", "x", "{ // y\n}\n"},
		{"first", "{\n  \"x\": 1,\n  // b\n  \"b\": 2\n}", "x", "{\n  // b\n  \"b\": 2\n}"},
		{"last", "{\n  \"a\": 1, // a\n  \"x\": 2 // x\n}", "x", "{\n  \"a\": 1 // a // x\n}"},
		{"last, with a comma", "{\n  \"a\": 1,\n  \"x\": 2,\n}", "x", "{\n  \"a\": 1,\n}"},
		{"in a line", "{\"a\": 1, \"x\": 2, \"b\": 3}", "x", "{\"a\": 1, \"b\": 3}"},
		{"deep", "{\"l\": [1, {\"x\": 2}]}", "l 1 x", "{\"l\": [1, {}]}"},
		{"element", "{\"l\": [1, 2]}", "l 0", "{\"l\": [ 2]}"},
		{"absent", "{\"l\": [1]}", "l 7", "{\"l\": [1]}"},
		{"absent above", "{\"l\": 1}", "l a b", "{\"l\": 1}"},
	} {
		got, err := JSON{Comments: true}.Remove([]byte(c.text), strings.Fields(c.path))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
	}
}

// FuzzJSONComments sets and removes a value in texts with comments: no other value
// changes, and no comment is lost.
func FuzzJSONComments(f *testing.F) {
	f.Add("{\"l\": [1, /* c */], // d\n}", "x")
	f.Add("{\n\t\"a\": {\"b\": 1} // e\n\t,\n}", "\"")
	f.Fuzz(func(t *testing.T, text, value string) {
		j := JSON{Comments: true}
		before, err := values(text)
		if err != nil || before["x"] != nil {
			return
		}
		set, err := j.Set([]byte(text), []string{"x"}, value)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		after, err := values(string(set))
		if err != nil || after["x"] != asJSON(value) {
			t.Fatalf("%q becomes %q: %v", text, set, err)
		}
		removed, err := j.Remove(set, []string{"x"})
		if err != nil {
			t.Fatal(err)
		}
		again, err := values(string(removed))
		if err != nil || !reflect.DeepEqual(again, before) {
			t.Errorf("%q becomes %q and then %q: %v", text, set, removed, err)
		}
	})
}

func values(text string) (v map[string]any, err error) {
	standard, err := hujson.Standardize([]byte(text))
	if err == nil {
		err = json.Unmarshal(standard, &v)
	}
	if v == nil {
		v = map[string]any{}
	}
	return v, err
}

// TestTOMLTop sets a key that is in no table.
func TestTOMLTop(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "k = true\n"},
		{"a = 1 # b", "a = 1 # b\nk = true\n"},
		{"# c\r\nk = 1\r\n", "# c\r\nk = true\r\n"},
	} {
		if got, err := (TOML{}).Set([]byte(c.text), []string{"k"}, true); err != nil || string(got) != c.want {
			t.Errorf("%q: %v\n%q\nwant\n%q", c.text, err, got, c.want)
		}
	}
	if got, err := (TOML{}).Set([]byte("[t]\na = 1\n"), []string{"k"}, true); err == nil {
		t.Errorf("above a table: %q", got)
	}
}

// TestTOMLRemove removes a table and nothing else.
func TestTOMLRemove(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"table", "z = 1\n\n[a.b] # mine\nk = 1\nl = [\n 2,\n]\n# c\n[a.c]\nk = 2\n", "z = 1\n\n# c\n[a.c]\nk = 2\n"},
		{"tables below", "[a.b]\nk = 1\n[a.b.env]\nX = 'y'\n[c]\n", "[c]\n"},
		{"dotted", "a.b.k = 1\na.c = 2\n", "a.c = 2\n"},
		{"inline", "[a]\nb = {k = 1}\nc = 2\n", "[a]\nc = 2\n"},
		{"absent", "[a]\nc = 2\n", "[a]\nc = 2\n"},
	} {
		got, err := TOML{}.Remove([]byte(c.text), []string{"a", "b"})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", c.name, err, got, c.want)
		}
	}
	if _, err := (TOML{}).Remove([]byte("a ="), []string{"a"}); err == nil {
		t.Error("invalid TOML is accepted")
	}
}
