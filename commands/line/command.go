package line

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// Command is one command in the tree.
type Command struct {
	Tool *tools.Tool

	// Do replaces the pipeline for a command whose output is not one result. It
	// gets the validated input and returns the exit code.
	Do func(ctx context.Context, s *run.Run, input []byte) int

	// Refuse replaces the output of an error of the input, and returns the exit code. It
	// may be nil.
	Refuse func(s *run.Run, e *tools.Error) int

	// Streams makes the command read stdin itself: the word - is data.
	Streams bool
}

// treeKey is the metadata key of a cli.Command for its Command.
const treeKey = "command"

// Answering returns a command that prints its own output.
func Answering[In any](t tools.Tool, do func(ctx context.Context, s *run.Run, in In) int) *Command {
	nothing := func(context.Context, *tools.Env, In) (struct{}, error) { return struct{}{}, nil }
	return &Command{Tool: tools.Define(t, nothing), Do: func(ctx context.Context, s *run.Run, input []byte) int {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return s.Out.FailInternal(s.Env(), err)
		}
		return do(ctx, s, in)
	}}
}

func commandOf(c *cli.Command) *Command {
	found, _ := c.Metadata[treeKey].(*Command)
	return found
}

// tree builds the cli library's tree of the commands that consist of the words, or
// of all if words is nil. The names of tools and aliases become hidden commands.
func tree(all []*Command, words []string, act cli.ActionFunc) *cli.Command {
	root := silence(&cli.Command{Name: system.Name, Action: act})
	add := func(place string, c *Command, hidden bool) {
		if words == nil || consists(place, words) {
			insert(root, place, c, act, hidden)
		}
	}
	for _, c := range all {
		add(c.Tool.Command, c, false)
		group := strings.HasPrefix(c.Tool.Command, c.Tool.Name+" ") // the name is the first word of several commands
		if c.Tool.Name != "" && c.Tool.Name != c.Tool.Command && !group {
			add(c.Tool.Name, c, true)
		}
	}
	for _, c := range all { // after all groups exist, so that an alias hides none
		for _, alias := range c.Tool.Spellings() {
			add(alias, c, true)
		}
	}
	return root
}

// consists reports whether each step of a command's place is one of the words.
func consists(place string, words []string) bool {
	for step := range strings.SplitSeq(place, " ") {
		if !slices.Contains(words, step) {
			return false
		}
	}
	return true
}

// insert adds a command to the tree.
func insert(root *cli.Command, place string, c *Command, act cli.ActionFunc, hidden bool) {
	at := root
	for _, step := range strings.Fields(place) {
		next := at.Command(step)
		if next == nil {
			next = silence(&cli.Command{Name: step, Hidden: hidden, Action: act, Metadata: map[string]any{}})
			at.Commands = append(at.Commands, next)
		}
		at = next
	}
	if at.Metadata[treeKey] == nil { // a command takes precedence over an alias
		at.Metadata[treeKey] = c
	}
}

// silence stops the library from printing, exiting and adding commands.
func silence(c *cli.Command) *cli.Command {
	c.HideHelp = true
	c.HideHelpCommand = true
	c.HideVersion = true
	c.SkipFlagParsing = true
	c.Reader, c.Writer, c.ErrWriter = strings.NewReader(""), io.Discard, io.Discard
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err }
	return c
}

// flagKind is whether a flag needs a value.
type flagKind int

const (
	isValue flagKind = iota
	isSwitch
)

// flag returns the field of a flag. A flag has the field's name with dashes; a
// list also accepts its singular, a switch the prefix "no-". It also accepts other
// names of a field.
func (c *Command) flag(name string) (field string, not bool, kind flagKind) {
	in := c.Tool.Input()
	field = strings.ReplaceAll(name, "-", "_")
	p := in.Property(field)
	if p == nil {
		for _, plural := range []string{field + "s", strings.TrimSuffix(field, "y") + "ies"} {
			if p = in.Property(plural); p != nil && p.Kind == schema.Array {
				break
			}
			p = nil
		}
	}
	if p == nil {
		if rest, ok := strings.CutPrefix(field, "no_"); ok {
			if p = in.Property(rest); p != nil && p.Kind == schema.Boolean {
				return p.Name, true, isSwitch
			}
		}
		if p = c.Tool.Field(field); p == nil {
			return "", false, isValue
		}
		return p.Name, false, kindOf(p)
	}
	return p.Name, false, kindOf(p)
}

