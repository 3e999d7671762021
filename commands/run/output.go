package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"techo/commands/system"
	"techo/internal/columns"
	"techo/internal/lazyregexp"
	"techo/internal/legible"
	"techo/store"
	"techo/tools"
	"techo/tools/jsontree"
)

// ExitCode returns the exit code of an error.
func ExitCode(c tools.Code) int {
	switch c {
	case tools.InvalidInput:
		return 2
	case tools.NotFound:
		return 3
	case tools.Unavailable, tools.Forbidden:
		return 4
	case tools.AlreadyExists, tools.Conflict, tools.LimitExceeded:
		return 5
	case tools.Busy, tools.Upstream, tools.RateLimited, tools.NoSpace:
		return 6
	case tools.Timeout:
		return 124
	case tools.Cancelled:
		return 130
	}
	return 1
}

// Succeed prints a result.
func (s *Printer) Succeed(r *tools.Result) int {
	var code int
	if s.Text {
		code = s.show(s.text(r) + "\n")
	} else {
		code = s.printJSON(r.JSON)
	}
	if code == 0 && r.Outcome != "" {
		code = ExitCode(r.Outcome)
	}
	return code
}

// Answer prints a result with a document and its text.
func (s *Run) Answer(document any, text string) int {
	b, err := jsontree.Marshal(document)
	if err != nil {
		return s.Out.FailInternal(s.Env(), err)
	}
	return s.Out.Succeed(&tools.Result{JSON: b, Text: text})
}

// text returns the text of a result for a terminal or for a pipe.
func (s *Printer) text(r *tools.Result) string {
	text := r.Text
	if s.terminal && !s.Verbatim && s.columns != nil && s.List != nil {
		var isTable bool
		if text, isTable = s.List(r, s.columns(), s.color); isTable {
			return text
		}
	}
	if s.terminal || !s.Verbatim {
		text = harmless(text)
	}
	return s.screenful(text)
}

// Fail prints an error on stdout, as any answer unless a protocol has stdout, and returns its exit code.
func (s *Printer) Fail(e *tools.Error) int {
	completed := *e
	e = &completed
	if e.Code == tools.InvalidInput {
		e.Hint = cmp.Or(e.Hint, s.Help)
	}
	e.Tool = cmp.Or(e.Tool, s.Tool)
	e = e.Shorten(s.MaxBytes)
	if s.Protocol {
		lines := append([]string{errorLine(e)}, DetailLines(e.Details)...)
		fmt.Fprint(s.stderr, harmless(strings.Join(lines, "\n")+"\n"))
		return ExitCode(e.Code)
	}
	if s.Text {
		text := "Error: " + e.Message + "\n"
		if e.Code == tools.Corrupt {
			text += strings.Join(append(DetailLines(e.Details), ""), "\n")
		}
		if e.Hint != "" {
			text += "Hint: " + e.Hint + "\n"
		}
		s.Document(s.screenful(harmless(strings.TrimSuffix(text, "\n"))) + "\n")
	} else {
		s.printJSON(Document(e))
	}
	s.LogError(e)
	return ExitCode(e.Code)
}

// LogError prints an error as one line on stderr if ErrorsToStderr asks for it.
func (s *Printer) LogError(e *tools.Error) {
	if s.ErrorsToStderr && !s.terminal {
		fmt.Fprintln(s.stderr, errorLine(e))
	}
}

// FailInternal prints an internal error and returns its exit code.
func (s *Printer) FailInternal(env *tools.Env, err error) int {
	return s.Fail(&tools.Error{Code: tools.Internal, Message: env.Cause(err)})
}

func errorLine(e *tools.Error) string {
	text := system.Name + ": " + string(e.Code) + ": " + e.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return strings.Join(strings.Fields(system.Visible(text)), " ")
}

// Document returns the JSON document of an error.
func Document(e *tools.Error) []byte {
	b, err := jsontree.Marshal(map[string]*tools.Error{"error": e})
	if err != nil {
		panic(err) // an Error consists of strings
	}
	return b
}

func (s *Printer) printJSON(document []byte) int {
	if s.terminal {
		var b bytes.Buffer
		if json.Indent(&b, document, "", "  ") == nil {
			document = escaped(b.Bytes())
		}
	}
	return s.write(append(document, '\n'))
}

// Document prints a text.
func (s *Printer) Document(text string) int { return s.write([]byte(text)) }

// Manual prints a page of help, whose long lines break at words on a narrow terminal.
func (s *Printer) Manual(text string) int {
	return s.Document(s.screenful(strings.TrimSuffix(text, "\n")) + "\n")
}

// Stored is Document for a document of stored texts, which must not control a terminal. A pipe gets its bytes.
func (s *Printer) Stored(text string) int {
	if s.terminal {
		text = harmless(text)
	}
	return s.Document(text)
}

// StoredPieces is Stored for a document that write writes in pieces of whole lines. It returns the error of write,
// unless the exit status is that of a failed write to stdout.
func (s *Printer) StoredPieces(write func(io.Writer) error) (status int, err error) {
	w := storedWriter{printer: s}
	if err = write(&w); w.status != 0 {
		err = nil
	}
	return w.status, err
}

type storedWriter struct {
	printer *Printer
	status  int
}

func (w *storedWriter) Write(lines []byte) (int, error) {
	if w.status = w.printer.Stored(string(lines)); w.status != 0 {
		return 0, io.ErrClosedPipe // ends the writing
	}
	return len(lines), nil
}

// StoredLines returns a writer of whole lines of JSON with stored texts, which must not control a terminal. A pipe gets
// their bytes.
func (s *Printer) StoredLines() io.Writer {
	if s.terminal {
		return escapingWriter{s.stdout}
	}
	return s.stdout
}

