// Package line parses command lines against the tree of commands, and writes help,
// completions and manual pages.
package line

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
)

// The rules of the command line:
//
//   - A word such as --name, --name=value or -x is a flag, and an unknown one is
//     a fault. Any other word is data to the letter, also with a dash or a blank
//     in front: "- item", "-5".
//   - A flag that takes a value takes the next word, whatever it looks like.
//   - After -- every word is data.
//   - The word - stands for all of stdin, and for one field.
//
// The cli library trims words, stops at "-5", splits at commas and prints on
// its own account. So it holds the tree of commands and runs them, and is never
// shown a word that a person typed as data.

// Line is a command line that was read.
type Line struct {
	Path     []string          // the names of the command
	node     *cli.Command      // the command, or the group that the path ends at
	Settings map[string]string // global flags
	roots    []string          // the one that may be given several times
	Flags    []flagGiven       // the command's own, in order
	words    []word
	stray    []string // flags that neither the command nor the program has
	bare     []string // flags without the value that they need
	twice    []string // global flags that were given again
	Unknown  string   // a word where the name of a command should be
	Help     bool
	Version  bool
}

// flagGiven is a field that was given by name.
type flagGiven struct {
	Field string
	Value string
	Not   bool // --no-field
}

// word is one that was given as data.
type word struct {
	text  string
	after bool // it stands after --, so that - is only a dash
}

// lineReader reads words against the tree of commands.
type lineReader struct {
	Line
	rest []string
	data bool // after --
}

// ReadLine reads a command line. It always succeeds; what is wrong is in the
// line, to be told all at once.
func ReadLine(root *cli.Command, args []string) Line {
	r := &lineReader{Line: Line{node: root, Settings: map[string]string{}}, rest: args}
	for len(r.rest) > 0 {
		w := r.rest[0]
		r.rest = r.rest[1:]
		switch name, value, isFlag := cutFlag(w); {
		case r.data:
			r.word(w)
		case w == "--":
			r.data = commandOf(r.node) != nil // before a command there is no data
		case isFlag:
			r.flag(w, name, value)
		default:
			r.word(w)
		}
	}
	return r.Line
}

// cutFlag splits a word that is written as a flag. value is nil without "=".
func cutFlag(w string) (name string, value *string, ok bool) {
	name, ok = strings.CutPrefix(w, "--")
	if !ok {
		name, ok = strings.CutPrefix(w, "-")
	}
	if name, after, found := strings.Cut(name, "="); found {
		return name, &after, ok && isName(name)
	}
	return name, nil, ok && isName(name)
}

func isName(s string) bool {
	for i, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '-' && c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != ""
}

func (r *lineReader) word(w string) {
	if r.Unknown != "" {
		return // what follows an unknown command can only be a setting
	}
	if len(r.words)+len(r.Flags) == 0 && !r.data {
		if sub := r.node.Command(w); sub != nil {
			r.node = sub
			r.Path = append(r.Path, sub.Name)
			return
		}
	}
	if commandOf(r.node) == nil {
		r.Unknown = w
		return
	}
	r.words = append(r.words, word{w, r.data})
}

func (r *lineReader) flag(typed, name string, value *string) {
	if c := commandOf(r.node); c != nil {
		if field, not, kind := c.flag(name); field != "" {
			f := flagGiven{Field: field, Not: not}
			switch {
			case kind == isSwitch && value == nil:
				f.Value = "true"
			default:
				var ok bool
				if f.Value, ok = r.value(typed, value); !ok {
					return
				}
			}
			r.Flags = append(r.Flags, f)
			return
		}
	}
	if s := run.FindSetting(name); s != nil && s.Fits(commandOf(r.node).Place()) {
		v, ok := "true", true
		if s.Value != "" || value != nil {
			v, ok = r.value(typed, value)
		}
		if ok {
			r.set(s.Name, v)
		}
		return
	}
	if r.Unknown != "" {
		return // it may be a flag of what was meant
	}
	switch name {
	case "help", "h":
		r.Help = true
	case "version", "v":
		r.Version = true
	default:
		r.stray = append(r.stray, name)
	}
}

// set sets a global flag.
func (r *lineReader) set(name, value string) {
	if name == "root" {
		r.roots = append(r.roots, value)
		return
	}
	if _, given := r.Settings[name]; given && !slices.Contains(r.twice, name) {
		r.twice = append(r.twice, name)
	}
	r.Settings[name] = value
}

// value is what stands behind "=", else the next word.
func (r *lineReader) value(typed string, value *string) (string, bool) {
	if value != nil {
		return *value, true
	}
	if len(r.rest) == 0 {
		r.bare = append(r.bare, strings.TrimLeft(typed, "-"))
		return "", false
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v, true
}
