package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"techo/tools"
)

// command is what stands at one place of the tree.
type command struct {
	*tools.Tool

	// do answers instead of the pipeline, for a command whose stdout is not
	// one result: it gets the validated input and returns the exit code.
	do func(ctx context.Context, s *session, input []byte) int

	// streams says that the command reads stdin itself: the word - is data.
	streams bool
}

// treeKey is where a cli.Command carries its command.
const treeKey = "command"

// answering makes a command that answers on its own account.
func answering[In any](t tools.Tool, do func(ctx context.Context, s *session, in In) int) *command {
	nothing := func(context.Context, *tools.Env, In) (struct{}, error) { return struct{}{}, nil }
	return &command{Tool: tools.Define(t, nothing), do: func(ctx context.Context, s *session, input []byte) int {
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return s.fail(&tools.Error{Code: tools.Internal, Message: err.Error()})
		}
		return do(ctx, s, in)
	}}
}

func commandOf(c *cli.Command) *command {
	found, _ := c.Metadata[treeKey].(*command)
	return found
}

// tree makes the cli library's tree of those commands whose place begins with
// one of the words, or of all. A tool's own name is a command too, hidden from
// the help, and so are its aliases.
func tree(all []*command, words []string, act cli.ActionFunc) *cli.Command {
	root := quiet(&cli.Command{Name: program, Action: act})
	grow := func(place string, c *command, hidden bool) {
		if first, _, _ := strings.Cut(place, " "); words == nil || slices.Contains(words, first) {
			plant(root, place, c, act, hidden)
		}
	}
	for _, c := range all {
		grow(c.Command, c, false)
		if c.Name != "" && c.Name != c.Command {
			grow(c.Name, c, true)
		}
	}
	for _, c := range all { // when all groups are there, so that none is hidden
		for _, alias := range c.Aliases {
			grow(alias, c, true)
		}
	}
	return root
}

