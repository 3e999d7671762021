package search

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"techo/internal/pattern"
	"techo/tools"
)

// Flags are the flags of grep and ripgrep. Where the two programs differ, the
// meaning that agents rely on is chosen: -r and -E are grep's, -g and -t
// ripgrep's.
func (GrepIn) Flags() []tools.FlagAlias {
	set := func(field string, names ...string) (all []tools.FlagAlias) {
		for _, name := range names {
			all = append(all, tools.FlagAlias{Name: name, Field: field})
		}
		return all
	}
	value := func(field string, names ...string) []tools.FlagAlias {
		all := set(field, names...)
		for i := range all {
			all[i].Value = true
		}
		return all
	}
	all := []tools.FlagAlias{
		{Name: "e", Field: "pattern", More: "patterns", Value: true},
		{Name: "regexp", Field: "pattern", More: "patterns", Value: true},
		{Name: "g", Field: "include", Value: true, Set: globFlag},
		{Name: "glob", Field: "include", Value: true, Set: globFlag},
		{Name: "f", Value: true, Refused: "Give each pattern with -e (--pattern and --patterns)"},
		{Name: "q", Refused: "Use --max-results 1 and read count of the result; finding nothing is exit code 0"},
		{Name: "P", Refused: "Patterns are RE2: leave -P out, and write look-around as a second search"},
		{Name: "z", Refused: "Use --multiline to match line ends"},
		{Name: "a", Refused: "Binary files are not searched; convert them to text first"},
		{Name: "sort", Value: true, Accepted: "path none",
			Refused: "Results are in path order; fs glob --sort modified lists the files that changed last first"},
		{Name: "replace", Value: true, Refused: "Use techo fs edit to replace text"},
	}
	for _, more := range [][]tools.FlagAlias{
		// These describe what the command does in any case.
		set("", "n", "r", "R", "E", "H", "I", "s", "h", "N", "line-number", "recursive", "extended-regexp",
			"with-filename", "no-heading", "no-messages", "column", "no-filename", "no-line-number"),
		set("ignore_case", "i"), set("smart_case", "S"), set("fixed_strings", "F"),
		set("word", "w", "word-regexp"), set("whole_line", "x", "line-regexp"),
		set("invert", "v", "invert-match"), set("only_matching", "o"),
		set("files_with_matches", "l"), set("files_without_match", "L"), set("count", "c"),
		set("multiline", "U"), set("no_ignore", "u"), set("ascii", "no-unicode"),
		set("", "color", "colour"),
		value("type", "t"), value("max_per_file", "m", "max-count"),
		value("after", "A", "after-context"), value("before", "B", "before-context"), value("context", "C"),
		value("exclude", "exclude-dir"),
	} {
		all = append(all, more...)
	}
	return all
}

// globFlag is -g: an excluding glob begins with an exclamation mark.
func globFlag(glob string) (field, text string) {
	if rest, ok := strings.CutPrefix(glob, "!"); ok {
		return "exclude", rest
	}
	return "include", glob
}

// Join combines repeated flags: globs and types are alternatives, and the
// last of several numbers counts.
func (GrepIn) Join(field string, values []string) (string, bool) {
	switch field {
	case "include", "exclude":
		return "{" + strings.Join(values, ",") + "}", true
	case "type":
		return strings.Join(values, ","), true
	case "after", "before", "context", "max_per_file":
		return values[len(values)-1], true
	}
	return "", false
}

// Stdin returns the field in which the word - is stdin itself.
func (GrepIn) Stdin() string { return "path" }

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
	at := utf8.RuneCountInString(source[:min(e.Offset, len(source))]) + 1
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
	return env.Lang.RegexpReason(syntax.ErrorCode(e.Reason))
}
