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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/mcptest"
	"techo/tools"
)

// hintTexts returns the texts of all hints in the code. It reports hints that are made
// in another way than by Env.Hint.
func hintTexts(t *testing.T) (texts []tools.Text) {
	t.Helper()
	set := token.NewFileSet()
	inspect := func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch of := calledName(call); {
		case of == "Hint" && len(call.Args) > 0:
			if text, ok := stringOf(call.Args[0]); ok {
				texts = append(texts, tools.Text(text))
			}
		case (of == "oneOf" || of == "naming") && len(call.Args) > 2:
			if text, ok := stringOf(call.Args[2]); ok {
				texts = append(texts, tools.Text(text))
			}
		case of == "WithHint":
			if inner, ok := call.Args[0].(*ast.CallExpr); ok && calledName(inner) == "Localize" {
				t.Errorf("%v: use env.Hint", set.Position(n.Pos()))
			}
		}
		return true
	}
	for _, root := range []string{"../tools", "."} {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err == nil {
				ast.Inspect(f, inspect)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
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

// TestHints checks all hints of the code in both languages: in a shell they name
// commands that exist, and over MCP and HTTP no commands.
func TestHints(t *testing.T) {
	texts := hintTexts(t)
	if len(texts) < 150 {
		t.Fatalf("found only %d hints", len(texts))
	}
	program := programOf(run.New(system.System{}, families()))
	var names []string
	for _, tool := range families() {
		if strings.Contains(tool.Name, "_") {
			names = append(names, tool.Name)
		}
	}
	word := regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`)
	command := regexp.MustCompile(`techo ([a-z]+)`)
	for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
		shell := &tools.Env{Lang: lang, Tools: families()}
		served := *shell
		served.Naming = run.Naming(program.Run)
		for _, text := range texts {
			args := make([]any, strings.Count(string(text), "%")) // prints %!s(<nil>)
			hint := shell.Hint(text, args...)
			for _, name := range word.FindAllString(hint, -1) {
				if slices.Contains(names, name) {
					t.Errorf("%s: in a shell: %q names the tool %s", lang, hint, name)
				}
			}
			for _, m := range command.FindAllStringSubmatch(hint, -1) {
				if !slices.ContainsFunc(program.Names(), func(c string) bool { return strings.Fields(c)[0] == m[1] }) {
					t.Errorf("%s: in a shell: %q names the command %s, which does not exist", lang, hint, m[1])
				}
			}
			if over := served.Hint(text, args...); command.MatchString(over) {
				t.Errorf("%s: over MCP: %q", lang, over)
			}
		}
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
		{"create_event", `{"title":"x","start":"every monday blah"}`, `recurrence FREQ=WEEKLY;BYDAY=MO`},
		{"search_memory", `{"query":"x"}`, `"hint":"For the person who runs techo: --only does not include it"`},
	} {
		text, _ := mcptest.Call(t, c, test.tool, test.input)
		if !strings.Contains(text, test.want) {
			t.Errorf("%s %s: %s, want %s", test.tool, test.input, text, test.want)
		}
	}
	_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "zzzz"})
	if err == nil || !strings.HasSuffix(err.Error(), `There is no tool "zzzz". See the list of tools`) {
		t.Errorf("an unknown tool: %v", err)
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

// TestWaitForAnswer waits over MCP for an answer that comes from a terminal.
func TestWaitForAnswer(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, nil)
	w.run("ask", "Which?", "--wait", "0")
	answered := make(chan string)
	go func() {
		text, _ := mcptest.Call(t, c, "wait_for_answer", `{"question_id":"q1","wait":60}`)
		answered <- text
	}()
	w.typing = true
	w.run("ask", "answer", "q1", "red").ok()
	if text := <-answered; !strings.Contains(text, `"status":"answered","answer":"red"`) {
		t.Errorf("%s", text)
	}
}
