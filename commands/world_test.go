package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"techo/commands/line"
	"techo/commands/run"
	"techo/commands/run/runtest"
	"techo/commands/system"
	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
)

// world is the system of a test: a folder, a store, a clock that stands still,
// and an environment of its own.
type world struct {
	t         testing.TB
	dir       string
	env       map[string]string
	terminal  bool    // stdout is a terminal
	screen    *screen // the terminal of the person, or nil
	typing    bool    // stdin is a terminal
	interrupt context.Context
	clock     time.Time // of the system, behind TECHO_NOW; zero is the one of this machine
	types     []string  // at the terminal of each command; nil: there is none
}

const noon = "2026-01-02T12:00:00Z"

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	place := filepath.Join(dir, "store")
	if testenv.OnDatabase() {
		place = testenv.NewDatabase(t, store.Migrate, store.Options{Now: time.Now})
	}
	clock := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	return &world{t: t, dir: dir, interrupt: context.Background(), clock: clock, env: map[string]string{
		"HOME":        dir,
		"USER":        "tanaka",
		"TZ":          "UTC",
		"TECHO_NOW":   noon,
		"TECHO_STORE": place,
	}}
}

func (w *world) useServer(address string) {
	w.env["TECHO_STORE"] = address
	delete(w.env, "TECHO_NOW") // a server does not take it
	w.clock, _ = time.Parse(time.RFC3339, noon)
}

func (w *world) now() time.Time {
	if w.clock.IsZero() {
		return time.Now()
	}
	return w.clock
}

// World returns the system for the program.
func (w *world) World(stdin io.Reader, stdout, stderr io.Writer, args ...string) system.System {
	var terminal func() (tools.Terminal, error)
	if w.types != nil {
		terminal = runtest.Types(w.types...)
	}
	sys := system.System{
		Args:     args,
		Terminal: terminal,
		Program:  func() string { return "/opt/techo" },
		Getenv:   func(name string) string { return w.env[name] },
		Dir:      w.dir,
		Now:      w.now,
		Stdin:    stdin, Stdout: stdout, Stderr: stderr,
		StdinTerminal:  w.typing,
		Account:        func() (string, error) { return w.dir, nil },
		StdoutTerminal: w.terminal,
		Interrupted: func(context.Context) (context.Context, context.CancelFunc) {
			return context.WithCancel(w.interrupt)
		},
	}
	if w.screen != nil {
		w.screen.show(&sys)
	}
	return sys
}

// run runs the program; its stdin must not be read.
func (w *world) run(args ...string) answer {
	w.t.Helper()
	return w.read(unreadable{}, args...)
}

// confirm runs the program at a terminal where the person confirms.
func (w *world) confirm(args ...string) answer {
	w.t.Helper()
	own := *w
	own.types = []string{"yes"}
	return own.run(args...)
}

func (w *world) feed(stdin string, args ...string) answer {
	w.t.Helper()
	return w.read(strings.NewReader(stdin), args...)
}

func (w *world) read(stdin io.Reader, args ...string) answer {
	w.t.Helper()
	var stdout, stderr bytes.Buffer
	code := Main(w.World(stdin, &stdout, &stderr, args...))
	if stderr.Len() > 0 {
		w.t.Errorf("%q: stderr: %s", args, stderr.String())
	}
	return answer{w.t, args, stdout.String(), code}
}

