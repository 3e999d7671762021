package pattern

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// Kind classifies errors in expressions.
type Kind int

// The kinds of errors.
const (
	Invalid       Kind = iota // see Error.Reason
	LookAround                // (?=…), (?!…), (?<=…), (?<!…): not in RE2
	BackReference             // \1 or \k<name>: not in RE2
	Possessive                // atomic groups and possessive repeats: not in RE2
	Newline                   // matches a newline without Options.Multiline
	TooLarge                  // longer than 64 KiB, or too many repetitions
)

// Error describes an invalid expression and the position of the error.
type Error struct {
	Kind   Kind
	Index  int    // index of the expression
	Offset int    // in bytes
	Part   string // the invalid part
	Reason string // message of package regexp/syntax
}

func (e *Error) Error() string {
	return fmt.Sprintf("pattern: %s: %q at byte %d", e.Reason, e.Part, e.Offset)
}

// explain converts an error of package regexp/syntax.
func explain(source string, err error) *Error {
	var s *syntax.Error
	if !errors.As(err, &s) {
		return &Error{Reason: err.Error()}
	}
	e := &Error{Part: s.Expr, Reason: s.Code.String(), Offset: place(source, s)}
	rest := source[e.Offset:]
	switch {
	case s.Code == syntax.ErrLarge || s.Code == syntax.ErrNestingDepth:
		e.Kind = TooLarge
	case hasAnyPrefix(rest, "(?=", "(?!", "(?<=", "(?<!"):
		e.Kind = LookAround
	case s.Code == syntax.ErrInvalidEscape && len(s.Expr) > 1 &&
		(s.Expr[1] >= '1' && s.Expr[1] <= '9' || s.Expr[1] == 'k'):
		e.Kind = BackReference
	case hasAnyPrefix(rest, "(?>"), s.Code == syntax.ErrInvalidRepeatOp && strings.HasSuffix(s.Expr, "+"):
		e.Kind = Possessive
	}
	return e
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// place returns the byte offset of an error: the end of the shortest prefix that
// has the same error. Package syntax reports only the invalid part.
func place(source string, s *syntax.Error) int {
	switch s.Code {
	case syntax.ErrMissingParen:
		return openParen(source)
	case syntax.ErrTrailingBackslash:
		return len(source) - 1
	}
	for n := 1; n <= min(len(source), 2000); n++ {
		var e *syntax.Error
		_, err := syntax.Parse(source[:n], syntax.Perl)
		if errors.As(err, &e) && e.Code == s.Code && e.Expr == s.Expr && n >= len(s.Expr) {
			if s.Code == syntax.ErrUnexpectedParen {
				return n - 1
			}
			return n - len(s.Expr)
		}
	}
	return max(0, strings.Index(source, s.Expr))
}

// openParen returns the offset of the last parenthesis that is never closed.
func openParen(source string) int {
	var open []int
	class := false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return 0
	}
	return open[len(open)-1]
}
