package tools

import (
	"context"
	"testing"
)

// TestHintReferences checks how a hint names commands, fields and flags in a shell and to a caller
// that has tools, of which one is not listed.
func TestHintReferences(t *testing.T) {
	type in struct {
		Path    string `json:"path" doc:"Path"`
		Parents bool   `json:"parents,omitempty" doc:"Parents"`
	}
	echo := func(_ context.Context, _ *Env, i in) (in, error) { return i, nil }
	read := Define(Tool{Name: "read_file", Command: "fs read", Words: []string{"path"}}, echo)
	write := Define(Tool{Name: "write_file", Command: "fs write", Words: []string{"path"}}, echo)
	shell := &Env{Lang: English, Tools: []*Tool{read, write}, called: write}
	served := *shell
	served.Naming = &Naming{Listed: func(t *Tool) bool { return t == read },
		Fields: func(*Tool) []string { return []string{"path"} }}
	for _, test := range []struct {
		text         Text
		args         []any
		typed, named string
	}{
		{"See %s", []any{Use("fs read")}, "See techo fs read", "See read_file"},
		{"See %s", []any{Use("fs read", `a "b"`)}, `See techo fs read 'a "b"'`, `See read_file {"path":"a \"b\""}`},
		{"See %s", []any{Use("fs read", Placeholder("PATH"))}, "See techo fs read PATH", "See read_file"},
		{"See %s", []any{Use("fs read", "x", Field("parents"))}, "See techo fs read x --parents",
			`See read_file {"path":"x","parents":true}`},
		{"See %s", []any{Use("fs write")}, "See techo fs write", "See write_file (find_tools lists write_file)"},
		{"See %s", []any{Help("fs write")}, "See techo fs write --help",
			"See the schema of write_file (find_tools lists write_file)"},
		{"Leave out %s", []any{Field("parents", false)}, "Leave out --parents=false", "Leave out parents=false"},
		{"%s: use %s", []any{Use("fs read"), Field("parents")}, "techo fs read: use --parents",
			"read_file: use parents (find_tools shows all fields of read_file)"},
		{"Run %s", []any{Use("config set", "lang", Placeholder("VALUE"))}, "Run techo config set lang VALUE",
			"For the person who runs techo: Run `config set lang VALUE`"},
		{"Name it: %s", []any{Flag("root", Placeholder("DIR"))}, "Name it: --root DIR",
			"For the person who runs techo: Name it: --root DIR"},
		{"See %s", []any{Use("tools", Flag("format", "names"))}, "See techo tools --format names",
			"See the list of tools"},
		{"%d of %s", []any{3, "x"}, "3 of x", "3 of x"},
	} {
		if got := shell.Hint(test.text, test.args...); got != test.typed {
			t.Errorf("in a shell: %q, want %q", got, test.typed)
		}
		if got := served.Hint(test.text, test.args...); got != test.named {
			t.Errorf("served: %q, want %q", got, test.named)
		}
	}
}
