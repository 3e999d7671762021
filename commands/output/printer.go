package output

import (
	"fmt"
	"io"
	"time"

	"techo/commands/system"
	"techo/tools"
)

// Printer prints the answer of a run.
type Printer struct {
	stdout   io.Writer
	stderr   io.Writer
	terminal bool // stdout is a terminal
	Text     bool // print lines instead of JSON
	Verbatim bool // the text of the result is bytes that were asked for: a pipe gets them unchanged
	MaxBytes int  // limit for an error; 0 is no limit

	// List returns the text of a result for a terminal with so many columns. A table needs no further
	// layout. It may be nil.
	List func(r *tools.Result, width int, color bool) (text string, isTable bool)

	// ErrorsToStderr also prints each error as one line on stderr, unless stdout
	// is a terminal.
	ErrorsToStderr bool

	Tool string // the command, in errors that name no tool

	// Meant returns a better hint for an error of a command line, or "". It may be nil.
	Meant func(*tools.Error) string

	meter *meter

	columns, rows func() int             // of the terminal; nil or 0: unknown
	page          func(text string) bool // shows a text with the person's pager; may be nil
	color         bool                   // the terminal shows colours
	person        func() bool            // the terminal is a person's, not one that an agent opened
}

// New returns a printer of JSON without limits.
func New(w system.System) *Printer {
	return &Printer{stdout: w.Stdout, stderr: w.Stderr, terminal: w.StdoutTerminal,
		columns: w.Columns, rows: w.Rows, page: w.Page, person: w.AtPerson,
		color: w.StdoutTerminal && w.Color()}
}

// Progress returns a function that shows the progress of a command on stderr.
func (s *Printer) Progress(command string) func(done, total int64) {
	if s.meter == nil {
		s.meter = &meter{
			write:   func(text string) { fmt.Fprint(s.stderr, text) },
			now:     time.Now, // TECHO_NOW would not advance
			command: command, started: time.Now(),
		}
	}
	return s.meter.step
}
