// Package output prints results, errors and progress, and maps errors to exit codes.
package output

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"techo/commands/system"
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

// Fail prints an error on stdout, as any answer, and returns its exit code.
func (s *Printer) Fail(e *tools.Error) int {
	completed := *e
	e = &completed
	if s.Meant != nil {
		e.Hint = cmp.Or(s.Meant(e), e.Hint)
	}
	e.Tool = cmp.Or(e.Tool, s.Tool)
	e = e.Shorten(s.MaxBytes)
	if s.Text {
		text := "Error: " + e.Message + "\n"
		if e.Code == tools.Corrupt {
			text += strings.Join(append(DetailLines(e.Details), ""), "\n")
		}
		if e.Hint != "" {
			text += "Hint: " + e.Hint + "\n"
		}
		s.print(harmless(text))
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

// errorLine formats an error as one line, for logs and mail.
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

// printJSON prints a document on one line, or indented for a person.
func (s *Printer) printJSON(document []byte) int {
	if s.terminal {
		var b bytes.Buffer
		if json.Indent(&b, document, "", "  ") == nil {
			document = escaped(b.Bytes())
		}
	}
	if len(document) > longDocument { // avoid a copy
		if code := s.write(document); code != 0 {
			return code
		}
		document = nil
	}
	return s.print(string(document) + "\n")
}

// longDocument is the size, in bytes, from which a document and its newline are
// written separately.
const longDocument = 1 << 14

// Document prints a text.
func (s *Printer) Document(text string) int { return s.print(text) }

// show prints a text, with the person's pager if it is longer than the terminal.
func (s *Printer) show(text string) int {
	s.meter.clear()
	if s.paged(text) {
		return 0
	}
	return s.print(text)
}

func (s *Printer) print(text string) int { return s.write([]byte(text)) }

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

// escaped returns a document in which the control characters that JSON permits in texts have
// the form \uXXXX.
func escaped(document []byte) []byte {
	if bytes.Equal(document, []byte(system.Visible(string(document)))) {
		return document
	}
	var b bytes.Buffer
	for _, r := range string(document) {
		if c := string(r); r > ' ' && system.Visible(c) != c {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}
