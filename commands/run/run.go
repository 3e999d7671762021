// Package run holds the parts of one run of the program: its options, its open
// resources, and the environment of tools.
package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"techo/commands/caldav"
	"techo/commands/catalogue"
	"techo/commands/google"
	"techo/commands/system"
	"techo/internal/shell"
	"techo/store"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/person"
)

// Run is one run of the program, or one request to a server.
type Run struct {
	System    system.System
	Options   Options
	Given     Given
	Resources *Resources
	Offered   []*tools.Tool // to agents

	// Served is set for calls of a server that come from no command and no page: their hints name tools
	// instead of commands, and calls of a turn are counted.
	Served bool

	// Profile has the tools that the server lists. "" is all.
	Profile catalogue.Profile

	Form       bool   // the caller is the page, whose forms explain their fields
	Remote     bool   // the caller is on another machine or another user: files need --root
	ClientName string // of the MCP session or HTTP client; "" is a command
	StdinTaken bool   // stdin carries calls, not a person's answers
	Piped      []byte // what was piped in, if the line names it (tools.Flagged)
	Unread     func() bool
	Sharing    tools.SharingSettings
	Vouched    string // the channel by which the person makes these calls, or "" (tools.Caller)

	Begins      bool // the session of an agent, with which the notebook is synced
	SecretGiven bool // the session of the page that makes these calls is unlocked

	Observe func(ledger.Transaction) // is called after each transaction of the store; nil means not

	Out *Printer

	local bool // the store is one of this machine: no server is looked for
}

// Env returns the environment of a tool call.
func (s *Run) Env() *tools.Env {
	o := &s.Options
	env := &tools.Env{
		Secrets: o.Secrets,
		Purge:   o.purge, Tools: s.Offered, Form: s.Form,
		Lang: o.lang, Zone: o.zone, Now: o.Clock, User: o.User, Named: o.named,
		Dir: s.System.Dir, Roots: s.openRoots, Open: s.Open, Caller: s.caller(), Sharing: s.Sharing,
		Where: func() (string, error) { path, _, err := FindStore(s.System, o.Store); return path, err },
		HTTP:  httpClient(o.web.Proxy),
		Cache: s.System.Cache(),

		Memory: o.memory, Model: o.model, Web: o.web,
		Host: tools.HostSettings{Home: s.System.Home(), Config: s.System.Config(), GitConfig: s.System.GitConfig(),
			Stdin: s.Piped, Unread: s.Unread},
		Person: tools.PersonSettings{Secret: func() (*store.Secret, error) { return s.secretOf() }, Terminal: s.terminal,
			Typed: s.System.StdinTerminal && !s.StdinTaken},
		Ask: tools.AskSettings{PID: os.Getpid(), Clock: s.System.Now, Notify: notifier(s.System)},
		Calendars: tools.CalendarSettings{Work: o.work, Google: google.New(s.System, s.Env).Calendar(),
			Password: caldav.New(s.System).Password, Columns: s.System.Columns},
	}
	env.Memory.Turns = &s.Resources.turns
	if path := s.personalPath(); path != "" {
		env.Personal = func(context.Context) (*store.Store, error) { return s.openPersonal(path) }
	}
	if s.Served || s.System.Getenv(hintsVariable) == "tools" {
		env.Naming = Naming(s)
	}
	if s.System.StderrTerminal {
		env.Progress = s.Out.Progress(s.Name())
		env.Preparing = s.Out.preparing
	}
	return env
}

// hintsVariable is the variable by which a module makes hints name tools and fields: its caller has no shell.
const hintsVariable = "TECHO_HINTS"

// InStore reports whether calls of a tool use only the store, and may share a transaction.
func InStore(s *Run, t *tools.Tool) bool {
	return t.InStore && !(t.Models && s.Options.model.URL != "")
}

// secretOf returns the place of the person's secret; nil if their account has no home folder.
// Neither it nor its clock is from the environment: an agent could bring a secret of its own, or
// end a delay.
func (s *Run) secretOf() (*store.Secret, error) {
	state, err := s.System.Own(".local", "state")
	if state == "" || err != nil {
		return nil, err
	}
	return store.SecretIn(state, s.System.Now), nil
}

// Naming returns how a caller without a shell knows the tools of a run.
func Naming(s *Run) *tools.Naming {
	return &tools.Naming{Listed: s.Profile.Lists, Fields: s.Profile.Fields}
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
		s.tellNewStore(path, write)
		return store.Open(path, store.Options{Write: write, Rebuild: true, Holder: s.Name(), Now: s.Options.Clock,
			Given:   s.Options.given,
			History: s.Options.history, Observe: s.Observe})
	})
}

