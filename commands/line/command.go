package line

import (
	"context"
	"encoding/json"
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

	// Speaks reports for a line whether stdout belongs to a protocol: then errors go to stderr. nil is never.
	Speaks func(Line) bool
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

// tree builds the cli library's tree of the commands and groups that consist of the words, or of
// all if words is nil. The names of tools and aliases become hidden commands.
func tree(all []*Command, words []string, act cli.ActionFunc) *cli.Command {
	root := silence(&cli.Command{Name: system.Name, Action: act})
	add := func(place string, c *Command, hidden bool) {
		at := root
		for step := range strings.SplitSeq(place, " ") {
			if words != nil && !slices.Contains(words, step) {
				return
			}
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

// field returns the field of a flag, and whether the flag turns it off; nil for none. A flag has
// the field's name with dashes; a list also accepts its singular, a switch the prefix "no-". It
// also accepts other names of a field.
func (c *Command) field(flag string) (p *schema.Property, not bool) {
	in, name := c.Tool.Input(), strings.ReplaceAll(flag, "-", "_")
	if p = in.Property(name); p != nil {
		return p, false
	}
	for _, plural := range []string{name + "s", strings.TrimSuffix(name, "y") + "ies"} {
		if p = in.Property(plural); p != nil && p.Kind == schema.Array {
			return p, false
		}
	}
	if rest, ok := strings.CutPrefix(name, "no_"); ok {
		if p = in.Property(rest); p != nil && p.Kind == schema.Boolean {
			return p, true
		}
	}
	return c.Tool.Field(name), false
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

// values returns the values of a given flag. A list that is given by its own name may
// be a JSON array, as in --tags '["a","b"]'; a list of names may also have commas
// between its elements. With the singular, as in --tag, each of these is one element.
func (c *Command) values(name string, p *schema.Property, value string) []string {
	if p.Kind != schema.Array || name != strings.ReplaceAll(p.Name, "_", "-") {
		return []string{value}
	}
	if texts, ok := jsontree.Texts(value); ok && name != c.FlagName(*p) {
		if len(texts) == 0 {
			return []string{""} // no elements, see [run.Input.JSON]
		}
		return texts
	}
	if p.Items.Format != "name" {
		return []string{value}
	}
	var all []string
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	if len(all) < 2 {
		return []string{value}
	}
	return all
}

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

func (c *Command) place() string {
	if c == nil {
		return ""
	}
	return c.Tool.Command
}
