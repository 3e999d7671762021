package line

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/input"
	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
)

// Command is what stands at one place of the tree.
type Command struct {
	Tool *tools.Tool

	// do answers instead of the pipeline, for a command whose stdout is not
	// one result: it gets the validated input and returns the exit code.
	Do func(ctx context.Context, s *run.Run, input []byte) int

	// streams says that the command reads stdin itself: the word - is data.
	Streams bool
}

// treeKey is where a cli.Command carries its command.
const treeKey = "command"

// Answering makes a command that answers on its own account.
func Answering[In any](t tools.Tool, do func(ctx context.Context, s *run.Run, in In) int) *Command {
	nothing := func(context.Context, *tools.Env, In) (struct{}, error) { return struct{}{}, nil }
	return &Command{Tool: tools.Define(t, nothing), Do: func(ctx context.Context, s *run.Run, input []byte) int {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return s.Out.Fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
		}
		return do(ctx, s, in)
	}}
}

func commandOf(c *cli.Command) *Command {
	found, _ := c.Metadata[treeKey].(*Command)
	return found
}

// tree makes the cli library's tree of those commands whose place begins with
// one of the words, or of all. A tool's own name is a command too, hidden from
// the help, and so are its aliases.
func tree(all []*Command, words []string, act cli.ActionFunc) *cli.Command {
	root := quiet(&cli.Command{Name: system.Name, Action: act})
	grow := func(place string, c *Command, hidden bool) {
		if first, _, _ := strings.Cut(place, " "); words == nil || slices.Contains(words, first) {
			plant(root, place, c, act, hidden)
		}
	}
	for _, c := range all {
		grow(c.Tool.Command, c, false)
		if c.Tool.Name != "" && c.Tool.Name != c.Tool.Command {
			grow(c.Tool.Name, c, true)
		}
	}
	for _, c := range all { // when all groups are there, so that none is hidden
		for _, alias := range c.Tool.Spellings() {
			grow(alias, c, true)
		}
	}
	return root
}

// plant puts a command at its place in the tree.
func plant(root *cli.Command, place string, c *Command, act cli.ActionFunc, hidden bool) {
	at := root
	for _, step := range strings.Fields(place) {
		next := at.Command(step)
		if next == nil {
			next = quiet(&cli.Command{Name: step, Hidden: hidden, Action: act, Metadata: map[string]any{}})
			at.Commands = append(at.Commands, next)
		}
		at = next
	}
	if at.Metadata[treeKey] == nil { // a command of its own wins over another's alias
		at.Metadata[treeKey] = c
	}
}

// quiet keeps the library from speaking, exiting and adding commands.
func quiet(c *cli.Command) *cli.Command {
	c.HideHelp = true
	c.HideHelpCommand = true
	c.HideVersion = true
	c.SkipFlagParsing = true
	c.Reader, c.Writer, c.ErrWriter = strings.NewReader(""), io.Discard, io.Discard
	c.ExitErrHandler = func(context.Context, *cli.Command, error) {}
	c.OnUsageError = func(_ context.Context, _ *cli.Command, err error, _ bool) error { return err }
	return c
}

// flagKind says whether a flag needs a value.
type flagKind int

const (
	isValue flagKind = iota
	isSwitch
)

// flag finds the field that a flag gives: the same name with dashes, a list
// also by its singular, a switch also with "no-".
func (c *Command) flag(name string) (field string, not bool, kind flagKind) {
	in := c.Tool.Input()
	field = strings.ReplaceAll(name, "-", "_")
	p := in.Property(field)
	if p == nil {
		if p = in.Property(field + "s"); p != nil && p.Kind != tools.Array {
			p = nil
		}
	}
	if p == nil {
		if rest, ok := strings.CutPrefix(field, "no_"); ok {
			if p = in.Property(rest); p != nil && p.Kind == tools.Boolean {
				return p.Name, true, isSwitch
			}
		}
		return "", false, isValue
	}
	if p.Kind == tools.Boolean {
		return p.Name, false, isSwitch
	}
	return p.Name, false, isValue
}

// flagNames lists what the command's flags are called.
func (c *Command) flagNames() (names []string) {
	for _, p := range c.Tool.Input().Properties {
		names = append(names, c.FlagName(p))
	}
	return names
}

// FlagName is what the help calls the flag of a field: a list by its singular,
// since it is given once for each element, unless that is another field's name.
func (c *Command) FlagName(p tools.Property) string {
	name := p.Name
	if one, ok := strings.CutSuffix(name, "s"); ok && p.Kind == tools.Array && c.Tool.Input().Property(one) == nil {
		name = one
	}
	return strings.ReplaceAll(name, "_", "-")
}

// errTwoReads says that two fields were to be read from the one stdin.
var errTwoReads = errors.New("stdin feeds one field")

// texts returns the words of a line, with stdin in the place of the word "-".
func (c *Command) texts(l *Line, stdin func() ([]byte, error)) (texts []string, err error) {
	read := false
	for i, w := range l.words {
		field, _ := c.Tool.Word(i)
		if w.text != "-" || w.after || c.Streams || field == "" {
			texts = append(texts, w.text)
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
		texts = append(texts, string(all))
	}
	return texts, nil
}

// lineFaults adds to the faults of an input what is wrong with the line itself.
// extra are the words that no field takes.
func (c *Command) lineFaults(env *tools.Env, b *input.Builder, l *Line, extra []string) {
	if len(l.stray) == 0 { // else they may be the values of unknown flags
		for _, w := range extra {
			b.Report("", "unexpected word %q", w)
		}
	}
	for _, name := range l.stray {
		if field, _, _ := c.flag(name); field != "" { // it came before c was known
			b.Report("/"+field, "stands before the command, and belongs behind it")
			continue
		}
		b.Problems = append(b.Problems,
			tools.UnknownField(env, "/"+strings.ReplaceAll(name, "-", "_"), name, c.flagNames(), settingNames(c)...))
	}
	for _, name := range l.bare {
		b.Report("/"+strings.ReplaceAll(name, "-", "_"), "needs a value")
	}
}

// settingNames lists the global flags, and those that a command alone has.
func settingNames(c *Command) (names []string) {
	for _, s := range run.Settings {
		if !s.Fits(c.Place()) {
			continue
		}
		names = append(names, s.Name)
	}
	return append(names, "help", "version")
}

// Place returns the words of the command, and "" of none.
func (c *Command) Place() string {
	if c == nil {
		return ""
	}
	return c.Tool.Command
}
