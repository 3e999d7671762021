package line

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/commands/system"
	"techo/internal/columns"
	"techo/tools"
	"techo/tools/schema"
)

type helpIn struct {
	Command []string `json:"command,omitempty" doc:"The command"`
}

// HelpCommand prints the help of a command, as --help does.
func HelpCommand(a *App) *Command {
	return Answering(tools.Tool{
		Command:  "help",
		About:    "Show the help of a command",
		Words:    []string{"command…"},
		Examples: []tools.Example{{Does: "Show the help of memo add", Line: "help memo add"}},
	}, func(_ context.Context, _ *run.Run, in helpIn) int {
		node, e := a.named(in.Command)
		if e != nil {
			return a.Run.Out.Fail(e)
		}
		return a.Run.Out.Manual(a.help(node))
	})
}

// named returns the command or group with a name, for a page about it.
func (a *App) named(words []string) (*cli.Command, *tools.Error) {
	l, node := parse(a.whole(), words)
	if l.Unknown == "" && len(l.words) > 0 {
		l.Unknown = l.words[0].text
	}
	if l.Unknown != "" {
		return nil, a.unknownCommand(l, node, nil)
	}
	return node, nil
}

func (a *App) help(node *cli.Command) string {
	h := &helpWriter{layout{env: a.Run.Env(), color: a.Run.System.Color()}}
	c := commandOf(node)
	switch {
	case node == a.root:
		h.root(node)
	case c == nil:
		h.line("%s", a.Run.Name())
		h.commands(node)
	default:
		h.command(c, node)
	}
	return h.String()
}

type helpWriter struct{ layout }

func (h *helpWriter) root(node *cli.Command) {
	h.paragraph(h.env.Localize(
		"techo: a notebook and toolbox for AI agents and the people beside them"), 0, 7)
	h.title("Usage:")
	h.line("  %s", h.env.Localize("techo COMMAND [flags]"))
	h.line("  %s", h.env.Localize("techo help COMMAND"))
	h.first()
	h.groups(node)
	h.title("Global flags, before or after the command:")
	h.table(settingRows(h.env))
	h.title("Exit codes:")
	h.line("%s", exitText(h.env))
	h.line("")
	h.paragraph(h.env.Localize("Every answer is one JSON document on stdout, or plain text with -o text."), 0, 0)
}

// first shows commands to begin with, whose results follow from each other.
func (h *helpWriter) first() {
	h.title("Start here:")
	h.line("  techo demo")
	h.line("  techo memory add \"Tanaka likes ramen\"")
	h.line("  techo memory search \"Who likes ramen?\" -o text")
	h.line("  techo cal create Lunch \"tomorrow 12:00\"")
	h.line("  techo cal list tomorrow -o text")
}

// groups lists all commands by subject, the most used first.
func (h *helpWriter) groups(node *cli.Command) {
	rows := map[tools.Text][][]string{}
	for _, row := range h.list(node) {
		family, _, _ := strings.Cut(strings.TrimSpace(row[0]), " ")
		rows[groupOf(family)] = append(rows[groupOf(family)], row)
	}
	for _, g := range groups {
		h.title(g.title)
		h.table(rows[g.title])
	}
}

func settingRows(env *tools.Env) (rows [][]string) {
	for _, s := range run.Settings {
		if s.Only != nil {
			continue
		}
		name := strings.TrimSpace("--" + s.Name + " " + s.Value)
		if s.Short != "" {
			name = "-" + s.Short + ", " + name
		}
		about := env.Localize(s.About)
		if s.Env != "" {
			about += " [$" + s.Env + "]"
		}
		rows = append(rows, []string{"  " + name, about})
	}
	return append(rows,
		[]string{"  -h, --help", env.Localize("Show the help")},
		[]string{"  -v, --version", env.Localize("Print the version")})
}

