package tools

import (
	"context"
	"errors"
)

// Channel is a way to reach the person.
type Channel string

// The channels that an interface may offer.
const (
	OnTerminal Channel = "tty"   // the person's terminal, if it is safe to use
	OnStdin    Channel = "stdin" // lines of stdin, with prompts on stderr
)

// Terminal asks the person. One goroutine uses it at a time.
type Terminal interface {
	// Print shows a text without the control sequences in it.
	Print(text string) error

	// Line waits for a line and returns it without its line end. It discards input
	// typed before the first Print. io.EOF means that the person closed the input
	// (Ctrl-D).
	Line(ctx context.Context) (string, error)

	// Close releases the terminal.
	Close() error
}

// Hider is a Terminal that can turn off the echo of typed text.
type Hider interface {
	// Hide turns the echo off until Close.
	Hide() error
}

// NoTerminalError is the reason why the person cannot be asked on a channel.
type NoTerminalError struct {
	Reason Text
	Cause  error // of the system, or nil
}

func (e *NoTerminalError) Error() string { return "terminal: " + e.Text(&Env{}) }

// Text returns the reason in the caller's language.
func (e *NoTerminalError) Text(env *Env) string {
	if e.Cause == nil {
		return env.Localize(e.Reason)
	}
	return env.Localize(e.Reason) + " (" + e.Cause.Error() + ")"
}

// ErrInterrupted is the cause of a context that ended because the person pressed
// Ctrl-C.
var ErrInterrupted = errors.New("interrupted by the person")

// ErrLongLine means that a line exceeded the terminal's limit and was cut. Further
// lines can be read.
var ErrLongLine = errors.New("terminal: line too long")

// Reach opens a channel to the person. It returns a NoTerminalError if the interface
// has no such channel.
func (env *Env) Reach(c Channel) (Terminal, error) {
	if env.Terminal == nil {
		return nil, &NoTerminalError{Reason: "techo has no terminal"}
	}
	return env.Terminal(c)
}
