package commands

import (
	"strings"

	"github.com/urfave/cli/v3"
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

// line is a command line that was read.
type line struct {
	path     []string          // the names of the command
	node     *cli.Command      // the command, or the group that the path ends at
	settings map[string]string // global flags
	roots    []string          // the one that may be given several times
	flags    []flagGiven       // the command's own, in order
	words    []word
	stray    []string // flags that neither the command nor the program has
	bare     []string // flags without the value that they need
	unknown  string   // a word where the name of a command should be
	help     bool
	version  bool
}

// flagGiven is a field that was given by name.
type flagGiven struct {
	field string
	value string
	not   bool // --no-field
}

// word is one that was given as data.
type word struct {
	text  string
	after bool // it stands after --, so that - is only a dash
}

// lineReader reads words against the tree of commands.
type lineReader struct {
	line
	rest []string
	data bool // after --
}

// readLine reads a command line. It always succeeds; what is wrong is in the
// line, to be told all at once.
func readLine(root *cli.Command, args []string) line {
	r := &lineReader{line: line{node: root, settings: map[string]string{}}, rest: args}
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
	return r.line
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
	if r.unknown != "" {
		return // what follows an unknown command can only be a setting
	}
	if len(r.words)+len(r.flags) == 0 && !r.data {
		if sub := r.node.Command(w); sub != nil {
			r.node = sub
			r.path = append(r.path, sub.Name)
			return
		}
	}
	if commandOf(r.node) == nil {
		r.unknown = w
		return
	}
	r.words = append(r.words, word{w, r.data})
}

func (r *lineReader) flag(typed, name string, value *string) {
	if c := commandOf(r.node); c != nil {
		if field, not, kind := c.flag(name); field != "" {
			f := flagGiven{field: field, not: not}
			switch {
			case kind == isSwitch && value == nil:
				f.value = "true"
			default:
				var ok bool
				if f.value, ok = r.value(typed, value); !ok {
					return
				}
			}
			r.flags = append(r.flags, f)
			return
		}
	}
	if s := findSetting(name); s != nil && s.fits(commandOf(r.node)) {
		if s.value == "" && value == nil {
			r.settings[s.name] = "true"
		} else if v, ok := r.value(typed, value); ok {
			if s.name == "root" {
				r.roots = append(r.roots, v)
			} else {
				r.settings[s.name] = v
			}
		}
		return
	}
	if r.unknown != "" {
		return // it may be a flag of what was meant
	}
	switch name {
	case "help", "h":
		r.help = true
	case "version", "v":
		r.version = true
	default:
		r.stray = append(r.stray, name)
	}
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
