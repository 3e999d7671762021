package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestVendors checks the output of `techo tools` against the subsets of JSON Schema that
// the vendors document, and against the types of their libraries.
func TestVendors(t *testing.T) {
	w := newWorld(t)
	all := map[edition]document{}
	var names []string // a tool that is named has its whole definition
	for _, one := range w.run("tools", "--all", "--format", "names").ok()["tools"].([]any) {
		names = append(names, one.(map[string]any)["name"].(string))
	}
	for _, format := range []string{"mcp", "openai", "openai-chat", "anthropic", "gemini", "names"} {
		for _, lang := range []string{"en", "ja"} {
			e := edition{format, lang}
			all[e] = readDocument(t, e, w.run(append([]string{"tools", "--all", "--result-schemas", "--format", format, "--lang", lang},
				names...)...))
		}
	}
	t.Run("agree", func(t *testing.T) { checkAgree(t, all) })
	t.Run("subsets", func(t *testing.T) { checkSubsets(t, all) })
	t.Run("refusals", func(t *testing.T) { checkRefusals(t, w, all[edition{"mcp", "en"}]) })
	t.Run("libraries", func(t *testing.T) { checkLibraries(t, all) })
}

type edition struct{ format, lang string }

func (e edition) String() string { return e.format + "." + e.lang }

type document struct {
	raw   []byte
	tools []definition
}

