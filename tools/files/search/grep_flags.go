package search

import (
	"strings"

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
		set("", "color", "colour"), value("", "sort"),
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
