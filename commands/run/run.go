// Package run holds the parts of one run of the program: its options, its open
// resources, and the environment of tools.
package run

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"techo/commands/output"
	"techo/commands/system"
	"techo/commands/workspace"
	"techo/store"
	"techo/tools"
)

// Run is one run of the program, or one request to a server: the process, the
// options and the tools that it offers.
type Run struct {
	system.System
	Options

	Offered []*tools.Tool // to agents
	Given   Given

	Held *Resources

	Remote     bool   // callers are on other machines or other users: only files below --root
	ClientName string // of the MCP session or HTTP client; "" is a command
	StdinTaken bool   // stdin carries calls, not the answers of a person

	Out *output.Printer
}

// Resources are the open store and the open roots of a run. Each is opened when
// it is first needed and stays open until Close. A store that was opened to read
// is opened once more to write. The requests of a server share the resources.
type Resources struct {
	mu             sync.Mutex
	reader, writer *store.Store
	Folders        folders
}

// Env returns the environment of a call of a tool.
func (s *Run) Env() *tools.Env {
	return &tools.Env{
		Lang: s.lang, Zone: s.zone, Now: s.Clock, User: s.User, Dir: s.Dir, Home: s.Home(), Config: s.Config(),
		Memory: s.memory,
		Roots:  s.openRoots, Open: s.Open,
		Where:    func() (string, error) { return workspace.Path(s.System, s.Options.Store) },
		Progress: s.progress(), Google: s.google(),
		PID: os.Getpid(), Caller: s.caller(), Terminal: s.terminal, Notify: s.notifier(), Web: s.internet,
		HTTP: s.client(),
	}
}

// openRoots returns the folders that confine the tools for files.
func (s *Run) openRoots() ([]*os.Root, error) {
	if s.Remote && len(s.Roots) == 0 {
		return nil, noFiles(s.Env())
	}
	return s.Held.Folders.Open(s.Roots)
}

// Open opens the store, or returns what is open already.
func (s *Run) Open(_ context.Context, write bool) (*store.Store, error) {
	s.Held.mu.Lock()
	defer s.Held.mu.Unlock()
	switch {
	case s.Held.writer != nil:
		return s.Held.writer, nil
	case s.Held.reader != nil && !write:
		return s.Held.reader, nil
	}
	path, err := s.StorePath()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(path, store.Options{Write: write, Holder: s.Name(), Now: s.Clock, Leaves: true})
	if err != nil {
		return nil, err
	}
	if write {
		s.Held.writer = st
	} else {
		s.Held.reader = st
	}
	return st, nil
}

// StorePath returns the path of the store, which may not exist. It returns an
// error for a workspace that is not trusted.
func (s *Run) StorePath() (string, error) {
	env := s.Env()
	path, found, err := workspace.Find(s.System, s.Options.Store)
	if err == nil && found {
		err = workspace.Check(s.System, env, path)
	}
	if !errors.Is(err, workspace.ErrNoHome) {
		return path, err
	}
	return "", env.Fail(tools.Unavailable,
		"There is no place for the store: neither TECHO_STORE, XDG_DATA_HOME nor HOME is set").WithHint(
		env.Localize("Name a folder: --store DIR"))
}

// Name returns the program and its command, for locks and progress.
func (s *Run) Name() string { return strings.Join(append([]string{system.Name}, s.Given.Path...), " ") }

// Close closes the resources. Errors are ignored: results that were reported are
// durable already.
func (s *Run) Close() {
	s.Held.mu.Lock()
	defer s.Held.mu.Unlock()
	for _, st := range []*store.Store{s.Held.reader, s.Held.writer} {
		if st != nil {
			_ = st.Close()
		}
	}
	s.Held.Folders.close()
	s.Held.reader, s.Held.writer = nil, nil
}
