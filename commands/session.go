package commands

import (
	"context"
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

	stores *stores

	meter *meter // nil until long work reports
}

// stores is the store of a run, opened at the first need, and once more when
// what was opened to be read has to be written. Both stay open to the end: in
// a server others may be reading.
type stores struct {
	mu             sync.Mutex
	reader, writer *store.Store
}

// env is what a tool may touch.
func (s *session) env() *tools.Env {
	return &tools.Env{Lang: s.lang, Zone: s.zone, Now: s.now, User: s.user, Open: s.open, Progress: s.progress()}
}

// open opens the store, or returns what is open already.
func (s *session) open(_ context.Context, write bool) (*store.Store, error) {
	s.stores.mu.Lock()
	defer s.stores.mu.Unlock()
	switch {
	case s.stores.writer != nil:
		return s.stores.writer, nil
	case s.stores.reader != nil && !write:
		return s.stores.reader, nil
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
	if write {
		s.stores.writer = st
	} else {
		s.stores.reader = st
	}
	return st, nil
}

// name is what this run calls itself: the program and its command.
func (s *session) name() string { return strings.Join(append([]string{program}, s.line.path...), " ") }

// close closes the store. What was answered is durable already, so an error
// changes nothing for anybody.
func (s *session) close() {
	s.stores.mu.Lock()
	defer s.stores.mu.Unlock()
	for _, st := range []*store.Store{s.stores.reader, s.stores.writer} {
		if st != nil {
			_ = st.Close()
		}
	}
	s.stores.reader, s.stores.writer = nil, nil
}
