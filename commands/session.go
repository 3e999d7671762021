package commands

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"techo/store"
	"techo/tools"
)

// session is one run of the program.
type session struct {
	World
	chosen

	offered  []*tools.Tool // to agents
	commands []*command    // all of them
	root     *cli.Command  // with the branch of the line at least
	line     line
	faults   []tools.Detail // of the settings

	held *held

	stdinTaken bool // stdin carries a protocol, and so no person's answers

	meter *meter // nil until long work reports
}

// whole makes the tree one of all commands, for what speaks of others than the
// one that runs.
func (s *session) whole() *cli.Command {
	s.root = tree(s.commands, nil, nil)
	return s.root
}

// held is what a run has open, each from its first need to the end: the store,
// once more when what was opened to be read has to be written, and the folders
// of chosen.roots. The requests of a server share it.
type held struct {
	mu             sync.Mutex
	reader, writer *store.Store
	roots          []*os.Root
}

// env is what a tool may touch.
func (s *session) env() *tools.Env {
	return &tools.Env{
		Lang: s.lang, Zone: s.zone, Now: s.now, User: s.user, Dir: s.Dir, Home: s.home(), Config: s.config(),
		Memory: s.memory,
		Roots:  s.openRoots, Open: s.open, Where: func() (string, error) { return s.storePath(s.chosen.store) },
		Progress: s.progress(), Google: s.google(),
		PID: os.Getpid(), Terminal: s.terminal, Notify: s.notifier(), Web: s.internet,
	}
}

// openRoots opens the folders that confine the tools for files, at the first
// need: who exchanges one for another later is not followed.
func (s *session) openRoots() ([]*os.Root, error) {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	for _, dir := range s.roots[len(s.held.roots):] {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		s.held.roots = append(s.held.roots, root)
	}
	return s.held.roots, nil
}

// open opens the store, or returns what is open already.
func (s *session) open(_ context.Context, write bool) (*store.Store, error) {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	switch {
	case s.held.writer != nil:
		return s.held.writer, nil
	case s.held.reader != nil && !write:
		return s.held.reader, nil
	}
	path, err := s.place()
	if err != nil {
		return nil, err
	}
	st, err := store.Open(path, store.Options{Write: write, Holder: s.name(), Now: s.now, Leaves: true})
	if err != nil {
		return nil, err
	}
	if write {
		s.held.writer = st
	} else {
		s.held.reader = st
	}
	return st, nil
}

// place is where the store of this run is, or would be.
func (s *session) place() (string, error) {
	path, err := s.storePath(s.chosen.store)
	if err == nil {
		return path, nil
	}
	env := s.env()
	return "", env.Fail(tools.Unavailable, tools.Say{
		EN: "There is no place for the store: neither TECHO_STORE, XDG_DATA_HOME nor HOME is set",
		JA: "ストアの場所がありません: TECHO_STORE、XDG_DATA_HOME、HOME のいずれも設定されていません",
	}).WithHint(env.Say(tools.Say{EN: "Name a folder: --store DIR", JA: "フォルダを指定してください: --store DIR"}))
}

// name is what this run calls itself: the program and its command.
func (s *session) name() string { return strings.Join(append([]string{program}, s.line.path...), " ") }

// close closes what is open. What was answered is durable already, so an error
// changes nothing for anybody.
func (s *session) close() {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	for _, st := range []*store.Store{s.held.reader, s.held.writer} {
		if st != nil {
			_ = st.Close()
		}
	}
	for _, root := range s.held.roots {
		_ = root.Close()
	}
	s.held.reader, s.held.writer, s.held.roots = nil, nil, nil
}
