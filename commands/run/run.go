// Package run holds the parts of one run of the program: its options, its open
// resources, and the environment of tools.
package run

import (
	"context"
	"errors"
	"os"
	"strings"

	"techo/commands/caldav"
	"techo/commands/google"
	"techo/commands/offer"
	"techo/commands/output"
	"techo/commands/system"
	"techo/commands/workspace"
	"techo/store"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/ask"
	"techo/tools/calendar/backend"
	"techo/tools/files/hostfiles"
	"techo/tools/person"
)

// Run is one run of the program, or one request to a server.
type Run struct {
	System    system.System
	Options   Options
	Given     Given
	Resources *Resources
	Offered   []*tools.Tool // to agents

	// Commands returns all commands of the shell. It may be nil.
	Commands func() []string

	// Served is set for calls of a server, whose hints name tools instead of commands.
	Served bool

	// Profile has the tools that the server lists. "" is all.
	Profile offer.Profile

	Remote     bool   // the caller is on another machine or another user: files need --root
	ClientName string // of the MCP session or HTTP client; "" is a command
	StdinTaken bool   // stdin carries calls, not a person's answers
	Piped      []byte // what was piped in, if the line names it (tools.Flagged)
	Unread     func() bool
	Sharing    tools.SharingSettings
	Vouched    string // the channel by which the person makes these calls, or "" (tools.Caller)

	SecretGiven bool // the person has entered their secret in the session of these calls

	Observe func(ledger.Transaction) // is called after each transaction of the store; nil means not

	Out *output.Printer

	local bool // the store is one of this machine: no server is looked for
}

// Env returns the environment of a tool call.
func (s *Run) Env() *tools.Env {
	o := &s.Options
	env := &tools.Env{
		Purge: o.purge, Tools: s.Offered,
		Lang: o.lang, Zone: o.zone, Now: o.Clock, User: o.User, Named: o.named,
		Dir: s.System.Dir, Roots: s.openRoots, Open: s.Open, Caller: s.caller(), Sharing: s.Sharing,
		Where:    func() (string, error) { return workspace.Path(s.System, o.Store) },
		HTTP:     httpClient(o.internet.Proxy),
		Settings: settings(s),
	}
	if s.Served {
		env.Naming = Naming(s)
	}
	if s.System.StderrTerminal {
		env.Progress = s.Out.Progress(s.Name())
	}
	return env
}

// InStore reports whether calls of a tool use only the store, and may share a transaction.
func InStore(s *Run, t *tools.Tool) bool {
	return t.InStore && !(t.Models && s.Options.embed.URL != "")
}

// settings returns the settings of the families of tools.
func settings(s *Run) []any {
	o := &s.Options
	memories := o.memory
	memories.Turns = &s.Resources.turns
	return []any{
		memories, o.embed, o.internet,
		hostfiles.Settings{Home: s.System.Home(), Config: s.System.Config(), GitConfig: s.System.GitConfig(),
			Stdin: s.Piped, Unread: s.Unread},
		person.Settings{Secret: func() *store.Secret { return secretOf(s) }, Terminal: s.terminal},
		ask.Settings{PID: os.Getpid(), Notify: notifier(s.System)},
		backend.Settings{Work: o.work, Google: google.New(s.System, s.Env).Calendar(),
			Password: caldav.New(s.System).Password, Columns: s.System.Columns},
	}
}

// secretOf returns the person's secret; nil if there is no folder for it. Neither its place nor
// its clock is from the environment: an agent could bring a secret of its own, or end a delay.
func secretOf(s *Run) *store.Secret {
	state := s.System.Own(".local", "state")
	if state == "" {
		return nil
	}
	return store.SecretIn(state, s.System.Now)
}

// Naming returns how a model calls the tools of a run.
func Naming(s *Run) *tools.Naming {
	commands := s.Commands
	if commands == nil {
		commands = func() []string { return nil }
	}
	return &tools.Naming{
		Commands: commands,
		Setting:  func(name string) bool { return FindSetting(name) != nil },
		Listed:   s.Profile.Lists,
		Fields:   s.Profile.Fields,
	}
}

// openRoots returns the folders that confine the file tools.
func (s *Run) openRoots() ([]*os.Root, error) {
	if s.Remote && len(s.Options.Roots) == 0 {
		return nil, noFiles(s.Env())
	}
	return s.Resources.Folders.Open(s.Options.Roots)
}

// Open returns the store, opening it if necessary.
func (s *Run) Open(_ context.Context, write bool) (*store.Store, error) {
	return s.Resources.open(write, func() (*store.Store, error) {
		path, err := s.StorePath()
		if err != nil {
			return nil, err
		}
		tellNewStore(s, path, write)
		return store.Open(path, store.Options{Write: write, Rebuild: true, Holder: s.Name(), Now: s.Options.Clock,
			Given: s.Options.given, Leaves: true,
			History: s.Options.history, Observe: s.Observe})
	})
}

// StorePath returns the path of the store, which may not exist. A workspace that
// is not trusted is an error.
func (s *Run) StorePath() (string, error) {
	env := s.Env()
	if !s.local {
		if e := CheckHere(s); e != nil {
			return "", e
		}
	}
	path, found, err := workspace.Find(s.System, s.Options.Store)
	if err == nil && found {
		err = workspace.Check(s.System, env, path)
	}
	if !errors.Is(err, workspace.ErrNoHome) {
		return path, err
	}
	return "", env.Fail(tools.Unavailable,
		"There is no place for the store: neither TECHO_STORE, XDG_DATA_HOME nor HOME is set").WithHint(
		env.Hint("Name a folder: --store DIR"))
}

// Name returns the program and its command, for locks and progress.
func (s *Run) Name() string { return strings.Join(append([]string{system.Name}, s.Given.Path...), " ") }

// Close closes the resources.
func (s *Run) Close() { s.Resources.close() }
