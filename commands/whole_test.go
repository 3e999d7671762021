package commands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"techo/commands/catalogue"
	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/commands/system"
	"techo/internal/mcptest"
	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
	"techo/tools/calendar/free"
	"techo/tools/memory/review"
	"techo/tools/schema"
)

func allCommands() []*line.Command {
	return programOf(run.New(system.System{}, families())).Commands()
}

func fileOf(t *tools.Tool) string {
	family, file, two := strings.Cut(t.Command, " ")
	if !two {
		file = family
	}
	folder := map[string]string{"cal": "calendar", "todo": "calendar/todo", "undo": "history", "fs": "files/edit",
		"grep": "files/search", "now": "clock"}[family]
	switch t.Command {
	case free.Check.Command, free.Suggest.Command:
		folder = "calendar/free"
	case review.Review.Command, review.Merge.Command, review.Settle.Command:
		folder = "memory/review"
	case "fs glob", "fs list":
		folder = "files/search"
	case "memory reindex":
		folder = "memory/embed"
	case "fs patch", "fs read":
		folder = "files/" + file
	}
	return filepath.Join(cmp.Or(folder, family), strings.ReplaceAll(file, "-", "_")+".go")
}

// TestWhole checks that each command is complete: its script, file, texts and
// examples.
func TestWhole(t *testing.T) {
	for _, c := range allCommands() {
		t.Run(c.Tool.Command, func(t *testing.T) {
			// A command "memo rename-tag" has the files memo_rename_tag.txtar and memo/rename_tag.go.
			script := strings.NewReplacer(" ", "_", "-", "_").Replace(c.Tool.Command) + ".txtar"
			if _, err := os.Stat(filepath.Join("..", "testdata", "script", script)); err != nil {
				t.Errorf("no script: %v", err)
			}
			if c.Tool.Name != "" && !catalogue.Leads(c.Tool) {
				if _, err := os.Stat(filepath.Join("..", "tools", fileOf(c.Tool))); err != nil {
					t.Errorf("no file of its own: %v", err)
				}
				if c.Tool.More == "" && c.Tool.Details == "" {
					t.Error("More is empty: a model needs more than one line")
				}
			}
			about := string(c.Tool.About)
			if about == "" || strings.Contains(about, "\n") || strings.HasSuffix(about, ".") {
				t.Errorf("About must be one line without a full stop: %q", about)
			}
			described(t, "", c.Tool.Input())
			findable(t, c.Tool)
			c.Tool.Output() // panics on a wrong tag
			for i := range c.Tool.Words {
				if field, _ := c.Tool.Word(i); c.Tool.Input().Property(field) == nil {
					t.Errorf("word %q is no field", field)
				}
			}
			for _, p := range c.Tool.Input().Properties {
				if s := run.FindSetting(c.FlagName(p)); s != nil && s.Name != "timeout" && s.Fits(c.Tool.Command) {
					t.Errorf("field %s has the name of a global flag", p.Name)
				}
			}
			if len(c.Tool.Examples) == 0 {
				t.Error("no example")
			}
			for _, e := range c.Tool.Examples {
				if e.Does == "" {
					t.Errorf("example %q has no description", e.Line)
				}
			}
		})
	}
}

// findable checks that find_tools knows words for a tool.
func findable(t *testing.T, tool *tools.Tool) {
	t.Helper()
	if tool.Name != "" && !catalogue.Leads(tool) && !catalogue.Knows(tool.Name) {
		t.Error("no words for find_tools: see commands/catalogue/words.txt")
	}
}

// described checks that every argument has a description.
func described(t *testing.T, path string, s *schema.Schema) {
	t.Helper()
	for _, p := range s.Properties {
		if p.About == "" {
			t.Errorf("argument %s/%s has no description", path, p.Name)
		}
		described(t, path+"/"+p.Name, p.Schema)
	}
}

// TestTimesByExample checks that fields for a day or a time show a form of it.
func TestTimesByExample(t *testing.T) {
	times := []string{"start", "end", "date", "date_from", "date_to", "since", "until", "at", "due", "expires",
		"expires_at", "created_at"}
	form, checked := regexp.MustCompile(`\b2026-\d\d-\d\d`), 0
	for _, tool := range families() {
		for _, p := range tool.Input().Properties {
			if p.Kind != schema.String || !slices.Contains(times, p.Name) {
				continue
			}
			checked++
			for _, lang := range []tools.Lang{tools.English, tools.Japanese} {
				if about := p.About.In(lang); !form.MatchString(about) {
					t.Errorf("%s, %s: %q has no example", tool.Name, p.Name, about)
				}
			}
		}
	}
	if checked < 25 {
		t.Errorf("found %d fields", checked)
	}
}

// sampleIDs are the ids in examples, and commands of a shell that print such an id.
var sampleIDs = map[string]string{
	"k3a1at4gerb7":           `$(techo cal list 2026-01-08 --fields events.event_id | cut -d'"' -f6)`,
	"g7w2m0c4x1hd":           `$(techo cal list 2026-01-14 --fields events.event_id | cut -d'"' -f6)`,
	"vc1nb01sb9sq":           `$(techo todo list --status all --query report --fields todos.todo_id | cut -d'"' -f6)`,
	"mem_i5zf5vpu":           `$(techo memory add 'The dog is called Max' --fields memory.id | cut -d'"' -f6)`,
	"sync init ~/Sync/techo": `sync init ~/Sync/techo --fields key | cut -d'"' -f4 > key`,
	"tok_5m0qzx":             `$(techo token list --fields tokens.id | cut -d'"' -f6)`,
}

