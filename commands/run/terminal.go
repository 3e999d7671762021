package run

import (
	"bufio"

	"techo/commands/system"
	"techo/tools/person"
)

// terminal opens a channel to the person. It reads stdin only on request: the
// content of a pipe is not an answer.
func (s *Run) terminal(c person.Channel) (person.Terminal, error) {
	switch {
	case c == person.OnStdin && s.StdinTaken:
		return nil, &person.NoTerminalError{Reason: "stdin carries the calls"}
	case c == person.OnStdin:
		return &system.Pipe{In: bufio.NewReader(s.System.Stdin), Out: s.System.Stderr}, nil
	case s.System.Terminal == nil:
		return nil, &person.NoTerminalError{Reason: "techo has no terminal"}
	}
	return s.System.Terminal()
}