func exitText(env *tools.Env) string {
	return env.Localize("  0 done · 1 internal, corrupt · 2 invalid_input · 3 not_found\n" +
		"  4 unavailable, forbidden · 5 already_exists, conflict, limit_exceeded\n" +
		"  6 busy, upstream, rate_limited, no_space · 124 timeout · 130 cancelled")
}

// list returns a row for each command below a node.
func (h *helpWriter) list(node *cli.Command) (rows [][]string) {
	var add func(n *cli.Command, name string)
	add = func(n *cli.Command, name string) {
		if n.Hidden {
			return
		}
		if c := commandOf(n); c != nil {
			rows = append(rows, []string{"  " + name, h.env.Localize(c.Tool.About)})
		}
		for _, sub := range n.Commands {
			add(sub, name+" "+sub.Name)
		}
	}
	for _, sub := range node.Commands {
		name := sub.Name
		if c := commandOf(sub); c != nil {
			name = c.Tool.Command
		} else if prefix := groupPath(sub); prefix != "" {
			name = prefix
		}
		add(sub, name)
	}
	return rows
}

func (h *helpWriter) commands(node *cli.Command) {
	h.title("Commands:")
	h.table(h.list(node))
}

func groupPath(node *cli.Command) string {
	for _, sub := range node.Commands {
		if c := commandOf(sub); c != nil {
			return strings.TrimSuffix(c.Tool.Command, " "+sub.Name)
		}
	}
	return ""
}

func (h *helpWriter) command(c *Command, node *cli.Command) {
	h.paragraph(system.Name+" "+c.Tool.Command+": "+h.env.Localize(c.Tool.About), 0, 2)
	if more := c.Tool.FurtherHelp(h.env, false, nil); more != "" {
		h.line("")
		h.paragraph(more, 0, 0)
	}
	h.title("Usage:")
	h.paragraph(h.usage(c), 2, 4)
	if also := c.Tool.Spellings(); len(also) > 0 {
		h.line("  %s", h.env.Localize("Also: %s", strings.Join(also, ", ")))
	}
	if len(c.Tool.Input().Properties) > 0 {
		h.title("Fields:")
		h.table(h.fields(c))
	}
	if len(c.Tool.Words) > 0 {
		h.line("")
		h.paragraph(h.env.Localize(
			"The word - stands for stdin. Everything after -- is literal, even -v or --help."), 0, 0)
	}
	if len(node.Commands) > 0 {
		h.commands(node)
	}
	if len(c.Tool.Examples) > 0 {
		h.title("Examples:")
		for _, e := range c.Tool.Examples {
			h.example(h.env.Localize(e.Does), system.Name+" "+e.Line)
		}
	}
	h.line("\n%s", h.env.Localize("Global flags: techo --help"))
	if c.Tool.Name != "" {
		h.line("%s", h.env.Localize("As JSON: techo call %s '{…}'", c.Tool.Name))
		h.line("%s", h.env.Localize("Its schema: techo tools %s", c.Tool.Name))
	}
}

func (h *helpWriter) usage(c *Command) string {
	parts := []string{system.Name, c.Tool.Command}
	words := map[string]bool{}
	for _, w := range c.Tool.Words {
		name := strings.TrimSuffix(w, "…")
		words[name] = true
		text := strings.ToUpper(name)
		if name != w {
			text += "…"
		}
		if p := c.Tool.Input().Property(name); !p.Required {
			text = "[" + text + "]"
		}
		parts = append(parts, text)
	}
	optional := false
	for _, s := range run.Settings {
		optional = optional || s.Only != nil && s.Fits(c.place())
	}
	for _, p := range c.Tool.Input().Properties {
		switch {
		case words[p.Name]:
		case p.Required:
			parts = append(parts, "--"+c.FlagName(p)+" "+valueName(p))
		default:
			optional = true
		}
	}
	if optional {
		parts = append(parts, "[flags]")
	}
	return strings.Join(parts, " ")
}

