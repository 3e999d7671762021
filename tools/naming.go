package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"techo/tools/jsontree"
	"techo/tools/schema"
)

// Naming says how a caller without a shell knows the tools. nil is a shell.
type Naming struct {
	Listed func(*Tool) bool     // whether the list that the caller got has a tool; find_tools adds others
	Fields func(*Tool) []string // the fields of a tool in that list; nil is all, which find_tools shows
}

// Reference is something that a hint names: a command, a field or a flag. A caller in a shell gets
// it as a person types it, another one as a tool with its input.
type Reference interface{ in(*hint) string }

// Placeholder stands for a value that the caller chooses, such as NAME.
type Placeholder string

// Use names a command with its input: words in their order, as texts and placeholders, and fields.
// In a shell it is the command line, over MCP and HTTP the tool and a JSON object.
func Use(command string, input ...any) Reference { return use{command, input} }

// Field names a field of the tool that the hint is about, with a value or a placeholder if there is
// one. In a shell it is a flag.
func Field(name string, value ...any) Reference { return field{name, value} }

// Flag names a flag of the program itself, which only the person can give.
func Flag(name string, value ...any) Reference { return flag{name, value} }

// Help names the place where the input of a command is explained.
func Help(command string) Reference { return help(command) }

type (
	use struct {
		command string
		input   []any
	}
	field struct {
		name  string
		value []any
	}
	flag field
	help string
)

// hint is a hint while its references are filled in.
type hint struct {
	env       *Env
	about     *Tool    // the tool that was named last
	personal  bool     // only the person can do it
	unlisted  []string // tools that the caller's list does not have
	shortened *Tool    // without a field in the list that the hint names
}

// Hint returns a text as a hint for the caller, whose arguments may be references. What only the
// person can do in a shell is marked as such for other callers.
func (env *Env) Hint(text Text, args ...any) string {
	h := &hint{env: env}
	filled := slices.Clone(args)
	for i, arg := range args {
		if r, ok := arg.(Reference); ok {
			filled[i] = r.in(h)
		}
	}
	said := env.Localize(text, filled...)
	if len(h.unlisted) > 0 {
		said += env.Localize(" (find_tools lists %s)", strings.Join(h.unlisted, ", "))
	}
	if h.shortened != nil {
		said += env.Localize(" (find_tools shows all fields of %s)", h.shortened.Name)
	}
	if h.personal {
		said = env.Localize("For the person who runs techo: %s", said)
	}
	return said
}

// Advice is a hint with its arguments, for a place that has no caller yet.
type Advice struct {
	Text Text
	Args []any
}

// Advise returns a hint with its arguments.
func Advise(text Text, args ...any) Advice { return Advice{text, args} }

// In returns the hint for a caller.
func (a Advice) In(env *Env) string { return env.Hint(a.Text, a.Args...) }

// HelpHint returns the hint where the fields of a tool are explained, "" in a form.
func HelpHint(env *Env, t *Tool) string {
	if env.Form {
		return ""
	}
	command := cmp.Or(t.HelpCommand, t.Command)
	if env.Naming != nil {
		command = t.Command
	}
	return env.Hint("See %s", Help(command))
}

func (u use) in(h *hint) string {
	if h.env.Naming == nil {
		return "techo " + u.line()
	}
	if u.command == "tools" {
		return h.env.Localize("the list of tools")
	}
	t := h.tool(u.command)
	if t == nil {
		return "`" + u.line() + "`"
	}
	var members []jsontree.Member
	add := func(name string, value any) {
		node := &jsontree.Node{Kind: 't'}
		switch value.(type) {
		case Placeholder:
			return
		case bool:
		default:
			node = &jsontree.Node{Kind: '"', Text: fmt.Sprint(value)}
		}
		members = append(members, jsontree.Member{Name: name, Value: node})
	}
	words := 0
	for _, one := range u.input {
		if f, ok := one.(field); ok {
			add(f.name, append(f.value, true)[0])
			continue
		}
		name, _ := t.Word(words)
		add(name, one)
		words++
	}
	if len(members) == 0 {
		return t.Name
	}
	return t.Name + " " + string((&jsontree.Node{Kind: '{', Members: members}).Append(nil))
}

