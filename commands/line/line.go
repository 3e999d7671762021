// Package line parses command lines against the tree of commands, and writes help,
// completions and manual pages.
package line

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
)

// The rules of the command line:
//
//   - A word such as --name, --name=value or -x is a flag, and an unknown one is
//     a problem. Any other word is data and stays unchanged, also with a dash or a
//     blank in front: "- item", "-5".
//   - A flag that takes a value takes the next word, whatever it looks like.
//   - After -- every word is data.
//   - The word - stands for all of stdin, and for one field.
//
// The cli library trims words, stops at "-5", splits at commas and prints
// messages itself. So it only keeps the tree of commands and runs them, and gets
// the words of data in a form that it cannot misread (declare.go).

// Line is a parsed command line.
type Line struct {
	Path         []string          // the words of the command
	node         *cli.Command      // the last command or group of the path
	Settings     map[string]string // global flags
	roots        []string          // --root, which may be repeated
	Flags        []flagGiven       // of the command, in order
	words        []word
	unknownFlags []string // unknown flags
	refused      []*tools.FlagAlias
	withoutValue []string // flags without a value
	repeated     []string // global flags that were repeated
	Unknown      string   // a word that is not a command
	Help         bool
	Version      bool
}

// flagGiven is a flag of the command and its value.
type flagGiven struct {
	Field string
	Other string // the other name for the field that was typed, or ""
	Value string
	Not   bool // --no-field
	Alias bool // a flag of a similar program
}

// word is a word that is data.
type word struct {
	text  string
	after bool // it follows --, so that - is only a dash
	at    int  // its index in the arguments
}

// lineReader parses words against the tree of commands.
type lineReader struct {
	Line
	rest []string
	all  int  // the number of arguments
	data bool // after --
}

// readLine parses a command line. It always succeeds: the line contains all its
// problems.
func readLine(root *cli.Command, args []string) Line {
	r := &lineReader{Line: Line{node: root, Settings: map[string]string{}}, rest: args, all: len(args)}
	for len(r.rest) > 0 {
		w := r.rest[0]
		r.rest = r.rest[1:]
		switch name, value, isFlag := cutFlag(w); {
		case r.data:
			r.word(w)
		case w == "--":
			r.data = commandOf(r.node) != nil // without a command there is no data
		case r.alias(w):
		case isFlag:
			r.flag(w, name, value)
		default:
			r.word(w)
		}
	}
	return r.Line
}

// cutFlag splits a flag into its name and its value, nil without "=".
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
		return // after an unknown command only settings are recognized
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
	r.words = append(r.words, word{w, r.data, r.all - len(r.rest) - 1})
}

func (r *lineReader) flag(typed, name string, value *string) {
	if c := commandOf(r.node); c != nil {
		if field, not, kind := c.flag(name); field != "" {
			f := flagGiven{Field: field, Other: c.otherName(name, field), Not: not}
			switch {
			case kind == isSwitch && value == nil:
				f.Value = "true"
			case kind == isSwitch && *value == "": // it could mean true, or that it is not given
				r.withoutValue = append(r.withoutValue, name)
				return
			default:
				var ok bool
				if f.Value, ok = r.value(typed, value); !ok {
					return
				}
			}
			for _, v := range c.values(name, f) {
				f.Value = v
				r.Flags = append(r.Flags, f)
			}
			return
		}
	}
	s, not := run.SettingOfFlag(name)
	if s != nil && s.Fits(commandOf(r.node).place()) {
		v, ok := "true", true
		if s.Value != "" || value != nil {
			v, ok = r.value(typed, value)
		}
		if not {
			v = negated(v)
		}
		if ok {
			r.set(s.Name, v)
		}
		return
	}
	if r.Unknown != "" {
		return // it may belong to the command that was meant
	}
	switch name {
	case "help", "h":
		r.Help = true
	case "version", "v":
		r.Version = true
	default:
		r.unknownFlags = append(r.unknownFlags, name)
	}
}

// set sets a global flag.
func (r *lineReader) set(name, value string) {
	if name == "root" {
		r.roots = append(r.roots, value)
		return
	}
	if _, given := r.Settings[name]; given && !slices.Contains(r.repeated, name) {
		r.repeated = append(r.repeated, name)
	}
	r.Settings[name] = value
}

// value returns the value after "=", or the next word.
func (r *lineReader) value(typed string, value *string) (string, bool) {
	if value != nil {
		return *value, true
	}
	if len(r.rest) == 0 {
		r.withoutValue = append(r.withoutValue, strings.TrimLeft(typed, "-"))
		return "", false
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v, true
}