func (h *helpWriter) fields(c *Command) (rows [][]string) {
	for _, p := range c.Tool.Input().Properties {
		name := "--" + c.FlagName(p)
		switch {
		case p.Kind != schema.Boolean:
			name += " " + valueName(p)
		case !strings.HasPrefix(p.Name, "no_"):
			name = "--[no-]" + c.FlagName(p)
		}
		var notes []string
		switch {
		case p.Required && len(p.RequiredUnless) > 0:
			notes = append(notes, h.env.Localize("required without %s", strings.Join(p.RequiredUnless, ", ")))
		case p.Required:
			notes = append(notes, h.env.Localize("required"))
		}
		if p.Kind == schema.Array {
			notes = append(notes, h.env.Localize("repeat for each"))
		}
		if v := valueOf(p); manyChoices(v) {
			notes = append(notes, h.env.Localize("one of %s", strings.Join(v.Enum, ", ")))
		}
		if p.Default != "" {
			notes = append(notes, h.env.Localize("default %s", strings.Trim(p.Default, `"`)))
		}
		about := h.env.Localize(p.About)
		if len(notes) > 0 {
			about += h.env.Localize(" (%s)", strings.Join(notes, h.env.Localize(", ")))
		}
		rows = append(rows, []string{"  " + c.letterOf(p.Name) + name, about})
	}
	for _, s := range run.Settings {
		if s.Only != nil && s.Fits(c.place()) {
			name := strings.TrimRight("  --"+s.Name+" "+s.Value, " ")
			if s.On {
				name = "  --[no-]" + s.Name
			}
			rows = append(rows, []string{name, h.env.Localize(s.About)})
		}
	}
	return rows
}

// letterOf returns the flag of one letter that sets a field, for the help.
func (c *Command) letterOf(field string) string {
	in := tools.FlagsOf(c.Tool)
	if in == nil {
		return ""
	}
	for _, a := range in.Flags() {
		if len(a.Name) == 1 && a.Field == field {
			return "-" + a.Name + ", "
		}
	}
	return ""
}

// valueOf returns the schema of one value of a flag.
func valueOf(p schema.Property) *schema.Schema {
	if p.Schema.Kind == schema.Array {
		return p.Schema.Items
	}
	return p.Schema
}

// manyChoices reports whether the choices of a flag do not fit beside its name.
func manyChoices(s *schema.Schema) bool {
	const most = 60
	return len(strings.Join(s.Enum, "|")) > most
}

// valueName returns the placeholder for a flag's value.
func valueName(p schema.Property) string {
	s := valueOf(p)
	switch {
	case manyChoices(s):
		return "NAME"
	case len(s.Enum) > 0:
		return strings.Join(s.Enum, "|")
	case s.Kind == schema.Integer:
		return "N"
	case s.Kind == schema.Object || s.Kind == schema.Array:
		return "JSON"
	}
	return "TEXT"
}

// Usage returns the usage line of a tool.
func Usage(t *tools.Tool) string { return (&helpWriter{}).usage(&Command{Tool: t}) }

// group is a section of techo --help.
type group struct {
	title    tools.Text
	families []string // the first words of its commands
}

// groups are the sections in their order, the most used first.
var groups = []group{
	{"One line:", []string{"add"}},
	{"Memos:", []string{"memo"}},
	{"Memories:", []string{"memory"}},
	{"Calendar and to-dos:", []string{"cal", "todo", "now"}},
	{"Files:", []string{"grep", "fs"}},
	{"Web:", []string{"web"}},
	{"Questions:", []string{"ask"}},
	{"History:", []string{"history", "undo"}},
	{"Shared spaces:", []string{"space"}},
	{"Agents and servers:", []string{"setup", "call", "tools", "mcp", "serve", "page", "token", "login", "logout",
		"skill", "hook", "config"}},
	{"Store and export:", []string{"init", "store", "sync", "doctor", "import", "export"}},
	{"Help:", []string{"demo", "help", "man", "completion", "complete", "version"}},
}

