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
	root     *cli.Command
	line     line
	faults   []tools.Detail // of the settings

	opened *store.Store
	writes bool // it was opened to be written

	stdinTaken bool // stdin carries a protocol, and so no person's answers

	rooting sync.Mutex
	rooted  []*os.Root // the folders of chosen.roots, once they are open

	meter *meter // nil until long work reports
}

// env is what a tool may touch.
func (s *session) env() *tools.Env {
	return &tools.Env{
		Lang: s.lang, Zone: s.zone, Now: s.now, User: s.user, Dir: s.Dir, Home: s.home(), Config: s.config(),
		Memory: s.memory,
		Roots:  s.openRoots, Open: s.open, Progress: s.progress(),
		PID: os.Getpid(), Terminal: s.terminal, Web: s.internet,
	}
}

// openRoots opens the folders that confine the tools for files, at the first
// need: who exchanges one for another later is not followed.
func (s *session) openRoots() ([]*os.Root, error) {
	s.rooting.Lock()
	defer s.rooting.Unlock()
	for _, dir := range s.roots[len(s.rooted):] {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		s.rooted = append(s.rooted, root)
	}
	return s.rooted, nil
}

// open opens the store at the first need, and again when it was opened to be
// read and has to be written.
func (s *session) open(_ context.Context, write bool) (*store.Store, error) {
	if s.opened != nil && (s.writes || !write) {
		return s.opened, nil
	}
	path, err := s.storePath(s.chosen.store)
	if err != nil {
		return nil, s.env().Fail(tools.Unavailable, tools.Say{EN: "There is no place for the store: %v", JA: "ストアの場所がありません: %v"}, err).
			WithHint(s.env().Say(tools.Say{EN: "Name a folder: --store DIR", JA: "フォルダを指定してください: --store DIR"}))
	}
	st, err := store.Open(path, store.Options{Write: write, Holder: s.name(), Now: s.now, Leaves: true})
	if err != nil {
		return nil, err
	}
	s.close()
	s.opened, s.writes = st, write
	return st, nil
}

// name is what this run calls itself: the program and its command.
func (s *session) name() string { return strings.Join(append([]string{program}, s.line.path...), " ") }

// closeRoots closes the folders that openRoots opened.
func (s *session) closeRoots() {
	for _, root := range s.rooted {
		_ = root.Close()
	}
	s.rooted = nil
}

// close closes the store. What was answered is durable already, so an error
// changes nothing for anybody.
func (s *session) close() {
	if s.opened != nil {
		_ = s.opened.Close()
		s.opened = nil
	}
}