// TestExamples runs the examples of all help pages in a shell, one after the
// other in one store.
func TestExamples(t *testing.T) {
	t.Parallel()
	binary := buildTwo(t)
	dir := t.TempDir()
	persons := map[string]string{"ask answer": "", "ask watch": "blue", "store trust": "yes", "token add": "yes",
		"ask secret set":    "my words|my words",
		"ask secret change": "my words|my words|my words", "ask secret remove": "my words"}
	for name, text := range map[string]string{
		"input.json": "{}",
		"work.ics": "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:1\nDTSTART:20260107T010000Z\nSUMMARY:Lunch\n" +
			"END:VEVENT\nEND:VCALENDAR\n",
		"calls.ndjson": `{"tool":"list_memo","input":{}}` + "\n",
		"notes.txt":    "Hello\n",
		"list.txt":     "bread\nmilk\n",
		"token":        "techo_0\n",
		"change.diff":  "--- /dev/null\n+++ b/list.md\n@@ -0,0 +1 @@\n+new\n",

		"memories.jsonl": `{"full_text":"Max is a dog."}` + "\n",
		"memos.jsonl":    `{"name":"max","content":"Max is a dog.","priority":2}` + "\n",
		"requests.jsonl": mcptest.Hello,
		"export.zip":     packed(t, map[string]string{"conversations.json": exported(t, chatGPT("en", 1, 9))}),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"memos", "files", "Sync/techo"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := shell(dir, binary, "techo space create team"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range allCommands() {
		printed := printedExamples(help(t, c))
		if len(printed) != len(c.Tool.Examples) {
			t.Errorf("the help of %q shows %d of %d examples", c.Tool.Command, len(printed), len(c.Tool.Examples))
		}
		for _, line := range printed {
			if types, ok := persons[c.Tool.Command]; ok {
				line = "PERSON_TYPES='" + types + "' " + strings.Replace(line, "techo", personName, 1)
			}
			for id, listed := range sampleIDs {
				line = strings.ReplaceAll(line, id, listed)
			}
			out, err := shell(dir, binary, line)
			var exit *exec.ExitError
			if c.Tool.World && errors.As(err, &exit) && exit.ExitCode() == 6 {
				err = nil // the command is right, and the service cannot be reached
			}
			if c.Tool == review.Settle && strings.Contains(string(out), "There is no conflict with the number 1") {
				err = nil // the command is right, and only two machines that sync have conflicts
			}
			if err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
}

// printedExamples returns the commands in the section Examples of a help page, as
// a person copies them.
func printedExamples(page string) (commands []string) {
	_, section, _ := strings.Cut(page, "\nExamples:\n")
	section, _, _ = strings.Cut(section, "\n\n")
	comment := false
	for line := range strings.Lines(section) {
		before := comment
		comment = strings.HasPrefix(line, "  # ")
		switch {
		case comment:
		case before:
			commands = append(commands, strings.TrimPrefix(line, "  "))
		case len(commands) > 0:
			commands[len(commands)-1] += strings.TrimPrefix(line, "  ")
		}
	}
	return commands
}

func help(t *testing.T, c *line.Command) string {
	t.Helper()
	var out bytes.Buffer
	w := system.System{
		Args:   append(strings.Fields(c.Tool.Command), "--help"),
		Getenv: func(string) string { return "" },
		Dir:    t.TempDir(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Interrupted: context.WithCancel,
	}
	if code := Main(w); code != 0 {
		t.Fatalf("help of %q: exit %d", c.Tool.Command, code)
	}
	return out.String()
}

// buildTwo returns the path of a techo whose stdin is what it is. Next to it is one whose stdin
// counts as a terminal, as a person's.
func buildTwo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	test, err := os.Executable()
	for _, name := range []string{personName, agentName} {
		if err == nil {
			err = os.Symlink(test, filepath.Join(dir, name))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, agentName)
}

// The names of the test program that runs techo as an agent and as a person do.
const (
	personName = "person"
	agentName  = "techo"

	// houseName is the name of a copy that runs techo as it is, except that the account's
	// home folder is the copy's: no test may use the secret of who runs it.
	houseName = "techo"
)

// TestMain runs the tests, or techo as a person or an agent does.
func TestMain(m *testing.M) {
	store.SecretKiB = 64
	self, err := os.Executable()
	housed := err == nil && filepath.Base(self) == houseName
	if name := filepath.Base(os.Args[0]); !housed && (name == personName || name == agentName) {
		w := system.OS()
		w.Account = func() (string, error) { return os.Getenv("HOME"), nil }
		if name == personName {
			w.StdinTerminal = true
			if lines := os.Getenv("PERSON_TYPES"); lines != "" {
				w.Terminal = runtest.Types(strings.Split(lines, "|")...)
			}
		}
		os.Exit(Main(w))
	}
	_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))) // many tests only wait
	testenv.Main(m, func() int {
		w := system.OS()
		w.Account = func() (string, error) { return filepath.Dir(self), nil }
		return Main(w)
	})
}

// shell runs a command line with techo on PATH, in a fixed environment.
func shell(dir, binary, line string) (string, error) {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C",
		"TZ=Asia/Tokyo", "TECHO_NOW=2026-01-05T09:00:00+09:00", "USER=tanaka",
		"HTTPS_PROXY=http://127.0.0.1:9", // nothing beyond this machine is reached
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}