type escapingWriter struct{ to io.Writer }

func (w escapingWriter) Write(lines []byte) (int, error) {
	if _, err := w.to.Write(escaped(lines)); err != nil {
		return 0, err
	}
	return len(lines), nil
}

func (s *Printer) show(text string) int {
	s.meter.clear()
	if s.paged(text) {
		return 0
	}
	return s.Document(text)
}

func (s *Printer) write(text []byte) int {
	s.meter.clear()
	if _, err := s.stdout.Write(text); err != nil {
		// A script must not take this for success.
		fmt.Fprintf(s.stderr, "%s: error: stdout: %v\n", system.Name, err)
		return 1
	}
	return 0
}

// harmless makes control characters visible, so that stored text cannot control a terminal,
// also behind a pipe to a pager. Line ends of Windows stay.
func harmless(text string) string {
	return strings.ReplaceAll(system.Visible(text), "␍\n", "\r\n")
}

// escaped returns a document in which the control characters and hidden ones that JSON permits in texts have the form
// \uXXXX.
func escaped(document []byte) []byte {
	return []byte(strings.ReplaceAll(legible.EscapeJSON(string(document)), "\u007f", `\u007f`))
}

// DetailLines returns a line for each detail.
func DetailLines(details []tools.Detail) (lines []string) {
	for _, d := range details {
		if d.Path != "" {
			d.Message = d.Path + ": " + d.Message
		}
		lines = append(lines, "- "+d.Message)
	}
	return lines
}

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

	// Protocol says that stdout belongs to a protocol: errors go to stderr instead.
	Protocol bool

	Tool string // the command, in errors that name no tool
	Help string // the hint of an error of the input that has none

	meter *meter

	columns, rows func() int             // of the terminal; nil or 0: unknown
	page          func(text string) bool // shows a text with the person's pager; may be nil
	color         bool                   // the terminal shows colours
	person        func() bool            // the terminal is a person's, not one that an agent opened
}

// NewPrinter returns a printer of JSON without limits.
func NewPrinter(w system.System) *Printer {
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

// preparing shows what a command waits for.
func (s *Printer) preparing(what string) {
	if s.meter != nil {
		s.meter.show(what)
	}
}

const (
	progressAfter = 500 * time.Millisecond // short work shows no progress
	progressEvery = 100 * time.Millisecond
)

// meter shows progress on one line of a terminal. The line is cleared before the
// answer is printed.
type meter struct {
	write   func(string)
	now     func() time.Time
	command string
	started time.Time
	shown   time.Time // when the line was written; zero if it is clear
}

func (m *meter) step(done, total int64) {
	if total > 0 {
		m.show(fmt.Sprintf("%d %%", 100*min(done, total)/total))
	} else {
		m.show(strconv.FormatInt(done, 10))
	}
}

func (m *meter) show(what string) {
	now := m.now()
	if now.Sub(m.started) < progressAfter || now.Sub(m.shown) < progressEvery {
		return
	}
	m.shown = now
	m.write(fmt.Sprintf("\r\x1b[K%s: %s", m.command, what))
}

func (m *meter) clear() {
	if m != nil && !m.shown.IsZero() {
		m.write("\r\x1b[K")
		m.shown = time.Time{}
	}
}

// narrowest is the width, in columns, below which lines are left to the terminal.
const narrowest = 20

// screenful lays out a text for the person's terminal: long lines break at words, with a
// hanging indent. Lines of a grid and bytes that were asked for stay as they are.
func (s *Printer) screenful(text string) string {
	if !s.terminal || s.Verbatim || s.columns == nil {
		return text
	}
	width := s.columns()
	if width < narrowest {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, end, _ := strings.Cut(line, "\n")
		if columns.Width(line) <= width || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "+") {
			b.WriteString(line)
		} else {
			b.WriteString(hang(line, width))
		}
		b.WriteString(end + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// item is the beginning of a line under which its continuation hangs: blanks, and the mark of
// a list item, a to-do or a time, or columns with two blanks between them.
var item = lazyregexp.New(`^ *(?:[-!] (?:\[[ x-]\] )?|[ 0-9:]{5}–[ 0-9:]{5}  |(?:\w+(?: \w+)*  +)+)?`)

// hang breaks a line at words. Its continuation hangs under the text of the item.
func hang(line string, width int) string {
	begin := item.Get().FindString(line)
	indent := columns.Width(begin)
	if indent > width*2/3 {
		begin, indent = "", 2
	}
	whole := strings.ReplaceAll(line[len(begin):], "(id: ", "(id:\u00a0") // the mark and the id stay on one line
	whole = strings.ReplaceAll(whole, "（ID: ", "（ID:\u00a0")
	rows := columns.Wrap(whole, width-indent)
	text := begin + strings.Join(rows, "\n"+strings.Repeat(" ", indent))
	return strings.ReplaceAll(text, "\u00a0", " ")
}

// paged shows a text with the person's pager if it has more lines than the terminal has rows.
func (s *Printer) paged(text string) bool {
	if !s.terminal || s.rows == nil || s.page == nil {
		return false
	}
	rows := s.rows()
	return rows > 0 && strings.Count(text, "\n") >= rows && s.person() && s.page(text)
}

// tellNewStore tells a person that the store which the line names is not there yet: its name may be
// misspelt. Programs and agents, for whom a new store is no surprise, get no such line.
func (s *Run) tellNewStore(path string, write bool) {
	if _, named := s.Given.Settings["store"]; !named || store.InDatabase(path) || !s.System.AtPerson() {
		return
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	env := s.Env()
	text := env.Localize("There is no store at %s", path)
	if write {
		text = env.Localize("There was no store at %s; this makes one", path)
	}
	fmt.Fprintln(s.System.Stderr, text)
}
