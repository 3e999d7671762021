package commands

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"techo/tools"
)

var update = flag.Bool("update", false, "write the generated part of README.md")

func allCommands() []*command {
	s := newSession(World{})
	var all []*command
	for _, t := range s.offered {
		all = append(all, &command{Tool: t})
	}
	return append(all, shellCommands(s)...)
}

// TestWhole checks that nothing of a tool was forgotten.
func TestWhole(t *testing.T) {
	for _, c := range allCommands() {
		t.Run(c.Command, func(t *testing.T) {
			script := strings.ReplaceAll(c.Command, " ", "_") + ".txtar"
			if _, err := os.Stat(filepath.Join("..", "testdata", "script", script)); err != nil {
				t.Errorf("no script: %v", err)
			}
			if c.Name != "" {
				family, file, two := strings.Cut(c.Command, " ")
				if !two {
					file = family
				}
				if family == "cal" {
					family = "calendar"
				}
				if family == "fs" || family == "grep" {
					family = "files"
				}
				if _, err := os.Stat(filepath.Join("..", "tools", family, file+".go")); err != nil {
					t.Errorf("no file of its own: %v", err)
				}
				if c.More.EN == "" || c.More.JA == "" {
					t.Error("a model needs more than one line, in both languages")
				}
			}
			if c.About.EN == "" || c.About.JA == "" || strings.ContainsAny(c.About.EN+c.About.JA, "\n") ||
				strings.HasSuffix(c.About.EN, ".") || strings.HasSuffix(c.About.JA, "。") {
				t.Errorf("About must be one line in both languages, without a full stop: %+v", c.About)
			}
			described(t, "", c.Input())
			c.Output() // panics on a wrong tag
			for i := range c.Words {
				if field, _ := c.Word(i); c.Input().Property(field) == nil {
					t.Errorf("word %q is no field", field)
				}
			}
			for _, p := range c.Input().Properties {
				if s := findSetting(c.flagName(p)); s != nil && s.name != "timeout" {
					t.Errorf("field %s has the name of a global flag", p.Name)
				}
			}
			if len(c.Examples) == 0 {
				t.Error("no example")
			}
			for _, e := range c.Examples {
				if e.Does.EN == "" || e.Does.JA == "" {
					t.Errorf("example %q says in one language only what it does", e.Line)
				}
			}
		})
	}
}

// described wants every argument to say what it is, in both languages.
func described(t *testing.T, path string, s *tools.Schema) {
	t.Helper()
	for _, p := range s.Properties {
		if p.About.EN == "" || p.About.JA == "" {
			t.Errorf("argument %s/%s is not described in both languages", path, p.Name)
		}
		described(t, path+"/"+p.Name, p.Schema)
	}
}

// TestExamples runs the examples of all helps, one after the other, in one
// store, through a shell as a person would.
func TestExamples(t *testing.T) {
	binary := build(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"input.json":   "{}",
		"work.ics":     "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nDTSTART:20260107T010000Z\nSUMMARY:Lunch\nEND:VEVENT\nEND:VCALENDAR\n",
		"calls.ndjson": `{"tool":"list_memo","input":{}}` + "\n",
		"notes.txt":    "Hello\n",
		"list.txt":     "bread\nmilk\n",

		"memories.jsonl": `{"full_text":"Max is a dog."}` + "\n",
		"requests.jsonl": hello,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range allCommands() {
		for _, e := range c.Examples {
			out, err := shell(dir, binary, "techo "+e.Line)
			if err != nil {
				t.Errorf("techo %s: %v\n%s", e.Line, err, out)
			}
			if page := help(t, c); !strings.Contains(page, "techo "+e.Line) {
				t.Errorf("the help of %q does not show %q", c.Command, e.Line)
			}
		}
	}
}

func help(t *testing.T, c *command) string {
	t.Helper()
	var out bytes.Buffer
	w := World{
		Args:   append(strings.Fields(c.Command), "--help"),
		Getenv: func(string) string { return "" },
		Dir:    t.TempDir(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Interrupted: context.WithCancel,
	}
	if code := Main(w); code != 0 {
		t.Fatalf("help of %q: exit %d", c.Command, code)
	}
	return out.String()
}

// build returns the program, which is made once.
func build(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// built makes it in a folder of its own, which TestMain removes.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "techo-built-")
	if err != nil {
		return "", err
	}
	builtIn <- dir
	path := filepath.Join(dir, "techo")
	if out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

var builtIn = make(chan string, 1)

// TestMain removes the program when there was need of one.
func TestMain(m *testing.M) {
	m.Run()
	select {
	case dir := <-builtIn:
		os.RemoveAll(dir)
	default:
	}
}

// shell runs a line with techo on the path, in an environment that is always
// the same.
func shell(dir, binary, line string) (string, error) {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C",
		"TZ=Asia/Tokyo", "TECHO_NOW=2026-01-05T09:00:00+09:00", "USER=tanaka",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestReadmeTable wants the table of tools in README.md to be the one that the
// definitions make; -update writes it.
func TestReadmeTable(t *testing.T) {
	text := readme(t)
	var b strings.Builder
	b.WriteString("| command | tool | |\n|---|---|---|\n")
	for _, c := range allCommands() {
		name := ""
		if c.Name != "" {
			name = "`" + c.Name + "`"
		}
		fmt.Fprintf(&b, "| `techo %s` | %s | %s |\n", c.Command, name, c.About.EN)
	}
	part := regexp.MustCompile(`(?s)(<!-- tools -->\n).*(<!-- /tools -->)`)
	want := part.ReplaceAllString(text, "${1}"+b.String()+"${2}")
	if want == text {
		return
	}
	if !*update {
		t.Fatal("the table of tools in README.md is out of date: go test ./commands -run TestReadmeTable -update")
	}
	if err := os.WriteFile("../README.md", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadmeTranscripts runs every block of README.md that begins with "$ ",
// line after line in one folder, and wants what it shows.
func TestReadmeTranscripts(t *testing.T) {
	binary := build(t)
	dir := t.TempDir()
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	if len(blocks) == 0 {
		t.Fatal("README.md has no transcript")
	}
	for _, block := range blocks {
		for _, step := range strings.Split(block[1], "$ ")[1:] {
			line, want, _ := strings.Cut(step, "\n")
			got, err := shell(dir, binary, line)
			if err != nil {
				t.Errorf("%s: %v", line, err)
			}
			if got != want {
				t.Errorf("$ %s\ngot:\n%s\nREADME.md:\n%s", line, got, want)
			}
		}
	}
}
