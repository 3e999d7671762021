// Package pattern finds the lines of a text that match regular expressions, in the
// RE2 syntax of package regexp/syntax.
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
)

// Options control how expressions are interpreted.
type Options struct {
	IgnoreCase bool
	Fixed      bool // expressions are literals
	Word       bool // match whole words only
	Multiline  bool // a match may span lines
}

// Pattern is a compiled set of expressions. It is safe for concurrent use.
type Pattern struct {
	multiline bool
	word      bool
	plan      plan
	program   *program // nil if it would be too large
	regexp    func() *regexp.Regexp
	later     func() *regexp.Regexp // like regexp, for text that does not start at the beginning of the file
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
	re, err := syntax.Parse(source, flags(o))
	if err != nil {
		return nil, explain(source, err)
	}
	if o.Multiline && !leavesLine(re) {
		o.Multiline = false // single-line search is faster
	}
	p := &Pattern{multiline: o.Multiline, word: o.Word, plan: newPlan(re, o)}
	if !o.Multiline {
		p.program = compile(re.Simplify(), o.Word)
	}
	p.regexp = sync.OnceValue(func() *regexp.Regexp { return standard(source, o) })
	p.later = p.regexp
	if hasBegin(re) {
		p.later = sync.OnceValue(func() *regexp.Regexp { return standard(withoutBegin(re).String(), o) })
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
	}
	re, err := syntax.Parse(e, flags(o))
	if err != nil {
		return "", explain(e, err)
	}
	if at, found := newline(re, e); found && !o.Multiline {
		return "", &Error{Kind: Newline, Offset: at, Part: `\n`}
	}
	if strings.Contains(e, `\Q`) { // an unterminated \Q would include the following groups
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

// standard compiles the expression with package regexp. With Options.Word the
// match is the first group, because \b does not fit words that start with a
// non-word character.
func standard(source string, o Options) *regexp.Regexp {
	if o.IgnoreCase {
		source = "(?i:" + source + ")"
	}
	if o.Word {
		source = `(?:^|\W)(` + source + `)(?:$|\W)`
	}
	re, err := regexp.Compile("(?m)" + source)
	if err != nil {
		return nil // too large as a whole: it then matches nothing
	}
	return re
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

// hasBegin reports whether an expression contains \A.
func hasBegin(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || slices.ContainsFunc(re.Sub, hasBegin)
}

// withoutBegin replaces \A by an expression that never matches.
func withoutBegin(re *syntax.Regexp) *syntax.Regexp {
	changed := *re
	if re.Op == syntax.OpBeginText {
		changed.Op = syntax.OpNoMatch
	}
	changed.Sub = nil
	for _, sub := range re.Sub {
		changed.Sub = append(changed.Sub, withoutBegin(sub))
	}
	return &changed
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
