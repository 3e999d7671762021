package setup

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"techo/commands/run"
	"techo/tools"
)

// Check returns the states of the clients.
func Check(ctx context.Context, s *run.Run, names []string, of func(client string) Options) (out Out, err error) {
	env := s.Env()
	out = Out{Files: []File{}, Notes: []string{}, Status: Absent}
	all, err := readRecords(s.System.State())
	if err != nil {
		return out, err
	}
	for _, name := range names {
		c, err := check(ctx, s, all, of(name))
		if err != nil {
			return out, err
		}
		out.Clients = append(out.Clients, c)
		out.Status = worse(out.Status, c.Status)
	}
	if len(names) == 1 {
		out.Client, out.Files = names[0], out.Clients[0].Files
	}
	messages := map[Status]tools.Text{
		Current: "techo is set up",
		Absent:  "techo is not set up",
		Missing: "Something that techo setup added is missing",
		Stale:   "Something that techo setup added is out of date",
		Broken:  "The set-up is broken",
	}
	out.Message = env.Localize(messages[out.Status])
	return out, nil
}

// check returns the state of one client. It asks the client about the server of the
// person; the servers of a project must be approved in the client first.
func check(ctx context.Context, s *run.Run, all records, o Options) (out Checked, err error) {
	c := find(o.Client)
	out = Checked{Client: o.Client, Status: Absent, Says: notAsked, Files: []File{}}
	targets, err := c.files(s, o)
	if err != nil {
		if e := failed(s.Env(), err); errors.As(e, new(*tools.Error)) {
			out.Status, out.Reason = Broken, e.Error()
			return out, nil
		}
		return out, err
	}
	server, own := Absent, Absent // own is the worst of what no other client uses
	for _, f := range targets {
		for _, p := range f.parts() {
			state := f.status(all.Files[f.path], p)
			out.Files = append(out.Files, File{Path: f.path, Action: checked, Part: p, Status: state})
			out.Status = worse(out.Status, state)
			switch p {
			case serverPart:
				server, own = state, worse(own, state)
			case hooksPart:
				own = worse(own, state)
			}
		}
	}
	if own == Absent {
		out.Status = Absent // several clients read the same skill
		return out, nil
	}
	if c.asks == nil || o.Project || server == Absent || server == Missing {
		return out, nil
	}
	if out.Says = c.asks.ask(ctx, s); out.Says == notConnected {
		out.Status = Broken
	}
	return out, nil
}

// Status is the state of what setup adds to a file.
type Status string

// The states, from the best to the worst.
const (
	Current Status = "ok"
	Absent  Status = "absent"  // it was never added
	Missing Status = "missing" // it was added, and is gone
	Stale   Status = "stale"   // another version of techo added it, or it was changed
	Broken  Status = "broken"  // the client cannot read it, or cannot start techo
)

// worse returns the worse of two states. Only an absent addition is better than a
// current one.
func worse(a, b Status) Status {
	order := []Status{Absent, Current, Missing, Stale, Broken}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// isProgram reports whether a command of a configuration can be started.
func isProgram(command string) bool {
	if !filepath.IsAbs(command) {
		_, err := exec.LookPath(command)
		return err == nil
	}
	st, err := os.Stat(command)
	return err == nil && st.Mode().IsRegular()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

type asking struct {
	program string
	args    []string
	good    string   // a regular expression of the output when the server works
	env     []string // variables
}

// What a client says.
const (
	connected    = "connected"
	notConnected = "not connected"
	notInstalled = "not installed"
	notAsked     = "not asked"
)

// askTime bounds the wait for a client.
const askTime = 30 * time.Second

// ask runs the client in the home folder, where no project can add servers.
func (a *asking) ask(ctx context.Context, s *run.Run) string {
	program, err := exec.LookPath(a.program)
	if err != nil {
		return notInstalled
	}
	ctx, stop := context.WithTimeout(ctx, askTime)
	defer stop()
	cmd := exec.CommandContext(ctx, program, a.args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = s.System.Home(), append(os.Environ(), a.env...), time.Second
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(a.good).Match(escapes().ReplaceAll(out, nil)) {
		return notConnected
	}
	return connected
}

// escapes matches the control sequences of colours.
func escapes() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;?]*[a-zA-Z]") }
