package tools

import (
	"context"
	"errors"
)

// Channel is a way to the person.
type Channel string

// The channels that a face may have.
const (
	OnTerminal Channel = "tty"   // the person's terminal, when it is safe to use
	OnStdin    Channel = "stdin" // lines of stdin, prompted for on stderr
)

// Terminal is where the person is asked. One goroutine uses it at a time.
type Terminal interface {
	// Print shows a text, in which nothing can command the terminal.
	Print(text string) error

	// Line waits for a line and returns it without its end. What was typed
	// before the first Print is not taken. io.EOF says that the person closed
	// the input (Ctrl-D).
	Line(ctx context.Context) (string, error)

	// Close gives the terminal back.
	Close() error
}

// Hider is a Terminal that can keep what is typed from being seen.
type Hider interface {
	// Hide stops the echo until Close.
	Hide() error
}

// NoTerminalError says why the person cannot be asked on a channel.
type NoTerminalError struct{ Reason string }

func (e *NoTerminalError) Error() string { return "terminal: " + e.Reason }

// ErrInterrupted is the cause of a context that ended because the person
// pressed Ctrl-C.
var ErrInterrupted = errors.New("interrupted by the person")

// ErrLongLine says that a line was longer than a terminal takes, which has lost
// its end. What comes next can be read.
var ErrLongLine = errors.New("terminal: line too long")

// Reach opens a channel to the person. The error is a NoTerminalError when
// there is none.
func (env *Env) Reach(c Channel) (Terminal, error) {
	if env.Terminal == nil {
		return nil, &NoTerminalError{"this face has none"}
	}
	return env.Terminal(c)
}
