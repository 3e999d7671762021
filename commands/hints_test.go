package commands

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/mcptest"
)

// inspectCode calls a function for each node of the code of tools and commands.
func inspectCode(t *testing.T, inspect func(at token.Position, n ast.Node)) {
	t.Helper()
	set := token.NewFileSet()
	for _, root := range []string{"../tools", "."} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if n != nil {
					inspect(set.Position(n.Pos()), n)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// calledName returns the name of a called function or method.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// stringOf evaluates a constant text.
func stringOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		a, ok := stringOf(e.X)
		b, also := stringOf(e.Y)
		return a + b, ok && also
	}
	return "", false
}

// TestHints checks that the hints of the code name commands, fields and flags by references, which
// each caller gets in its own words, and that these exist.
func TestHints(t *testing.T) {
	typed := regexp.MustCompile(`techo [a-z]+|--[a-z]+`)
	app := programOf(run.New(system.System{}, families()))
	fields, names := map[string]bool{}, map[string]bool{} // names are those of commands
	for _, c := range app.Commands() {
		names[c.Tool.Command] = true
		for _, p := range c.Tool.Input().Properties {
			fields[p.Name], fields[strings.ReplaceAll(p.Name, "_", "-")] = true, true
		}
	}
	hints, references := 0, 0
	inspectCode(t, func(at token.Position, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		text, isText := stringOf(call.Args[0])
		switch of := calledName(call); {
		case of == "WithHint":
			if inner, ok := call.Args[0].(*ast.CallExpr); ok && calledName(inner) == "Localize" {
				t.Errorf("%v: use env.Hint", at)
			}
		case !isText:
		case of == "Hint" || of == "Advise":
			hints++
			if found := typed.FindString(text); found != "" && of == "Hint" && text != "See %s --help" {
				t.Errorf("%v: %q names %s; use a reference", at, text, found)
			}
		case of == "Use" || of == "Help":
			references++
			if !names[text] && !slices.ContainsFunc(app.Commands(), func(c *line.Command) bool {
				return slices.Contains(c.Tool.Spellings(), text)
			}) {
				t.Errorf("%v: there is no command %q", at, text)
			}
		case of == "Field" || of == "Flag":
			references++
			name, _ := strings.CutPrefix(text, "no-")
			if !fields[text] && !fields[name] && !fields[name+"s"] && run.FindSetting(text) == nil {
				t.Errorf("%v: there is no field or flag %q", at, text)
			}
		}
	})
	for _, tool := range families() {
		for _, note := range tool.Notes {
			for _, command := range note.Names {
				if !names[command] {
					t.Errorf("%s: a note names %q, which is no command", tool.Name, command)
				}
			}
		}
	}
	if hints < 150 || references < 150 {
		t.Fatalf("found only %d hints and %d references", hints, references)
	}
}

// TestServedHints checks hints of calls over MCP and in a shell.
func TestServedHints(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "1").ok()
	c := w.client(t, nil, "--only", "memo,ask,fs,web,cal", "--profile", "full")
	for _, test := range []struct{ tool, input, want string }{
		{"get_memo", `{"memo_name":"nothere"}`, `"hint":"See list_memo"`},
		{"add_memo", `{"name":"ramen","content":"x","priority":1}`, `Change that memo with edit_memo`},
		{"add_memo", `{}`, `"hint":"See the schema of add_memo"`},
		{"ask_user", `{"question":"Which?","wait":0}`, `"hint":"wait_for_answer {\"question_id\":\"q1\"}"`},
		{"ask_user", `{"question":"Which?","wait":"0","key":"k"}`, `wait_for_answer {\"question_id\":\"q2\"}`},
		{"wait_for_answer", `{"question_id":"q1","wait":0}`, `"status":"pending"`},
		{"wait_for_answer", `{"question_id":"q7"}`, `"hint":"See list_questions"`},
		{"read_file", `{"path":"/etc/hosts"}`,
			`"hint":"For the person who runs techo: Use a path in the allowed folders, or allow another one with`},
		{"write_file", `{"path":"a/b/c.txt","content":"x","parents":false}`,
			`"hint":"Leave out parents=false to create it"`},
		{"web_fetch", `{"url":"http://127.0.0.1/"}`, `For the person who runs techo: To allow it, use --allow-private`},
		{"create_event", `{"title":"x","start":"every monday blah"}`, `recurrence \"FREQ=WEEKLY;BYDAY=MO`},
		{"search_memory", `{"query":"x"}`, `"hint":"For the person who runs techo: --only does not include it"`},
	} {
		text, _ := mcptest.Call(t, c, test.tool, test.input)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s %s: %s, want %s", test.tool, test.input, text, test.want)
		}
	}
	for line, want := range map[string]string{
		"memo get nothere":                        `"hint":"See techo memo list"`,
		"ask wait q1 --wait 0":                    `"hint":"techo ask wait q1"`,
		"fs write a/b/c.txt text --parents=false": `"hint":"Leave out --parents=false to create it"`,
	} {
		if got := w.run(strings.Fields(line)...).out; !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
