package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"techo/internal/nearest"
	"techo/tools"
)

// exitCodes says how a process that failed ends. What is not here is 1.
var exitCodes = map[tools.Code]int{
	tools.InvalidInput:  2,
	tools.NotFound:      3,
	tools.Unavailable:   4,
	tools.Forbidden:     4,
	tools.AlreadyExists: 5,
	tools.Conflict:      5,
	tools.LimitExceeded: 5,
	tools.Busy:          6,
	tools.Upstream:      6,
	tools.RateLimited:   6,
	tools.NoSpace:       6,
	tools.Corrupt:       1,
	tools.Internal:      1,
	tools.Timeout:       124,
	tools.Cancelled:     130,
}

func exitCode(c tools.Code) int {
	if code, ok := exitCodes[c]; ok {
		return code
	}
	return 1
}

// succeed prints a result.
func (s *session) succeed(r *tools.Result) int {
	var code int
	if s.text {
		code = s.print(s.forTerminal(r.Text) + "\n")
	} else {
		code = s.printJSON(r.JSON)
	}
	if code == 0 && r.Outcome != "" {
		code = exitCode(r.Outcome)
	}
	return code
}

// fail prints an error, on stdout like any answer, and returns its exit code.
func (s *session) fail(e *tools.Error) int {
	if s.text {
		text := "Error: " + e.Message + "\n"
		if e.Hint != "" {
			text += "Hint: " + e.Hint + "\n"
		}
		s.print(s.forTerminal(text))
	} else {
		s.printJSON(errorDocument(e))
	}
	return exitCode(e.Code)
}

// errorDocument is an error as every face sends it.
func errorDocument(e *tools.Error) []byte {
	b, err := tools.Marshal(map[string]*tools.Error{"error": e})
	if err != nil {
		panic(err) // an Error is made of strings
	}
	return b
}

// printJSON prints a document on one line, or indented for a person.
func (s *session) printJSON(document []byte) int {
	if s.StdoutTerminal {
		var b bytes.Buffer
		if json.Indent(&b, document, "", "  ") == nil {
			document = b.Bytes()
		}
	}
	if len(document) > longDocument { // which takes no copy
		if code := s.write(document); code != 0 {
			return code
		}
		document = nil
	}
	return s.print(string(document) + "\n")
}

// longDocument is from how many bytes on a document is printed as it is, and
// its end behind it.
const longDocument = 1 << 14

// document prints what was asked for as a document.
func (s *session) document(text string) int { return s.print(text) }

func (s *session) print(text string) int { return s.write([]byte(text)) }

func (s *session) write(text []byte) int {
	s.meter.clear()
	if _, err := s.Stdout.Write(text); err != nil {
		// Nobody may see it, but a script should not take this for success.
		fmt.Fprintf(s.Stderr, "%s: error: stdout: %v\n", program, err)
		return 1
	}
	return 0
}

// forTerminal makes the control characters of a text visible, so that nothing
// that was stored can command the terminal.
func (s *session) forTerminal(text string) string {
	if !s.StdoutTerminal {
		return text
	}
	return visible(text)
}

// visible shows the control characters of a text instead of sending them.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '�'
		}
		return r
	}, text)
}

// unknownCommand is the error of a word that is no command, or of a group
// alone.
func (s *session) unknownCommand(env *tools.Env, node *cli.Command) *tools.Error {
	typed := s.name()
	e := &tools.Error{Code: tools.InvalidInput, Details: s.faults}
	var names []string
	for _, c := range node.Commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if s.line.unknown == "" {
		e.Message = env.Say(tools.Say{EN: "%s: a command is missing", JA: "%s: コマンドがありません"}, typed)
		e.Hint = env.Say(tools.Say{EN: "One of: %s", JA: "次のいずれか: %s"}, strings.Join(names, ", "))
	} else {
		e.Message = env.Say(tools.Say{EN: "%s: there is no command %q", JA: "%s: 「%s」というコマンドはありません"}, typed, s.line.unknown)
		if near := nearest.Of(s.line.unknown, allNames(node)); len(near) > 0 {
			e.Hint = env.DidYouMean(near)
		} else {
			e.Hint = env.Say(tools.Say{EN: "See %s --help", JA: "%s --help を参照してください"}, typed)
		}
	}
	for _, name := range s.line.bare {
		e.Details = append(e.Details, tools.Detail{Path: "/" + name, Message: env.Say(tools.Say{EN: "needs a value", JA: "値が必要です"})})
	}
	for _, name := range s.line.stray {
		if s.line.unknown != "" {
			break // they may be that command's
		}
		e.Details = append(e.Details, tools.UnknownField(env, "/"+name, name, settingNames(nil)))
	}
	return e
}

func allNames(node *cli.Command) (names []string) {
	for _, c := range node.Commands {
		names = append(names, c.Name)
	}
	return names
}