// definition is a tool, with the fields of all formats.
type definition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema"`
	InputToo    json.RawMessage `json:"input_schema"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
	Function    *definition     `json:"function"`
	Meta        map[string]any  `json:"_meta"`
}

func (d definition) input() json.RawMessage {
	for _, s := range []json.RawMessage{d.Input, d.InputToo, d.Parameters} {
		if s != nil {
			return s
		}
	}
	return nil
}

func readDocument(t *testing.T, e edition, printed answer) document {
	t.Helper()
	raw := []byte(printed.out)
	if err := checkDocument(printed.out, printed.code); err != nil || printed.code != 0 {
		t.Fatalf("%v: exit code %d, %v\n%s", e, printed.code, err, raw)
	}
	d := document{raw: raw}
	list := raw
	switch e.format {
	case "mcp", "names":
		var w struct{ Tools json.RawMessage }
		mustDecode(t, raw, &w)
		list = w.Tools
	case "gemini":
		var w []struct{ FunctionDeclarations json.RawMessage }
		mustDecode(t, raw, &w)
		if len(w) != 1 {
			t.Fatalf("%v: %d groups of functions, want 1", e, len(w))
		}
		list = w[0].FunctionDeclarations
	}
	mustDecode(t, list, &d.tools)
	if e.format == "openai-chat" {
		for i, w := range d.tools {
			d.tools[i] = *w.Function
		}
	}
	if len(d.tools) == 0 {
		t.Fatalf("%v: no tools", e)
	}
	return d
}

func mustDecode(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
}

// checkAgree checks that all catalogues contain the same tools.
func checkAgree(t *testing.T, all map[edition]document) {
	word := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	for e, d := range all {
		names := all[edition{"names", e.lang}].tools
		if len(d.tools) != len(names) {
			t.Fatalf("%v has %d tools, names has %d", e, len(d.tools), len(names))
		}
		for i, tool := range d.tools {
			if tool.Name != names[i].Name || !word.MatchString(tool.Name) {
				t.Errorf("%v: tool %d is %q, in names it is %q", e, i, tool.Name, names[i].Name)
			}
			mcp := all[edition{"mcp", e.lang}].tools[i]
			if e.format == "anthropic" && string(tool.input()) != string(mcp.input()) {
				t.Errorf("%v: %s: %s\nbut in mcp it is %s", e, tool.Name, tool.input(), mcp.input())
			}
			flat := all[edition{"openai", e.lang}].tools[i]
			if e.format == "openai-chat" &&
				(string(tool.input()) != string(flat.input()) || tool.Strict != flat.Strict) {
				t.Errorf("%v: %s: %s\nbut in openai it is %s", e, tool.Name, tool.input(), flat.input())
			}
			// OpenAI's limit is the smallest.
			if n := len([]rune(tool.Description)); e.format != "names" && (n == 0 || n > 1024) {
				t.Errorf("%v: %s: the description has %d characters, want 1 to 1024", e, tool.Name, n)
			}
		}
	}
}

// libraries are the vendors' libraries, installed in a folder.
type libraries struct {
	dir string
	run func(env []string, program string, args ...string) (stdout, stderr string, code int)
}

// checkLibraries compiles the catalogue as literals of the types in the vendors'
// libraries.
func checkLibraries(t *testing.T, all map[edition]document) {
	var l libraries
	l.dir, l.run = installed(t, "testdata/vendors")
	for e, d := range all {
		if e.format != "names" {
			l.write(t, e.String(), e.format, d.raw)
		}
	}
	if out, errs, code := l.compile(); code != 0 {
		t.Errorf("tsc: exit %d\n%s%s", code, out, errs)
	}
	var schemas []map[string]any
	for e, d := range all {
		for _, tool := range d.tools {
			for _, s := range []json.RawMessage{tool.input(), tool.Output} {
				if s != nil && e.format != "gemini" {
					schemas = append(schemas, map[string]any{"of": e.String() + ": " + tool.Name, "schema": s})
				}
			}
		}
	}
	if out, errs, code := l.compileSchemas(t, schemas); code != 0 {
		t.Errorf("ajv, %d schemas: exit %d\n%s%s", len(schemas), code, out, errs)
	}
	l.checkProblems(t, all)
}

// write writes a document as a literal of its vendor's type.
func (l libraries) write(t *testing.T, name, format string, raw []byte) {
	t.Helper()
	template, err := os.ReadFile(filepath.Join(l.dir, "document.ts.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("FORMAT", format, "DOCUMENT", strings.TrimSpace(string(raw))).Replace(string(template))
	if err := os.WriteFile(filepath.Join(l.dir, name+".ts"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compile compiles the literals.
func (l libraries) compile() (stdout, stderr string, code int) {
	return l.run(nil, "tsc", "-p", ".", "--noEmit", "--strict", "--pretty", "false")
}

func (l libraries) compileSchemas(t *testing.T, schemas []map[string]any) (stdout, stderr string, code int) {
	t.Helper()
	raw, err := json.Marshal(schemas)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "schemas.json"), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	return l.run(nil, "node", "schemas.mjs", "schemas.json")
}

// checkProblems is the negative control: a document of each format with a problem must not compile.
func (l libraries) checkProblems(t *testing.T, all map[edition]document) {
	problems := []struct{ format, good, bad string }{
		{"mcp", `"inputSchema":{"type":"object"`, `"inputSchema":{"type":"OBJECT"`},
		{"openai", `"type":"function"`, `"type":"tool"`},
		{"openai-chat", `"function":{`, `"functions":{`},
		{"anthropic", `"input_schema":`, `"inputSchema":`},
		{"gemini", `"type":"STRING"`, `"type":"string"`},
	}
	for i, s := range problems {
		good := string(all[edition{s.format, "en"}].raw)
		bad := strings.Replace(good, s.good, s.bad, 1)
		if bad == good {
			t.Fatalf("there is no %s in %s", s.good, s.format)
		}
		l.write(t, fmt.Sprintf("problem%d", i), s.format, []byte(bad))
	}
	out, _, _ := l.compile()
	for i, s := range problems {
		if !strings.Contains(out, fmt.Sprintf("problem%d.ts(3,", i)) {
			t.Errorf("%s compiles with %s for %s; tsc says:\n%s", s.format, s.bad, s.good, out)
		}
	}
	bad := []map[string]any{{"of": "problem", "schema": json.RawMessage(`{"type":"string","least":1}`)}}
	if _, _, code := l.compileSchemas(t, bad); code == 0 {
		t.Error("ajv compiles a keyword that does not exist")
	}
}
