package commands

import (
	"context"
	"os"
	"strings"

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

	meter *meter // nil until long work reports
}

// env is what a tool may touch.
func (s *session) env() *tools.Env {
	return &tools.Env{Lang: s.lang, Zone: s.zone, Now: s.now, User: s.user, Open: s.open, Progress: s.progress(),
		Dir: s.Dir, PID: os.Getpid(), Terminal: s.terminal, Web: s.internet}
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

// close closes the store. What was answered is durable already, so an error
// changes nothing for anybody.
func (s *session) close() {
	if s.opened != nil {
		_ = s.opened.Close()
		s.opened = nil
	}
}
