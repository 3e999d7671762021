// Package line is the command line: the tree of commands, the parser of a line, help,
// completion and manual pages.
package line

import (
	"errors"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/schema"
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
// The cli library keeps the tree and finds the command in it, but parses no flags: its parser
// trims words, stops at "-5" and at the first fault.

// Line is a parsed command line.
type Line struct {
	Path         []string          // the words of the command
	Settings     map[string]string // global flags
	Flags        []Flag            // of the command, in order
	Unknown      string            // a word that is not a command
	Help         bool
	Version      bool
	command      *Command // nil for a group and for the program alone
	roots        []string // --root, which may be repeated
	words        []word
	unknownFlags []string
	refused      []*tools.FlagAlias
	withoutValue []string // flags without a value
	repeated     []string // global flags that were repeated
}

// Flag is a flag of the command and its value.
type Flag struct {
	Field string
	Other string // the other name for the field that was typed, or ""
	Value string
	Alias bool // a flag of a similar program
}

type word struct {
	text  string
	after bool // it follows --, so that - is only a dash
}

// parse reads a line against the tree of commands, and returns its last command or group as well.
// It always succeeds: the line has all its problems.
func parse(root *cli.Command, args []string) (l *Line, node *cli.Command) {
	r := reader{rest: args}
	for node = root; ; {
		below := r.read(node, r.rest)
		if below == nil {
			return &r.Line, node
		}
		node = below
		r.Path = append(r.Path, node.Name)
	}
}

// reader reads the words of a line while a walk descends the tree.
type reader struct {
	Line
	rest []string
	data bool // after --
}

// read reads the words after the name of a node. It returns the node below at which the walk goes
// on with the rest, or nil at the end of the line.
func (r *reader) read(node *cli.Command, words []string) (below *cli.Command) {
	r.command, r.rest = commandOf(node), words
	for len(r.rest) > 0 {
		w := r.rest[0]
		r.rest = r.rest[1:]
		switch name, value, isFlag := cutFlag(w); {
		case r.data:
			r.word(w)
		case w == "--":
			r.data = r.command != nil // without a command there is no data
		case r.alias(w):
		case isFlag:
			r.flag(w, name, value)
		default:
			if len(r.words)+len(r.Flags) == 0 && r.Unknown == "" {
				if below = node.Command(w); below != nil {
					return below
				}
			}
			r.word(w)
		}
	}
	return nil
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

func (r *reader) word(w string) {
	switch {
	case r.Unknown != "": // after an unknown command only settings are recognized
	case r.command == nil:
		r.Unknown = w
	default:
		r.words = append(r.words, word{w, r.data})
	}
}

func (r *reader) flag(typed, name string, value *string) {
	if r.fieldFlag(typed, name, value) || r.settingFlag(typed, name, value) || r.Unknown != "" {
		return // after an unknown command a flag may belong to the one that was meant
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

func (r *reader) fieldFlag(typed, name string, value *string) bool {
	c := r.command
	if c == nil {
		return false
	}
	p, not := c.field(name)
	if p == nil {
		return false
	}
	f := Flag{Field: p.Name, Other: c.otherName(name, p.Name)}
	switch {
	case p.Kind == schema.Boolean && value == nil:
		f.Value = "true"
	case p.Kind == schema.Boolean && *value == "": // it could mean true, or that it is not given
		r.withoutValue = append(r.withoutValue, name)
		return true
	default:
		var ok bool
		if f.Value, ok = r.value(typed, value); !ok {
			return true
		}
	}
	if not {
		f.Value = negated(f.Value)
	}
	for _, v := range c.values(name, p, f.Value) {
		f.Value = v
		r.Flags = append(r.Flags, f)
	}
	return true
}

func (r *reader) settingFlag(typed, name string, value *string) bool {
	s, not := run.SettingOfFlag(name)
	if s == nil || !s.Fits(r.command.place()) {
		return false
	}
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
	return true
}

// negated returns the opposite of true or false. Other texts stay as they are: the pipeline
// refuses them.
func negated(text string) string {
	switch text {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return text
}

func (r *reader) set(name, value string) {
	if name == "root" {
		r.roots = append(r.roots, value)
		return
	}
	if r.Settings == nil {
		r.Settings = map[string]string{}
	}
	if _, given := r.Settings[name]; given && !slices.Contains(r.repeated, name) {
		r.repeated = append(r.repeated, name)
	}
	r.Settings[name] = value
}

// value returns the value after "=", or the next word.
func (r *reader) value(typed string, value *string) (string, bool) {
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

// alias reads a word with flags of a similar program: --name, --name=value, or
// letters that are combined as in -rn, -C2 and -epattern. It reports false for all
// other words.
func (r *reader) alias(w string) bool {
	c := r.command
	if c == nil || tools.FlagsOf(c.Tool) == nil || len(w) < 2 || w[0] != '-' {
		return false
	}
	name, value, isFlag := cutFlag(w)
	if strings.HasPrefix(w, "--") {
		a := c.Tool.Flag(name)
		if !isFlag || a == nil || len(a.Name) == 1 {
			return false
		}
		r.setAlias(c, a, w, value)
		return true
	}
	if p, _ := c.field(name); p != nil || r.isOutput(w) || isFlag && isLongSetting(name) || w == "-h" {
		return false
	}
	letters := c.letters(w[1:])
	if letters == nil {
		return false
	}
	for i, a := range letters {
		var value *string
		if rest := strings.TrimPrefix(w[i+2:], "="); a.Value && w[i+2:] != "" {
			value = &rest
		}
		r.setAlias(c, a, w[:1]+a.Name, value)
	}
	return true
}

// isOutput reports whether a word is the setting -o of the output's form. Before
// any other word -o is a flag of the similar program.
func (r *reader) isOutput(w string) bool {
	form, given := strings.CutPrefix(w, "-o=")
	if w == "-o" && len(r.rest) > 0 {
		form, given = r.rest[0], true
	}
	return given && (form == "json" || form == "text" || form == "auto")
}

// isLongSetting reports whether a name of several letters is a global flag.
func isLongSetting(name string) bool {
	return len(name) > 1 && (run.FindSetting(name) != nil || name == "help" || name == "version")
}

// letters returns the flags of combined letters. A flag with a value ends them. It
// returns nil if a letter is not a flag of the similar program.
func (c *Command) letters(text string) (found []*tools.FlagAlias) {
	for i := range len(text) {
		a := c.Tool.Flag(text[i : i+1])
		if a == nil {
			return nil
		}
		if found = append(found, a); a.Value {
			return found
		}
	}
	return found
}

// setAlias applies one flag of a similar program.
func (r *reader) setAlias(c *Command, a *tools.FlagAlias, typed string, value *string) {
	text := "true"
	if a.Value || value != nil {
		var ok bool
		if text, ok = r.value(typed, value); !ok {
			return
		}
	}
	field := a.Field
	switch {
	case a.Refused != "" && !slices.Contains(strings.Fields(a.Accepted), text):
		if !slices.ContainsFunc(r.refused, func(b *tools.FlagAlias) bool { return a.Name == b.Name }) {
			r.refused = append(r.refused, a)
		}
		return
	case a.Set != nil:
		field, text = a.Set(text)
	case field == "":
		return
	}
	switch {
	case !r.has(field):
	case a.More != "":
		field = a.More
	case c.Tool.Input().Property(field).Kind == schema.Boolean:
		return // as in -ii
	}
	r.Flags = append(r.Flags, Flag{Field: field, Value: text, Alias: true})
}

func (r *reader) has(field string) bool {
	return slices.ContainsFunc(r.Flags, func(f Flag) bool { return f.Field == field })
}

// joinAliases combines the values of repeated flags of a similar program.
func (l *Line) joinAliases() {
	flagged := tools.FlagsOf(l.command.Tool)
	if flagged == nil {
		return
	}
	values := map[string][]string{}
	aliased := map[string]bool{}
	for _, f := range l.Flags {
		values[f.Field] = append(values[f.Field], f.Value)
		aliased[f.Field] = aliased[f.Field] || f.Alias
	}
	var kept []Flag
	for _, f := range l.Flags {
		all := values[f.Field]
		if len(all) > 1 && aliased[f.Field] {
			text, ok := flagged.Join(f.Field, all)
			if ok {
				f.Value, values[f.Field] = text, nil
			}
		}
		if all != nil {
			kept = append(kept, f)
		}
	}
	l.Flags = kept
}

// fields returns the fields that the words of the line fill: all of the command
// without the first if a flag of a similar program has set it, as in -e PATTERN.
func (l *Line) fields() []string {
	fields := l.command.Tool.Words
	if len(fields) > 0 && slices.ContainsFunc(l.Flags,
		func(f Flag) bool { return f.Alias && f.Field == fields[0] }) {
		return fields[1:]
	}
	return fields
}

var errTwoReads = errors.New("stdin feeds one field")

// readStdin puts the content of stdin in place of a word -. In the field that is stdin itself the
// word stays, and piped is the content.
func (l *Line) readStdin(stdin func() ([]byte, error)) (piped []byte, err error) {
	read := false
	fields := l.fields()
	for i := range l.words {
		w := &l.words[i]
		field, _ := tools.WordOf(fields, i)
		if w.text != "-" || w.after || l.command.Streams || field == "" || l.isSentence(i) {
			continue
		}
		if read {
			return nil, errTwoReads
		}
		read = true
		all, err := stdin()
		if err != nil {
			return nil, err
		}
		if field != tools.StdinOf(l.command.Tool) {
			w.text = string(all)
		} else if piped = all; piped == nil {
			piped = []byte{} // it is named, and empty
		}
	}
	return piped, nil
}

// isSentence reports whether word i is one of several that make up one text.
func (l *Line) isSentence(i int) bool {
	fields := l.fields()
	field, rest := tools.WordOf(fields, i)
	return rest && l.command.Tool.Input().Property(field).Kind == schema.String && len(l.words) > len(fields)
}

// fill adds the flags and the words of a line to an input. It returns the words that belong to no
// field.
func (l *Line) fill(in *run.Input) (extra []string) {
	for _, f := range l.Flags {
		if f.Other != "" {
			in.Add(f.Other, f.Value)
		} else {
			in.Add(f.Field, f.Value)
		}
	}
	fields := l.fields()
	sentence, of := []string(nil), ""
	for i, w := range l.words {
		field, rest := tools.WordOf(fields, i)
		switch {
		case field == "":
			extra = append(extra, w.text)
		case rest && l.command.Tool.Input().Property(field).Kind == schema.String:
			sentence, of = append(sentence, w.text), field
		case !rest && in.Has(field):
			in.Report("/"+field, "is given twice")
		default:
			in.Add(field, w.text)
		}
	}
	if of != "" {
		in.Add(of, strings.Join(sentence, " "))
	}
	return extra
}
