package splice

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "{\n  \"a\": {\n    \"b\": \"x\"\n  }\n}\n"},
		{"empty", "{}", "{\n  \"a\": {\n    \"b\": \"x\"\n  }\n}"},
		{"beside others", "{\n\t\"z\": 1.50\n}\n", "{\n\t\"z\": 1.50,\n\t\"a\": {\n\t\t\"b\": \"x\"\n\t}\n}\n"},
		{"in an object", "{\"a\": {\n    \"c\": 1}}\n", "{\"a\": {\n    \"c\": 1,\n        \"b\": \"x\"}}\n"},
		{"another value", `{"a":{"b":[1, 2],"c":3}} `, `{"a":{"b":"x","c":3}} `},
		{"the same value", `{"a" : {"b" : "\u0078"}}`, `{"a" : {"b" : "\u0078"}}`},
		{"the last counts", `{"a":{"b":1},"a":{"b":2}}`, `{"a":{"b":1},"a":{"b":"x"}}`},
		{"windows", "\xef\xbb\xbf{\r\n  \"z\": 1\r\n}\r\n",
			"\xef\xbb\xbf{\r\n  \"z\": 1,\r\n  \"a\": {\r\n    \"b\": \"x\"\r\n  }\r\n}\r\n"},
	} {
		got, err := JSON{}.Set([]byte(c.text), []string{"a", "b"}, "x")
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
	for _, text := range []string{`[]`, `1`, `{"a":1}`, `{"a":null}`} {
		if _, err := (JSON{}).Set([]byte(text), []string{"a", "b"}, "x"); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"// c\n{}", `{"a":1,}`, `{} {}`, `{`} {
		if got, err := (JSON{}).Set([]byte(text), []string{"a", "b"}, "x"); err == nil {
			t.Errorf("%s: becomes %s", text, got)
		}
	}
}

func TestTOML(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "[a.b]\nk = \"x\"\n"},
		{"after others", "z = 1 # one", "z = 1 # one\n\n[a.b]\nk = \"x\"\n"},
		{"in the table", "[a.b] # mine\nz = 1\n[a.c]\nk = 2\n", "[a.b] # mine\nk = \"x\"\nz = 1\n[a.c]\nk = 2\n"},
		{"in an empty table", "[a.b]", "[a.b]\nk = \"x\"\n"},
		{"another value", "[a.b]\nk = [ # l\n 'y',\n] # end\nz = 1", "[a.b]\nk = \"x\" # end\nz = 1"},
		{"the same value", "[a.b]\nk='x'", "[a.b]\nk='x'"},
		{"dotted", "a.b.k = 1\n", "a.b.k = \"x\"\n"},
		{"dotted in a table", "[a]\nb.k = 1\n", "[a]\nb.k = \"x\"\n"},
		{"not in a string", "s = '''\n[a.b]\nk = 1\n'''\n", "s = '''\n[a.b]\nk = 1\n'''\n\n[a.b]\nk = \"x\"\n"},
		{"windows", "[a.b]\r\nz = 1\r\n", "[a.b]\r\nk = \"x\"\r\nz = 1\r\n"},
	} {
		got, err := TOML{}.Set([]byte(c.text), []string{"a", "b", "k"}, "x")
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
	}
	for _, text := range []string{"a = 1", "a = {b = {k = 1}}", "[[a.b]]\nk = 1", "[a]\nb = 1", "[a]\nb.z = 1"} {
		if got, err := (TOML{}).Set([]byte(text), []string{"a", "b", "k"}, "x"); !errors.Is(err, ErrShape) {
			t.Errorf("%s: %v\n%s", text, err, got)
		}
	}
	if got, err := (TOML{}).Set([]byte("a = "), []string{"a", "b", "k"}, "x"); err == nil {
		t.Errorf("invalid TOML becomes %s", got)
	}
}

// FuzzJSON checks that no other value changes and that a second call changes
// nothing.
func FuzzJSON(f *testing.F) {
	f.Add(`{"a":{"b":1},"c":[{}]}`, "x")
	f.Add("{\n\t\"a\" : {}}", "\x7f\"\\")
	f.Fuzz(func(t *testing.T, text, value string) {
		var before map[string]any
		got, err := JSON{}.Set([]byte(text), []string{"a", "b"}, value)
		if err != nil || strings.TrimSpace(text) == "" ||
			json.Unmarshal([]byte(strings.TrimPrefix(text, byteOrderMark)), &before) != nil {
			return
		}
		var after map[string]any
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(got), byteOrderMark)), &after); err != nil {
			t.Fatalf("%v: %q", err, got)
		}
		sameBut(t, before, after, asJSON(value))
		again, err := JSON{}.Set(got, []string{"a", "b"}, value)
		if err != nil || string(again) != string(got) {
			t.Errorf("again: %v\n%q\nbefore\n%q", err, again, got)
		}
	})
}

func asJSON(s string) string { return string([]rune(s)) }

// FuzzTOML is FuzzJSON for TOML.
func FuzzTOML(f *testing.F) {
	f.Add("[a.b]\nc = 1 # d\n[x]\ny = ['''\n''']", "x")
	f.Add("a.b.c = 1\n", "\x7f\"\\")
	f.Fuzz(func(t *testing.T, text, value string) {
		var before map[string]any
		got, err := TOML{}.Set([]byte(text), []string{"a", "b", "b"}, value)
		if err != nil || toml.Unmarshal([]byte(text), &before) != nil {
			return
		}
		var after map[string]any
		if err := toml.Unmarshal(got, &after); err != nil {
			t.Fatalf("%v: %q", err, got)
		}
		a, _ := after["a"].(map[string]any)
		b, _ := a["b"].(map[string]any)
		if b["b"] != asJSON(value) {
			t.Errorf("%q: set to %v, want %q", got, b["b"], value)
		}
		again, err := TOML{}.Set(got, []string{"a", "b", "b"}, value)
		if err != nil || string(again) != string(got) {
			t.Errorf("again: %v\n%q\nbefore\n%q", err, again, got)
		}
	})
}

// sameBut fails unless two documents are equal except for /a/b.
func sameBut(t *testing.T, before, after map[string]any, value string) {
	t.Helper()
	a, _ := after["a"].(map[string]any)
	if a["b"] != value {
		t.Errorf("set to %q, want %q", a["b"], value)
	}
	delete(a, "b")
	old, _ := before["a"].(map[string]any)
	delete(old, "b")
	if len(old) == 0 && len(a) == 0 {
		delete(before, "a")
		delete(after, "a")
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("%v became %v", before, after)
	}
}
