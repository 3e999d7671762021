// Package pattern finds the lines of a text that match regular expressions, in
// RE2's syntax as package regexp/syntax reads it.
//
// A match must contain one of a few runs of bytes ("windows"), which the
// expression is searched for. They are looked for over the whole text at once,
// with vector instructions where there are any (finder.go). Only the lines that
// have one are shown to a lazily built automaton over bytes (dfa.go), and to
// that only when the window alone does not decide. An expression without a
// good window goes through the automaton as a whole.
//
// A line ends at \n and what matches lies within one. Bytes that are not UTF-8
// match nothing but themselves, as in ripgrep: neither a dot nor a negated class.
package pattern

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// Options say how the expressions are to be read.
type Options struct {
	IgnoreCase bool
	Fixed      bool // they are plain texts
	Word       bool // neither side of a match continues a word
	Multiline  bool // a match may go over the ends of lines
}

// Pattern is what is searched for. It is safe for use by many at once.
type Pattern struct {
	multiline bool
	word      bool
	plan      plan
	program   *program // nil when it would be too large
	regexp    func() *regexp.Regexp
	later     func() *regexp.Regexp // the same where the text has begun before
}

// maxSource keeps expressions from taking longer to read than to search for.
const maxSource = 64 << 10

// Compile reads expressions, any of which may match. Its errors are *Error.
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
		o.Multiline = false // which is faster
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

// read checks one expression and makes it a part of the whole.
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
	if strings.Contains(e, `\Q`) { // which may have no end, and would go on behind it
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

// standard is the same expression for package regexp. For whole words the match
// is its first group, since a word may begin with what is no letter.
func standard(source string, o Options) *regexp.Regexp {
	if o.IgnoreCase {
		source = "(?i:" + source + ")"
	}
	if o.Word {
		source = `(?:^|\W)(` + source + `)(?:$|\W)`
	}
	re, err := regexp.Compile("(?m)" + source)
	if err != nil {
		return nil // larger than the parts: nothing is found with it
	}
	return re
}

// Multiline reports whether a match may go over the end of a line, or asks where
// the text begins or ends. Else it is searched for as without that option.
func (p *Pattern) Multiline() bool { return p.multiline }

// leavesLine reports whether an expression asks for more than one line at a time.
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

// hasBegin reports whether an expression asks for the begin of the text.
func hasBegin(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || slices.ContainsFunc(re.Sub, hasBegin)
}

// withoutBegin is an expression for where the text does not begin.
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

// newline tells whether an expression asks for the end of a line by name.
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
