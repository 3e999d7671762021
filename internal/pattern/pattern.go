// Package pattern finds the lines of a text that match regular expressions, in the
// RE2 syntax of package regexp/syntax. \w, \d, \s and \b are Unicode, as in Python.
//
// Every match of an expression contains one of a few byte sequences, its runs. The
// finder searches the whole text for the rarest part of each run, with vector
// instructions where available (finder.go). Only lines with a candidate are passed
// to a lazy DFA (dfa.go), and only if the run alone does not decide. Expressions
// without a selective run use the DFA for the whole text.
//
// A line ends at \n, and a match lies within a line. Bytes that are not valid
// UTF-8 match only themselves, as in ripgrep: neither a dot nor a negated class
// matches them.
package pattern

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Options control how expressions are interpreted.
type Options struct {
	IgnoreCase bool
	Fixed      bool // expressions are literals
	Word       bool // match whole words only
	Line       bool // match whole lines only
	Multiline  bool // a match may span lines
	ASCII      bool // \w, \d, \s and \b are ASCII, as in RE2
	CR         bool // a line also ends in front of its carriage return
}

// Pattern is a compiled set of expressions. It is safe for concurrent use.
type Pattern struct {
	multiline bool
	plan      plan
	program   *program
	exact     func() *program // without equivalent forms; may be nil
}

// maxSource is the largest expression, in bytes. Longer ones take longer to parse
// than to search for.
const maxSource = 64 << 10

// Compile compiles expressions; a line matches if any of them does. Errors are of
// type *Error.
func Compile(expressions []string, o Options) (*Pattern, error) {
	parts := make([]string, len(expressions))
	for i, e := range expressions {
		part, err := read(e, o)
		if err != nil {
			err.Index = i
			return nil, err
		}
		parts[i] = part
	}
	source := strings.Join(parts, "|")
	if o.Line {
		source, o.Word = "^(?:"+source+")$", false
	}
	re, err := syntax.Parse(source, flags(o))
	if err != nil {
		return nil, explain(source, err)
	}
	if o.CR {
		re = beforeCR(re, !o.Multiline && !slices.ContainsFunc(expressions, namesCR))
	}
	if o.Multiline && !leavesLine(re) {
		o.Multiline = false // single-line search is faster
	}
	p := &Pattern{multiline: o.Multiline}
	formed := re
	if !strings.Contains(source, `\x`) { // an escape asks for one character, not for its forms
		formed = withForms(re)
	}
	if formed != re {
		p.exact = sync.OnceValue(func() *program { return compile(re.Simplify(), o) })
	}
	p.plan = newPlan(formed, o)
	if p.program = compile(formed.Simplify(), o); p.program == nil {
		return nil, &Error{Kind: TooLarge}
	}
	return p, nil
}

// read validates one expression and returns it as a group.
func read(e string, o Options) (string, *Error) {
	if len(e) > maxSource {
		return "", &Error{Kind: TooLarge}
	}
	if o.Fixed {
		e = regexp.QuoteMeta(e)
	} else {
		e = wordEdges(e)
	}
	re, err := syntax.Parse(e, flags(o))
	if err != nil {
		return "", explain(e, err)
	}
	if at, found := newline(re, e); found && !o.Multiline {
		return "", &Error{Kind: Newline, Offset: at, Part: `\n`}
	}
	if !o.ASCII {
		e = unicodeClasses(e)
	}
	if strings.Contains(e, `\Q`) { // an unterminated \Q would include the following groups
		if re, err = syntax.Parse(e, flags(o)); err != nil {
			return "", explain(e, err)
		}
		e = re.String()
	}
	return "(?:" + e + ")", nil
}

func flags(o Options) syntax.Flags {
	f := syntax.Perl &^ syntax.OneLine
	if o.IgnoreCase {
		f |= syntax.FoldCase
	}
	return f
}

// beforeCR lets $ match in front of a carriage return at the end of a line as well, which then belongs to the match.
// With hidden set, no dot and no class matches a carriage return: it is a part of the end of the line.
func beforeCR(re *syntax.Regexp, hidden bool) *syntax.Regexp {
	switch re.Op {
	case syntax.OpEndLine:
		cr := &syntax.Regexp{Op: syntax.OpLiteral, Flags: re.Flags &^ syntax.FoldCase, Rune: []rune{'\r'}}
		may := &syntax.Regexp{Op: syntax.OpQuest, Flags: re.Flags, Sub: []*syntax.Regexp{cr}}
		return &syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: []*syntax.Regexp{may, re}}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		if hidden {
			return &syntax.Regexp{Op: syntax.OpCharClass, Flags: re.Flags,
				Rune: []rune{0, '\n' - 1, '\n' + 1, '\r' - 1, '\r' + 1, unicode.MaxRune}}
		}
	case syntax.OpCharClass:
		if hidden {
			re.Rune = withoutCR(re.Rune)
		}
	}
	for i, sub := range re.Sub {
		re.Sub[i] = beforeCR(sub, hidden)
	}
	return re
}

// withoutCR returns the ranges of a class without the carriage return.
func withoutCR(ranges []rune) []rune {
	var kept []rune
	for i := 0; i < len(ranges); i += 2 {
		low, high := ranges[i], ranges[i+1]
		if low > '\r' || high < '\r' {
			kept = append(kept, low, high)
			continue
		}
		if low < '\r' {
			kept = append(kept, low, '\r'-1)
		}
		if high > '\r' {
			kept = append(kept, '\r'+1, high)
		}
	}
	return kept
}

// namesCR reports whether an expression may ask for a carriage return, by itself or by its number.
func namesCR(e string) bool {
	for _, form := range []string{"\r", `\r`, `\x`, `\0`} {
		if strings.Contains(e, form) {
			return true
		}
	}
	return false
}

// wordEdges replaces \< and \> by \b: grep and ripgrep take them for the beginning and the end of a word.
func wordEdges(e string) string {
	if !strings.Contains(e, `\<`) && !strings.Contains(e, `\>`) || strings.Contains(e, `\Q`) {
		return e
	}
	var b strings.Builder
	class := false
	for i := 0; i < len(e); i++ {
		switch c := e[i]; {
		case c == '\\' && i+1 < len(e):
			if i++; !class && (e[i] == '<' || e[i] == '>') {
				b.WriteString(`\b`)
			} else {
				b.WriteString(e[i-1 : i+1])
			}
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		}
		b.WriteByte(e[i])
	}
	return b.String()
}

// Multiline reports whether a match may span lines or depends on the start or end
// of the text. Other patterns are searched line by line even if Options.Multiline
// is set.
func (p *Pattern) Multiline() bool { return p.multiline }

// leavesLine reports whether an expression can match a newline or depends on the
// start or end of the text.
func leavesLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return true
			}
		}
	}
	return slices.ContainsFunc(re.Sub, leavesLine)
}

// newline reports whether an expression contains a literal newline, and its offset
// in source.
func newline(re *syntax.Regexp, source string) (offset int, found bool) {
	if re.Op == syntax.OpLiteral {
		for _, r := range re.Rune {
			if r == '\n' {
				return max(0, strings.Index(source, `\n`), strings.Index(source, "\n")), true
			}
		}
	}
	for _, sub := range re.Sub {
		if at, found := newline(sub, source); found {
			return at, true
		}
	}
	return 0, false
}
