package setup

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"time"

	"techo/commands/run"
)

// asking is how to ask a client for its servers.
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
