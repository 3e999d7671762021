package output

import (
	"fmt"
	"io"
	"techo/commands/system"
	"time"
)

// Printer writes the answer of a run.
type Printer struct {
	stdout   io.Writer
	stderr   io.Writer
	terminal bool // stdout is one
	Text     bool // answer in lines, not in JSON
	MaxBytes int  // of an error; 0 is without limit

	// ErrorsToStderr also prints an error as one line on stderr, unless stdout is
	// a terminal.
	ErrorsToStderr bool

	meter *Meter
}

func New(w system.System) *Printer {
	return &Printer{stdout: w.Stdout, stderr: w.Stderr, terminal: w.StdoutTerminal}
}

// Progress returns a function that shows the progress of a command on stderr.
func (s *Printer) Progress(command string) func(done, total int64) {
	if s.meter == nil {
		s.meter = &Meter{
			Write: func(text string) { fmt.Fprint(s.stderr, text) },
			Now:   time.Now, // TECHO_NOW does not advance
			What:  command, Started: time.Now(),
		}
	}
	return s.meter.Step
}
