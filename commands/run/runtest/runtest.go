// Package runtest makes runs for tests that need no command tree.
package runtest

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
)

// Now is the time of every run.
const Now = "2026-01-02T12:00:00Z"

// New returns a run of a command with its own folder and store, without the
// environment of the machine. Roots are in g.
func New(t testing.TB, g run.Given, offered []*tools.Tool) *run.Run {
	t.Helper()
	return In(t, t.TempDir(), g, offered)
}

// In returns a run in a folder, which also contains its store.
func In(t testing.TB, dir string, g run.Given, offered []*tools.Tool) *run.Run {
	t.Helper()
	environment := map[string]string{
		"HOME": dir, "USER": "tanaka", "TZ": "UTC", "TECHO_NOW": Now,
		"TECHO_STORE": filepath.Join(dir, "store"),
	}
	r := run.New(system.System{
		Getenv:        func(name string) string { return environment[name] },
		Dir:           dir,
		Now:           time.Now,
		Stdin:         strings.NewReader(""),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		Account:       func() (string, error) { return dir, nil },
		StdinTerminal: true,
	}, offered)
	if problems := r.Configure(g); len(problems) > 0 {
		t.Fatal(problems)
	}
	t.Cleanup(r.Close)
	return r
}