// exec runs the built program like run.
func (w *world) exec(bin, stdin string, args ...string) answer {
	w.t.Helper()
	var stdout, stderr strings.Builder
	c := exec.Command(bin, args...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = w.dir, strings.NewReader(stdin), &stdout, &stderr
	for name, value := range w.env {
		c.Env = append(c.Env, name+"="+value)
	}
	err := c.Run()
	if code := new(exec.ExitError); err != nil && !errors.As(err, &code) {
		w.t.Fatalf("%.300q: %v", args, err)
	}
	if stderr.Len() > 0 {
		w.t.Errorf("%.300q: stderr: %s", args, stderr.String())
	}
	return answer{w.t, args, stdout.String(), c.ProcessState.ExitCode()}
}

// session returns a run that has read its settings.
func (w *world) session() *run.Run {
	w.t.Helper()
	return w.app().Run
}

// app returns an app that has read its settings.
func (w *world) app() *line.App {
	w.t.Helper()
	s := programOf(run.New(w.World(unreadable{}, io.Discard, io.Discard, "version"), families()))
	if code := s.Execute(context.Background()); code != 0 {
		w.t.Fatalf("version: exit code %d", code)
	}
	return s
}

func (w *world) noStore() {
	w.t.Helper()
	if _, err := os.Stat(w.env["TECHO_STORE"]); err == nil {
		w.t.Error("the store was made")
	}
}

type unreadable struct{}

func (unreadable) Read([]byte) (int, error) { return 0, errors.New("stdin was read") }

// answer is the output of the program and its exit code.
type answer struct {
	t    testing.TB
	args []string
	out  string
	code int
}

type failure struct{ Error tools.Error }

func exits() map[tools.Code]int {
	return map[tools.Code]int{
		"invalid_input": 2, "not_found": 3, "unavailable": 4, "forbidden": 4,
		"already_exists": 5, "conflict": 5, "limit_exceeded": 5,
		"busy": 6, "upstream": 6, "rate_limited": 6, "no_space": 6,
		"corrupt": 1, "internal": 1, "timeout": 124, "cancelled": 130,
	}
}

// oneDocument checks that a text is one JSON document on one line.
func oneDocument(text string) error {
	line, ok := strings.CutSuffix(text, "\n")
	switch {
	case !ok:
		return errors.New("no newline at the end")
	case strings.Contains(line, "\n"):
		return errors.New("more than one line")
	case !utf8.ValidString(line):
		return errors.New("not UTF-8")
	}
	d := jsontext.NewDecoder(strings.NewReader(line)) // refuses a name that comes twice
	if _, err := d.ReadValue(); err != nil {
		return err
	}
	if rest := line[d.InputOffset():]; rest != "" {
		return fmt.Errorf("after the document: %q", rest)
	}
	return nil
}

func checkDocument(text string, code int) error {
	if err := oneDocument(text); err != nil {
		return err
	}
	want := 0
	if strings.HasPrefix(text, `{"error":`) {
		var f failure
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return err
		}
		var known bool
		if want, known = exits()[f.Error.Code]; !known || f.Error.Message == "" || f.Error.Tool == "" {
			return fmt.Errorf("no such error: %+v", f.Error)
		}
	}
	if code != want {
		return fmt.Errorf("exit code %d, want %d", code, want)
	}
	return nil
}

// ok checks that the answer is a result, and returns it.
func (a answer) ok() map[string]any {
	a.t.Helper()
	if err := checkDocument(a.out, a.code); err != nil || a.code != 0 {
		a.t.Fatalf("%.200q: exit code %d, %v\n%.2000s", a.args, a.code, err, a.out)
	}
	var result map[string]any
	if err := json.Unmarshal([]byte(a.out), &result); err != nil {
		a.t.Fatalf("%.200q: %v\n%.2000s", a.args, err, a.out)
	}
	return result
}

// fails checks that the answer is an error with this code and problems at exactly
// these places.
func (a answer) fails(code tools.Code, paths ...string) tools.Error {
	a.t.Helper()
	if err := checkDocument(a.out, a.code); err != nil {
		a.t.Fatalf("%.200q: %v\n%.2000s", a.args, err, a.out)
	}
	var f failure
	if err := json.Unmarshal([]byte(a.out), &f); err != nil || f.Error.Code != code {
		a.t.Fatalf("%.200q: want %s, got %.2000s", a.args, code, a.out)
	}
	var got []string
	for _, d := range f.Error.Details {
		got = append(got, d.Path)
	}
	slices.Sort(got) // TestSameOrder is about their order
	if want := slices.Sorted(slices.Values(paths)); !slices.Equal(got, want) {
		a.t.Errorf("%.200q: problems at %q, want %q\n%.2000s", a.args, got, paths, a.out)
	}
	return f.Error
}

func (a answer) text() string {
	a.t.Helper()
	if a.code != 0 || !strings.HasSuffix(a.out, "\n") || strings.HasPrefix(a.out, "{") {
		a.t.Fatalf("%.200q: exit code %d, not a text:\n%.2000s", a.args, a.code, a.out)
	}
	return a.out
}
