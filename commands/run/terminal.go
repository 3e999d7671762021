package run

import (
	"bufio"

	"techo/commands/system"
	"techo/tools"
)

// terminal opens a channel to the person. It reads stdin only on request: the
// content of a pipe is not an answer.
func (s *Run) terminal(c tools.Channel) (tools.Terminal, error) {
	switch {
	case c == tools.OnStdin && s.StdinTaken:
		return nil, &tools.NoTerminalError{Reason: "stdin carries the calls"}
	case c == tools.OnStdin:
		return &system.Pipe{In: bufio.NewReader(s.System.Stdin), Out: s.System.Stderr}, nil
	case s.System.Terminal == nil:
		return nil, &tools.NoTerminalError{Reason: "techo has no terminal"}
	}
	return s.System.Terminal()
}