// otherName returns the other name for a field that a flag has, by which the pipeline reports
// it, or "".
func (c *Command) otherName(name, field string) string {
	other := strings.ReplaceAll(name, "-", "_")
	if p := c.Tool.Field(other); p != nil && p.Name == field && other != field {
		return other
	}
	return ""
}

func kindOf(p *schema.Property) flagKind {
	if p.Kind == schema.Boolean {
		return isSwitch
	}
	return isValue
}

// values returns the values of a given flag. A list that is given by its own name may
// be a JSON array, as in --tags '["a","b"]'; a list of names may also have commas
// between its elements. With the singular, as in --tag, each of these is one element.
func (c *Command) values(name string, f flagGiven) []string {
	p := c.Tool.Input().Property(f.Field)
	if p.Kind != schema.Array || name != strings.ReplaceAll(f.Field, "_", "-") {
		return []string{f.Value}
	}
	if texts, ok := jsontree.Texts(f.Value); ok && name != c.FlagName(*p) {
		if len(texts) == 0 {
			return []string{""} // no elements, see [run.Input.JSON]
		}
		return texts
	}
	if p.Items.Format != "name" {
		return []string{f.Value}
	}
	var all []string
	for v := range strings.SplitSeq(f.Value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	if len(all) < 2 {
		return []string{f.Value}
	}
	return all
}

// flagNames lists the names of the command's flags.
func (c *Command) flagNames() (names []string) {
	for _, p := range c.Tool.Input().Properties {
		names = append(names, c.FlagName(p))
	}
	return names
}

// FlagName returns the flag of a field as the help shows it: the singular of a
// list, which is repeated for each element, unless another field has that name.
func (c *Command) FlagName(p schema.Property) string {
	name := p.Name
	one, ok := strings.CutSuffix(name, "ies")
	if one += "y"; !ok {
		one, ok = strings.CutSuffix(name, "s")
	}
	if ok && p.Kind == schema.Array && c.Tool.Input().Property(one) == nil {
		name = one
	}
	return strings.ReplaceAll(name, "_", "-")
}

// errTwoReads reports that two fields are to be read from stdin.
var errTwoReads = errors.New("stdin feeds one field")

// texts returns the words of a line, with the content of stdin for the word "-". In the field
// that is stdin itself the word stays, and piped is the content.
func (c *Command) texts(l *Line, stdin func() ([]byte, error)) (texts []string, piped []byte, err error) {
	read := false
	skipped := len(c.Tool.Words) - len(l.wordsOf(c.Tool))
	for i, w := range l.words {
		field, _ := c.Tool.Word(i + skipped)
		if w.text != "-" || w.after || c.Streams || field == "" {
			texts = append(texts, w.text)
			continue
		}
		if read {
			return nil, nil, errTwoReads
		}
		read = true
		all, err := stdin()
		if err != nil {
			return nil, nil, err
		}
		if field != tools.StdinOf(c.Tool) {
			texts = append(texts, string(all))
			continue
		}
		if texts, piped = append(texts, w.text), all; piped == nil {
			piped = []byte{} // it is named, and empty
		}
	}
	return texts, piped, nil
}

// addProblems adds the problems of the line to the input's. extra are words that
// belong to no field.
func (c *Command) addProblems(env *tools.Env, b *run.Input, l *Line, args, extra []string) {
	if len(l.unknownFlags) == 0 { // otherwise they may be the values of unknown flags
		for _, w := range extra {
			b.Report("", "unexpected word %q", w)
		}
		if len(extra) > 0 {
			b.Problems[len(b.Problems)-1].Hint = c.quoted(env, l, args)
		}
	}
	for _, name := range l.unknownFlags {
		if field, _, _ := c.flag(name); field != "" { // it stood before the command
			b.Report("/"+field, "must follow the command")
			continue
		}
		if len(name) == 1 {
			b.Problems = append(b.Problems, c.unknownLetter(env, name))
			continue
		}
		b.Problems = append(b.Problems, c.unknownFlag(env, name))
	}
	b.Problems = append(b.Problems, c.aliasProblems(env, l)...)
	for _, name := range l.withoutValue {
		b.Report("/"+strings.ReplaceAll(name, "-", "_"), "needs a value")
	}
}

// settingNames lists the global flags that the command accepts.
func settingNames(c *Command) (names []string) {
	for _, s := range run.Settings {
		if !s.Fits(c.place()) {
			continue
		}
		names = append(names, s.Name)
	}
	return append(names, "help", "version")
}

// place returns the words of the command, "" for nil.
func (c *Command) place() string {
	if c == nil {
		return ""
	}
	return c.Tool.Command
}