// groupOf returns the title of the section of a family, the last one for a
// family without a section.
func groupOf(family string) tools.Text {
	for _, g := range groups {
		if slices.Contains(g.families, family) {
			return g.title
		}
	}
	return groups[len(groups)-1].title
}

const (
	helpWidth = 80 // columns of a page
	termWidth = 24 // columns of the terms in a table, at most
)

// layout writes text within helpWidth columns.
type layout struct {
	strings.Builder
	env   *tools.Env
	color bool
}

func (l *layout) line(format string, args ...any) { fmt.Fprintf(l, format+"\n", args...) }

func (l *layout) title(s tools.Text) {
	text := l.env.Localize(s)
	if l.color {
		text = "\x1b[1m" + text + "\x1b[0m"
	}
	l.line("\n%s", text)
}

// paragraph wraps each line of a text. Continued lines are indented by hanging
// more columns.
func (l *layout) paragraph(text string, indent, hanging int) {
	for _, line := range strings.Split(text, "\n") {
		first := columns.Wrap(line, helpWidth-indent)[0]
		l.line("%s%s", strings.Repeat(" ", indent), first)
		rest := strings.TrimLeft(strings.TrimPrefix(line, first), " ")
		if rest == "" {
			continue
		}
		for _, next := range columns.Wrap(rest, helpWidth-indent-hanging) {
			l.line("%s%s", strings.Repeat(" ", indent+hanging), next)
		}
	}
}

// table writes rows of a term and its description. A long term gets a line of its
// own.
func (l *layout) table(rows [][]string) {
	wide := 0
	for _, r := range rows {
		if n := columns.Width(r[0]); n <= termWidth {
			wide = max(wide, n)
		}
	}
	indent := wide + 2
	for _, r := range rows {
		description := columns.Wrap(r[1], helpWidth-indent)
		if columns.Width(r[0]) > wide {
			l.paragraph(strings.TrimLeft(r[0], " "), 2, 4)
		} else {
			l.line("%s  %s", columns.Pad(r[0], wide), description[0])
			description = description[1:]
		}
		for _, d := range description {
			l.line("%s%s", strings.Repeat(" ", indent), d)
		}
	}
}

// example writes a command with its purpose as a comment. A long command
// continues on further lines, so that all of them can be copied into a shell.
func (l *layout) example(does, command string) {
	start, end := "", ""
	if l.color {
		start, end = "\x1b[2m", "\x1b[0m"
	}
	for _, d := range columns.Wrap(does, helpWidth-4) {
		l.line("  %s# %s%s", start, d, end)
	}
	l.line("  %s", strings.Join(breakCommand(command, helpWidth-2), "\n"))
}

// shellWord matches a shell word with quotes and substitutions, or a flag with
// its value, and the blanks that follow.
var shellWord = sync.OnceValue(func() *regexp.Regexp {
	const quoted = `\$\([^)]*\)|'[^']*'|"[^"]*"|`
	return regexp.MustCompile(`(?:--?[a-z][a-z-]* (?:` + quoted + `[^ -])(?:` + quoted + `[^ ])*|(?:` + quoted +
		`[^ ])+) *`)
})

// breakCommand breaks a command at blanks outside of quotes, with a backslash,
// and JSON between objects.
func breakCommand(command string, width int) (lines []string) {
	if columns.Width(command) <= width {
		return []string{command}
	}
	const indent = "      "
	line := ""
	for _, w := range shellWord().FindAllString(command, -1) {
		if line != "" && columns.Width(line+strings.TrimRight(w, " ")) > width-2 {
			lines = append(lines, line+"\\")
			line = indent
			if columns.Width(indent+w) > width {
				objects := strings.SplitAfter(w, "},")
				for _, o := range objects[:len(objects)-1] {
					lines = append(lines, indent+o)
				}
				w = objects[len(objects)-1]
			}
		}
		line += w
	}
	return append(lines, line)
}
