// Package packaging has the modules for Python and JavaScript, and what packages of the
// program consist of.
package packaging

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the generated parts of the modules")

// schema is the part of a JSON schema that the modules need.
type schema struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Enum        []string        `json:"enum"`
	Items       *schema         `json:"items"`
	Properties  json.RawMessage `json:"properties"`
	Required    []string        `json:"required"`
}

// property is a named part of an object.
type property struct {
	name     string
	of       *schema
	required bool
}

type tool struct {
	Name        string  `json:"name"`
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Input       *schema `json:"inputSchema"`
	Output      *schema `json:"outputSchema"`
	Annotations struct{ ReadOnlyHint, IdempotentHint bool }

	words []string // the fields that a list requires; one call may have others in their place
}

// properties returns the properties of an object, the required ones first.
func (s *schema) properties(t *testing.T) []property {
	t.Helper()
	if s == nil || len(s.Properties) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	var all []property
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		if name, err = d.Token(); err != nil {
			break
		}
		p := property{name: name.(string), of: &schema{}, required: slices.Contains(s.Required, name.(string))}
		err = d.Decode(p.of)
		all = append(all, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(all, func(a, b property) int {
		switch {
		case a.required == b.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	return all
}

// catalogue returns the tools for agents and hosts, with all of their fields.
func catalogue(t *testing.T) []tool {
	t.Helper()
	env := map[string]string{"TECHO_MEMORY": "1", "TECHO_MEMORY_CONTEXT": "1", "TZ": "UTC", "USER": "tanaka",
		"TECHO_STORE": t.TempDir()}
	list := func(words ...string) (listed []tool) {
		var stdout, stderr bytes.Buffer
		code := commands.Main(system.System{
			Args:    append([]string{"tools", "--result-schemas", "--audience", "host"}, words...),
			Program: func() string { return "/opt/techo" }, Getenv: func(name string) string { return env[name] },
			Dir: t.TempDir(), Now: time.Now, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Account:     func() (string, error) { return "", nil },
			Interrupted: context.WithCancel,
		})
		var all struct{ Tools []tool }
		if err := json.Unmarshal(stdout.Bytes(), &all); err != nil || code != 0 || len(all.Tools) < 40 {
			t.Fatalf("exit %d, %v\n%.500s\n%s", code, err, stdout.String(), stderr.String())
		}
		return all.Tools
	}
	var names []string
	words := map[string][]string{}
	for _, one := range list() {
		if !strings.HasSuffix(one.Name, "_tool") && !strings.HasSuffix(one.Name, "_tools") { // they lead to the others
			names, words[one.Name] = append(names, one.Name), one.Input.Required
		}
	}
	whole := list(names...)
	for i := range whole {
		whole[i].words = words[whole[i].Name]
	}
	return whole
}

// TestModules compares the generated parts of the modules with the catalogue.
func TestModules(t *testing.T) {
	tools := catalogue(t)
	for path, want := range map[string]string{
		"python/techo/_tools.py":  pythonTools(t, tools),
		"python/techo/_types.pyi": pythonTypes(t, tools),
		"npm/tools.js":            javaScriptTools(tools),
		"npm/tools.d.ts":          typeScriptTools(t, tools),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("packaging/%s is out of date: go test ./packaging -update (%v)", path, err)
		}
	}
}

// TestPythonImport imports the module, which loads no library but json. A call loads the rest, such as
// subprocess.
func TestPythonImport(t *testing.T) {
	c := exec.Command(testenv.Tool(t, "python3"), "-S", "-c", "import sys; sys.path.insert(0, 'python'); "+
		"import json, os; before = set(sys.modules); import techo; print(*sorted(set(sys.modules) - before))")
	c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := c.CombinedOutput()
	if got, want := string(out), "__future__ techo techo._client techo._tools\n"; err != nil || got != want {
		t.Errorf("import techo loads %q, %v, want %q", got, err, want)
	}
}

func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// wrapped returns a text in lines that start with a margin.
func wrapped(text, margin string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		switch {
		case width == 0:
			b.WriteString(margin)
			width = len(margin)
		case width+1+len(word) > 100:
			b.WriteString("\n" + margin)
			width = len(margin)
		default:
			b.WriteString(" ")
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	return b.String()
}

// typer names the types of a language, and declares the types of objects.
type typer struct {
	t       *testing.T
	names   map[string]string // text, number, whole, bool, list (%s), any
	literal func([]string) string
	declare func(name string, properties []property, of func(property) string)
}

func (y typer) of(s *schema, name string) string {
	switch {
	case s == nil:
		return y.names["any"]
	case len(s.Enum) > 0 && s.Type == "string":
		return y.literal(s.Enum)
	case s.Type == "string":
		return y.names["text"]
	case s.Type == "integer":
		return y.names["whole"]
	case s.Type == "number":
		return y.names["number"]
	case s.Type == "boolean":
		return y.names["bool"]
	case s.Type == "array":
		return fmt.Sprintf(y.names["list"], y.of(s.Items, name))
	}
	properties := s.properties(y.t)
	if s.Type != "object" || len(properties) == 0 {
		return y.names["any"]
	}
	y.declare(name, properties, func(p property) string { return y.of(p.of, name+camel(p.name)) })
	return name
}