// personalPath returns the path of the person's own store beside a workspace, "" without one. A caller over the network
// gets only the store that is served.
func (s *Run) personalPath() string {
	if s.Remote || s.Sharing.Member || s.Options.Store != "" || s.System.Data() == "" {
		return ""
	}
	workspace, own := NearestWorkspace(s.System), filepath.Join(s.System.Data(), "techo")
	if st, err := os.Stat(own); workspace == "" || workspace == own || err != nil || !st.IsDir() {
		return ""
	}
	return own
}

// openPersonal opens the person's own store for reading, once.
func (s *Run) openPersonal(path string) (*store.Store, error) {
	r := s.Resources
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.personal != nil {
		return r.personal, nil
	}
	st, err := store.Open(path, store.Options{Rebuild: true, Holder: s.Name(), Now: s.Options.Clock})
	if err == nil {
		r.personal = st
	}
	return st, err
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
	path, found, err := FindStore(s.System, s.Options.Store)
	if err == nil && found {
		err = CheckTrust(s.System, env, path)
	}
	if !errors.Is(err, errNoHome) {
		return path, err
	}
	return "", env.Fail(tools.Unavailable,
		"There is no place for the store: neither TECHO_STORE, XDG_DATA_HOME nor HOME is set").WithHint(
		env.Hint("Name a folder: %s", tools.Flag("store", tools.Placeholder("DIR"))))
}

// Name returns the program and its command, for locks and progress.
func (s *Run) Name() string { return strings.Join(append([]string{system.Name}, s.Given.Path...), " ") }

// Close closes the resources.
func (s *Run) Close() { s.Resources.close() }

// Configure reads the options from the flags, the environment and the files with
// settings, and returns their problems. The commands that change these files work in
// spite of problems in them.
func (s *Run) Configure(g Given) (problems []tools.Detail) {
	language, _ := (&parser{sys: s.System, flags: g.Settings}).get("lang")
	lang, _ := findLanguage(s.System, language)
	g.Files = readFiles(s.System, &tools.Env{Lang: lang})
	s.Given = g
	s.Options, problems = Parse(s.System, g)
	problems = append(problems, g.Files.problems...)
	if len(g.Path) > 0 && g.Path[0] == "config" {
		g.Files = &FileValues{}
		_, problems = Parse(s.System, g)
	}
	s.Out.Text, s.Out.MaxBytes, s.Out.ErrorsToStderr = s.Options.text, s.Options.maxBytes, s.Options.errors
	return problems
}

// New returns a run with default options. Configure sets them.
func New(w system.System, offered []*tools.Tool) *Run {
	return &Run{System: w, Offered: offered, Resources: &Resources{}, Out: NewPrinter(w)}
}

// Given are the parts of a command line that apply to the whole run.
type Given struct {
	Path     []string          // the words of the command
	Settings map[string]string // global flags
	Roots    []string          // --root, which may be repeated
	Files    *FileValues       // the settings in files; nil if they are not read
}

// httpClient returns a client for services that the person named. It keeps no
// connection open, so that nothing has to be closed. proxy may be nil.
func httpClient(proxy func(*url.URL) (*url.URL, error)) *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if proxy == nil {
				return nil, nil
			}
			return proxy(r.URL)
		},
		DisableKeepAlives:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2:   true,
	}}
}

// terminal opens a channel to the person. It reads stdin only on request: the
// content of a pipe is not an answer.
func (s *Run) terminal(c tools.Channel) (tools.Terminal, error) {
	switch {
	case c == tools.OnStdin && s.StdinTaken:
		return nil, &person.NoTerminalError{Reason: "stdin carries the calls"}
	case c == tools.OnStdin:
		return &system.Pipe{In: bufio.NewReader(s.System.Stdin), Out: s.System.Stderr}, nil
	case s.System.Terminal == nil:
		return nil, &person.NoTerminalError{Reason: "techo has no terminal"}
	}
	return s.System.Terminal()
}

// notifier returns a function that runs TECHO_ASK_NOTIFY, a shell command that
// notifies the person of a question. The command reads the question on stdin and
// its id in TECHO_QUESTION_ID. Without the variable, notifier returns nil.
func notifier(sys system.System) func(ctx context.Context, id, question string) error {
	line := sys.Getenv("TECHO_ASK_NOTIFY")
	if line == "" {
		return nil
	}
	return func(ctx context.Context, id, question string) error {
		cmd := shell.Command(ctx, line)
		cmd.Dir, cmd.Env = sys.Dir, append(os.Environ(), "TECHO_QUESTION_ID="+id)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(system.Visible(question)+"\n"), io.Discard, io.Discard
		cmd.WaitDelay = time.Second // its child processes may keep the streams open
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("TECHO_ASK_NOTIFY: %w", err)
		}
		return nil
	}
}