// plant puts a command at its place in the tree.
func plant(root *cli.Command, place string, c *command, act cli.ActionFunc, hidden bool) {
	at := root
	for _, step := range strings.Fields(place) {
		next := at.Command(step)
		if next == nil {
			next = quiet(&cli.Command{Name: step, Hidden: hidden, Action: act, Metadata: map[string]any{}})
			at.Commands = append(at.Commands, next)
		}
		at = next
	}
	at.Metadata[treeKey] = c
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
func (c *command) flag(name string) (field string, not bool, kind flagKind) {
	in := c.Input()
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
func (c *command) flagNames() (names []string) {
	for _, p := range c.Input().Properties {
		names = append(names, c.flagName(p))
	}
	return names
}

// flagName is what the help calls the flag of a field: a list by its singular,
// since it is given once for each element, unless that is another field's name.
func (c *command) flagName(p tools.Property) string {
	name := p.Name
	if one, ok := strings.CutSuffix(name, "s"); ok && p.Kind == tools.Array && c.Input().Property(one) == nil {
		name = one
	}
	return strings.ReplaceAll(name, "_", "-")
}

// errTwoReads says that two fields were to be read from the one stdin.
var errTwoReads = errors.New("stdin feeds one field")

// input makes the JSON that `call` would be given for the same, and tells what
// is wrong with the line itself. Values are checked later, in the pipeline.
func (c *command) input(env *tools.Env, l line, stdin func() ([]byte, error)) ([]byte, []tools.Detail, error) {
	b := inputBuilder{env: env, schema: c.Input(), values: map[string][]string{}}
	for _, f := range l.flags {
		b.add(f.field, switchValue(f))
	}
	read := false
	var sentence []string // the words of a text that takes all that are left
	for i, w := range l.words {
		field, rest := c.Word(i)
		if field == "" {
			if len(l.stray) > 0 {
				continue // the value of a flag that is not ours, most likely
			}
			b.fault("", tools.Say{EN: "unexpected word %q", JA: "余分な語「%s」があります"}, w.text)
			continue
		}
		text := w.text
		if text == "-" && !w.after && !c.streams {
			if read {
				return nil, nil, errTwoReads
			}
			read = true
			all, err := stdin()
			if err != nil {
				return nil, nil, err
			}
			text = string(all)
		}
		if !rest && len(b.values[field]) > 0 {
			b.fault("/"+field, tools.Say{EN: "is given twice", JA: "二重に指定されています"})
			continue
		}
		if rest && c.Input().Property(field).Kind == tools.String {
			sentence = append(sentence, text)
			continue
		}
		b.add(field, text)
	}
	if len(sentence) > 0 {
		field, _ := c.Word(len(l.words) - 1)
		b.add(field, strings.Join(sentence, " "))
	}
	for _, name := range l.stray {
		if field, _, _ := c.flag(name); field != "" { // it came before c was known
			b.fault("/"+field, tools.Say{EN: "stands before the command, and belongs behind it", JA: "コマンドの後に書いてください"})
			continue
		}
		b.faults = append(b.faults, tools.UnknownField(env, "/"+strings.ReplaceAll(name, "-", "_"), name, c.flagNames(), settingNames(c)...))
	}
	for _, name := range l.bare {
		b.fault("/"+strings.ReplaceAll(name, "-", "_"), tools.Say{EN: "needs a value", JA: "値が必要です"})
	}
	return b.json(), b.faults, nil
}

func switchValue(f flagGiven) string {
	if !f.not {
		return f.value
	}
	switch f.value {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return f.value
}

// settingNames lists the global flags, and those that a command alone has.
func settingNames(c *command) (names []string) {
	for _, s := range settings {
		if !s.fits(c) {
			continue
		}
		names = append(names, s.name)
	}
	return append(names, "help", "version")
}

// inputBuilder turns texts into the JSON that the schema means by them. A text
// that is no number stays a text where a number is wanted: the pipeline says
// what is wrong with it, in the same words for every face.
type inputBuilder struct {
	env    *tools.Env
	schema *tools.Schema
	order  []string
	values map[string][]string
	faults []tools.Detail
}

func (b *inputBuilder) fault(path string, message tools.Say, args ...any) {
	b.faults = append(b.faults, tools.Detail{Path: path, Message: b.env.Say(message, args...)})
}

func (b *inputBuilder) add(field, text string) {
	if b.values[field] == nil {
		b.order = append(b.order, field)
	}
	b.values[field] = append(b.values[field], text)
}

func (b *inputBuilder) json() []byte {
	var fields []tools.Field
	for _, name := range b.order {
		fields = append(fields, tools.Field{Name: name, Value: b.value(name, b.schema.Property(name).Schema, b.values[name])})
	}
	return tools.AppendObject(nil, fields)
}

func (b *inputBuilder) value(name string, s *tools.Schema, texts []string) []byte {
	whole := len(texts) == 1 && strings.HasPrefix(strings.TrimSpace(texts[0]), "[") // a list of objects, as JSON
	if s.Kind == tools.Array && (s.Items.Kind != tools.Object || !whole) {
		if len(texts) == 1 && texts[0] == "" {
			return []byte("[]") // --tags "" takes all away
		}
		var items [][]byte
		for _, t := range texts {
			items = append(items, tools.AppendValue(nil, s.Items.Kind, t))
		}
		return tools.AppendList(nil, items)
	}
	if len(texts) > 1 {
		b.fault("/"+name, tools.Say{EN: "is given twice", JA: "二重に指定されています"})
	}
	if name == "timeout" && s.Kind == tools.Integer { // a tool's own, in seconds: 2m is as good as 120
		if d, err := parseTimeout(texts[0]); err == nil && d%time.Second == 0 {
			return tools.AppendValue(nil, s.Kind, strconv.Itoa(int(d/time.Second)))
		}
	}
	return tools.AppendValue(nil, s.Kind, texts[0])
}