// line returns the command with its input as a person types it.
func (u use) line() string {
	parts := []string{u.command}
	for _, one := range u.input {
		switch one := one.(type) {
		case field:
			parts = append(parts, one.line())
		case flag:
			parts = append(parts, field(one).line())
		default:
			parts = append(parts, typed(one))
		}
	}
	return strings.Join(parts, " ")
}

func typed(value any) string {
	if text, ok := value.(string); ok {
		return ShellWord(text)
	}
	return fmt.Sprint(value)
}

// tool returns the tool of a command and notes that the hint names it; nil if the caller has none.
func (h *hint) tool(command string) *Tool {
	t := h.env.toolOf(command)
	if t == nil || t.When != nil && t.When(h.env) != nil {
		h.personal = true
		return nil
	}
	h.about = t
	if !h.env.Naming.Listed(t) && !slices.Contains(h.unlisted, t.Name) {
		h.unlisted = append(h.unlisted, t.Name)
	}
	return t
}

// toolOf returns the tool with a command or an alias of it, or nil.
func (env *Env) toolOf(command string) *Tool {
	i := slices.IndexFunc(env.Tools, func(t *Tool) bool {
		return t.Name != "" && (t.Name == command || t.Command == command || slices.Contains(t.Aliases, command))
	})
	if i < 0 {
		return nil
	}
	return env.Tools[i]
}

func (f field) in(h *hint) string {
	if h.env.Naming == nil {
		return f.line()
	}
	if t, p := f.owner(h); p != nil && h.env.Naming.Listed(t) {
		if shown := h.env.Naming.Fields(t); shown != nil && !slices.Contains(shown, f.name) {
			h.shortened = t
		}
	}
	if len(f.value) == 0 {
		return f.name
	}
	switch v := f.value[0].(type) {
	case string:
		return f.name + ` "` + v + `"`
	case Placeholder:
		return f.name
	default:
		return fmt.Sprint(f.name, "=", v)
	}
}

// owner returns the tool that a field belongs to: the one that the hint has named, or the called one.
func (f field) owner(h *hint) (*Tool, *schema.Property) {
	for _, t := range []*Tool{h.about, h.env.called} {
		if t != nil && t.Input().Property(f.name) != nil {
			return t, t.Input().Property(f.name)
		}
	}
	return nil, nil
}

// line returns the flag of a field as a person types it.
func (f field) line() string {
	name := "--" + strings.ReplaceAll(f.name, "_", "-")
	if len(f.value) == 0 {
		return name
	}
	if _, isSwitch := f.value[0].(bool); isSwitch {
		return fmt.Sprint(name, "=", f.value[0])
	}
	return name + " " + typed(f.value[0])
}

func (f flag) in(h *hint) string {
	h.personal = h.personal || h.env.Naming != nil
	return field(f).line()
}

func (command help) in(h *hint) string {
	if h.env.Naming != nil {
		if t := h.env.toolOf(string(command)); t != nil {
			if !h.env.Naming.Listed(t) {
				h.unlisted = append(h.unlisted, t.Name)
			}
			return h.env.Localize("the schema of %s", t.Name)
		}
	}
	return "techo " + string(command) + " --help"
}

// Note is a sentence of a tool's help that names other commands.
type Note struct {
	Text  Text     // with a verb for each name
	Names []string // commands, such as "memo get"
	Shell bool     // it is about the command line: other callers do not get it
}

// FurtherHelp returns the help of a tool after its first line as the caller gets it: without notes about
// commands that are no listed tools, and notes for a shell. brief leaves out the details.
func (t *Tool) FurtherHelp(env *Env, brief bool, listed func(*Tool) bool) string {
	var all []string
	if t.More != "" {
		all = append(all, env.Localize(t.More))
	}
	if t.Details != "" && !brief {
		all = append(all, env.Localize(t.Details))
	}
next:
	for _, n := range t.Notes {
		names := make([]any, len(n.Names))
		for i, command := range n.Names {
			if names[i] = "techo " + command; env.Naming == nil {
				continue
			}
			other := env.toolOf(command)
			if other == nil || n.Shell || !listed(other) {
				continue next
			}
			names[i] = other.Name
		}
		if env.Naming != nil && n.Shell {
			continue
		}
		all = append(all, env.Localize(n.Text, names...))
	}
	between := " "
	if env.Lang == Japanese {
		between = ""
	}
	return strings.Join(all, between)
}
