package search

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"techo/internal/pattern"
	"techo/tools"
)

// hasUpper reports whether an expression contains an upper case letter to match.
// Classes such as \S or \pL do not count.
func hasUpper(expressions []string, fixed bool) bool {
	for _, e := range expressions {
		if fixed {
			if strings.ContainsFunc(e, unicode.IsUpper) {
				return true
			}
			continue
		}
		if re, err := syntax.Parse(e, syntax.Perl); err == nil && hasUpperLiteral(re) {
			return true
		}
	}
	return false
}

func hasUpperLiteral(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	case syntax.OpCharClass:
		// [A-Z] counts, [^a] and \w do not.
		if len(re.Rune) > 0 && re.Rune[len(re.Rune)-1] <= 'Z' && slices.ContainsFunc(re.Rune, unicode.IsUpper) {
			return true
		}
	}
	return slices.ContainsFunc(re.Sub, hasUpperLiteral)
}

// patternProblem describes an invalid expression and suggests another one.
func patternProblem(env *tools.Env, expressions []string, e *pattern.Error) (d tools.Detail, where string) {
	d = tools.Detail{Path: "/pattern"}
	if e.Index > 0 {
		d.Path = fmt.Sprintf("/patterns/%d", e.Index-1)
	}
	source := expressions[e.Index]
	at := characters(source[:min(e.Offset, len(source))]) + 1
	where = env.Localize("%[1]s: %[2]q at character %[3]d", patternReason(env, e), e.Part, at)
	d.Message = env.Localize("is not a valid regular expression: %s", where)
	switch e.Kind {
	case pattern.LookAround:
		d.Hint = env.Hint("RE2 has no look-around. Match the surrounding text too, e.g. foo(bar) for "+
			"foo(?=bar), or filter the result with a second search; use %s for whole words",
			tools.Field("word"))
	case pattern.BackReference:
		d.Hint = env.Hint(`RE2 has no back-references. Write out the alternatives, e.g. 'a'|"a" for (['"])a\1`)
	case pattern.Possessive:
		d.Hint = env.Hint("RE2 never backtracks, so write a+ for a++, and (?:a) for (?>a)")
	case pattern.Newline:
		d.Hint = env.Hint("Use %s", tools.Field("multiline"))
	case pattern.TooLarge:
		d.Hint = env.Hint("Shorten it or use smaller repetitions")
	default:
		d.Hint = env.Hint("For plain text use %s", tools.Field("fixed_strings"))
	}
	return d, where
}

func patternReason(env *tools.Env, e *pattern.Error) string {
	switch e.Kind {
	case pattern.Newline:
		return env.Localize("a search by line cannot match line ends")
	case pattern.TooLarge:
		return env.Localize("too large")
	}
	return env.RegexpReason(syntax.ErrorCode(e.Reason))
}
