package person

import (
	"errors"

	"techo/tools"
)

// NoTerminalError is the reason why the person cannot be asked on a channel.
type NoTerminalError struct {
	Reason tools.Text
	Cause  error // of the system, or nil
}

func (e *NoTerminalError) Error() string { return "terminal: " + e.Text(&tools.Env{}) }

// Text returns the reason in the caller's language.
func (e *NoTerminalError) Text(env *tools.Env) string {
	if e.Cause == nil {
		return env.Localize(e.Reason)
	}
	return env.Localize(e.Reason) + " (" + e.Cause.Error() + ")"
}

// ErrInterrupted is the cause of a context that ended because the person pressed
// Ctrl-C.
var ErrInterrupted = errors.New("interrupted by the person")

// Reach opens a channel to the person. It returns a NoTerminalError if the interface
// has no such channel.
func Reach(env *tools.Env, c tools.Channel) (tools.Terminal, error) {
	open := env.Person.Terminal
	if open == nil {
		return nil, &NoTerminalError{Reason: "techo has no terminal"}
	}
	return open(c)
}
