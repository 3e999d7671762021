package files

import (
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/files/edit"
	"techo/tools/files/filestest"
	"techo/tools/files/read"
	"techo/tools/files/search"
)

// TestServedNames calls tools as over MCP: messages name fields, no flags, and hints name only
// tools that the caller has.
func TestServedNames(t *testing.T) {
	dir := filestest.PutFiles(t, map[string]string{".h/a": "word\n", "one/b": "x\n", "one/c": "x\n",
		".ignore": "ignored\n", "ignored": "word\n", "dir/.hidden": "x\n", "f": "text\n"})
	env := filestest.Env(dir)
	env.Naming = &tools.Naming{
		Listed: func(*tools.Tool) bool { return true },
		Fields: func(*tools.Tool) []string { return []string{"pattern", "path"} },
	}
	for _, test := range []struct {
		tool        *tools.Tool
		input, want string
	}{
		{search.Grep, `{"pattern":"word"}`, "use no_ignore (find_tools shows all fields of grep)"},
		{search.Grep, `{"pattern":"word"}`, "use hidden (find_tools shows all fields of grep)"},
		{search.Grep, `{"pattern":"word","path":"dir"}`, "hidden: 1; use hidden (find_tools shows all fields of grep)"},
		{search.Grep, `{"pattern":"x","max_results":1}`,
			"; continue with cursor to see more (find_tools shows all fields of grep)"},
		{search.Glob, `{"pattern":"one/*","limit":1}`, "; continue with cursor"},
		{search.List, `{"path":"one","limit":1}`, "; continue with cursor"},
		{search.Grep, `{"pattern":"word","path":"none"}`, "a relative one begins in the working folder"},
		{read.File, `{"path":"nowhere"}`, "a relative one begins in the working folder"},
		{edit.Edit, `{"path":"one","old_string":"x","new_string":"y"}`, "Name a file in it"},
	} {
		env.Tools = []*tools.Tool{test.tool}
		for _, t := range []*tools.Tool{search.Grep, search.Glob} { // those that --only leaves out
			if left := *t; t != test.tool {
				left.When = func(*tools.Env) *tools.Error { return &tools.Error{Code: tools.Forbidden} }
				env.Tools = append(env.Tools, &left)
			}
		}
		out, err := test.tool.Invoke(t.Context(), env, tools.Call{Input: []byte(test.input)})
		text := ""
		if err != nil {
			text = err.Hint
		} else {
			text = string(out.JSON)
		}
		if !strings.Contains(text, test.want) || strings.Contains(text, "--") ||
			strings.Contains(text, "For the person") {
			t.Errorf("%s %s: %s, want %s", test.tool.Name, test.input, text, test.want)
		}
	}
}
