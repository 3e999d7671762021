package proof

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/commands"
	"techo/commands/system"
	"techo/internal/testenv"
	"techo/internal/testenv/winetest"
)

// program is the path of the techo under test.
var program string

func TestMain(m *testing.M) {
	testenv.Main(suite{m}, func() int { return commands.Main(system.OS()) })
}

// suite is the tests of this package, which need the program.
type suite struct{ tests *testing.M }

// Run runs them.
func (s suite) Run() int {
	if winetest.On() {
		return underWine(s.tests)
	}
	var err error
	if program, err = testenv.Build(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return s.tests.Run()
}

// underWine runs the tests with the program of Windows.
func underWine(tests *testing.M) int {
	dir, err := os.MkdirTemp("", "techo-proof")
	if err == nil {
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "techo")
		err = winetest.Build(program+".exe", "build", "..")
	}
	var wine *winetest.Wine
	if err == nil {
		wine, err = winetest.New(dir)
	}
	if err == nil {
		defer wine.Close()
		err = wine.Wrap(program, program+".exe")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests.Run()
}

type answer struct {
	Args   []string
	Out    []byte         // stdout
	Doc    map[string]any // the document on it, or nil
	Code   int            // exit code, -1 when a signal ended it
	Stderr string
	Took   time.Duration
}

func (a answer) String() string {
	return fmt.Sprintf("techo %.500s: exit %d after %v\nstdout: %s\nstderr: %s", strings.Join(a.Args, " "), a.Code,
		a.Took.Round(time.Millisecond), a.Out, a.Stderr)
}

func (a answer) errorCode() string {
	e, _ := a.Doc["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// techo calls the program on a store. No call may print a stack trace, or anything
// but one document on stdout.
func techo(t *testing.T, store string, args ...string) answer {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	a := collect(command(ctx, store, args...))
	a.wantClean(t)
	return a
}

// command returns a call of the program on a store, not started yet.
func command(ctx context.Context, store string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, append([]string{"--store", store}, args...)...)
	c.Env = environment()
	if winetest.On() { // where processes of Wine may keep the output of one that was killed open
		c.WaitDelay = time.Second / 5
	}
	return c
}

func environment() []string {
	env := []string{"TZ=Asia/Tokyo", "LANG=C", "HOME=" + filepath.Dir(program)}
	for _, name := range []string{"PATH", "TMPDIR"} {
		env = append(env, name+"="+os.Getenv(name))
	}
	return env
}

// collect runs a call to its end. In ordinary runs the program is a call in this process.
func collect(c *exec.Cmd) answer {
	if !inProcess(c) {
		return collectProcess(c)
	}
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	started := time.Now()
	code := commands.Main(systemOf(c))
	a := answer{Args: c.Args[1:], Out: out.Bytes(), Stderr: stderr.String(), Code: code, Took: time.Since(started)}
	_ = json.Unmarshal(a.Out, &a.Doc)
	return a
}

// collectProcess runs a call to its end, always as a process.
func collectProcess(c *exec.Cmd) answer {
	var out, stderr bytes.Buffer
	c.Stdout, c.Stderr = &out, &stderr
	started := time.Now()
	err := c.Run()
	a := answer{Args: c.Args[1:], Out: out.Bytes(), Stderr: stderr.String(), Took: time.Since(started)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		a.Code = exit.ExitCode()
	} else if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		a.Code, a.Stderr = -1, a.Stderr+err.Error()
	}
	_ = json.Unmarshal(a.Out, &a.Doc)
	return a
}

// inProcess reports whether a command is the program alone, and processes add nothing to it.
func inProcess(c *exec.Cmd) bool {
	return c.Path == program && c.SysProcAttr == nil && !testenv.Full() && !testenv.Long() && !winetest.On()
}

// systemOf returns the system of a process of the program.
func systemOf(c *exec.Cmd) system.System {
	env := make(map[string]string)
	for _, variable := range c.Env {
		name, value, _ := strings.Cut(variable, "=")
		env[name] = value
	}
	sys := system.OS()
	sys.Args, sys.Program = c.Args[1:], func() string { return c.Path }
	sys.Getenv, sys.Dir = func(name string) string { return env[name] }, cmp.Or(c.Dir, sys.Dir)
	sys.Stdin, sys.Stdout, sys.Stderr = c.Stdin, c.Stdout, c.Stderr
	if sys.Stdin == nil {
		sys.Stdin = strings.NewReader("")
	}
	sys.StdinTerminal, sys.StdoutTerminal, sys.StderrTerminal = false, false, false
	sys.StdinWaits, sys.Terminal, sys.Interrupted = nil, nil, context.WithCancel
	return sys
}

// wantClean checks rules for all calls, whatever their outcome.
func (a answer) wantClean(t *testing.T) {
	t.Helper()
	if a.Doc == nil || a.Code < 0 || unclean(a.Stderr) {
		t.Errorf("%v", a)
	}
}

func mustTecho(t *testing.T, store string, args ...string) answer {
	t.Helper()
	a := techo(t, store, args...)
	if a.Code != 0 {
		t.Fatalf("%v", a)
	}
	return a
}
