package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/tools"
)

// helpIn is the input of the command help.
type helpIn struct {
	Command []string `json:"command,omitempty" en:"The command" ja:"コマンド"`
}

// helpCommand prints the help of a command, as --help does.
func helpCommand() *command {
	return answering(tools.Tool{
		Command:  "help",
		About:    tools.Say{EN: "Show the help of a command", JA: "コマンドのヘルプを表示する"},
		Words:    []string{"command…"},
		Examples: []tools.Example{{Does: tools.Say{EN: "Show the help of a command", JA: "ヘルプを表示する"}, Line: "help memo add"}},
	}, func(_ context.Context, s *session, in helpIn) int {
		s.line = readLine(s.whole(), in.Command)
		if s.line.unknown != "" || len(s.line.words) > 0 {
			if s.line.unknown == "" {
				s.line.unknown = s.line.words[0].text
			}
			return s.fail(s.unknownCommand(s.env(), s.line.node))
		}
		return s.document(s.help(s.line.node))
	})
}

// help writes the help of a command or a group.
func (s *session) help(node *cli.Command) string {
	h := &helpWriter{env: s.env()}
	c := commandOf(node)
	switch {
	case node == s.root:
		h.root(node)
	case c == nil:
		h.line("%s", s.name())
		h.commands(node)
	default:
		h.command(c, node)
	}
	return h.String()
}

// helpWriter writes a page of help.
type helpWriter struct {
	strings.Builder
	env *tools.Env
}

func (h *helpWriter) line(format string, args ...any) { fmt.Fprintf(h, format+"\n", args...) }

func (h *helpWriter) title(s tools.Say) { h.line("\n%s", h.env.Say(s)) }

func (h *helpWriter) root(node *cli.Command) {
	h.line("%s", h.env.Say(tools.Say{
		EN: "techo: the pocket notebook and toolbox of an AI agent, and of the person beside it",
		JA: "techo（手帳）: AI エージェントと、その隣にいる人のための手帳と道具箱",
	}))
	h.commands(node)
	h.title(tools.Say{EN: "Global flags, before or after the command:", JA: "共通フラグ（コマンドの前後どちらでも）:"})
	h.line("%s", columns(settingRows(h.env)))
	h.title(tools.Say{EN: "Exit codes:", JA: "終了コード:"})
	h.line("%s", exitText(h.env))
	h.title(tools.Say{EN: "Every answer is one JSON document on stdout; -o text writes it for a person.", JA: "答えは常に標準出力への JSON 1件。-o text で人向けの表示になる。"})
}

// settingRows are the global flags and what they mean.
func settingRows(env *tools.Env) (rows [][]string) {
	for _, s := range settings {
		if s.only != nil {
			continue
		}
		name := strings.TrimSpace("--" + s.name + " " + s.value)
		if s.short != "" {
			name = "-" + s.short + ", " + name
		}
		about := env.Say(s.about)
		if s.env != "" {
			about += " [$" + s.env + "]"
		}
		rows = append(rows, []string{"  " + name, about})
	}
	return append(rows,
		[]string{"  -h, --help", env.Say(tools.Say{EN: "Show this help, or a command's", JA: "ヘルプを表示する"})},
		[]string{"  -v, --version", env.Say(tools.Say{EN: "Print the version", JA: "バージョンを表示する"})})
}

// exitText says how the program ends.
func exitText(env *tools.Env) string {
	return env.Say(tools.Say{
		EN: "  0 done · 1 internal, corrupt · 2 invalid_input · 3 not_found · 4 unavailable, forbidden\n  5 already_exists, conflict, limit_exceeded · 6 busy, upstream, rate_limited, no_space\n  124 timeout · 130 cancelled",
		JA: "  0 完了 · 1 internal, corrupt · 2 invalid_input · 3 not_found · 4 unavailable, forbidden\n  5 already_exists, conflict, limit_exceeded · 6 busy, upstream, rate_limited, no_space\n  124 timeout · 130 cancelled",
	})
}

// commands lists what is below a node.
func (h *helpWriter) commands(node *cli.Command) {
	h.title(tools.Say{EN: "Commands:", JA: "コマンド:"})
	var rows [][]string
	var add func(n *cli.Command, name string)
	add = func(n *cli.Command, name string) {
		if n.Hidden {
			return
		}
		if c := commandOf(n); c != nil {
			rows = append(rows, []string{"  " + name, h.env.Say(c.About)})
		}
		for _, sub := range n.Commands {
			add(sub, name+" "+sub.Name)
		}
	}
	for _, sub := range node.Commands {
		name := sub.Name
		if c := commandOf(sub); c != nil {
			name = c.Command
		} else if prefix := groupPath(sub); prefix != "" {
			name = prefix
		}
		add(sub, name)
	}
	h.line("%s", columns(rows))
}

// groupPath is the full name of a group, as its commands have it.
func groupPath(node *cli.Command) string {
	for _, sub := range node.Commands {
		if c := commandOf(sub); c != nil {
			return strings.TrimSuffix(c.Command, " "+sub.Name)
		}
	}
	return ""
}

func (h *helpWriter) command(c *command, node *cli.Command) {
	h.line("%s %s: %s", program, c.Command, h.env.Say(c.About))
	if more := h.env.Say(c.More); more != "" {
		h.line("\n%s", more)
	}
	h.title(tools.Say{EN: "Usage:", JA: "使い方:"})
	h.line("  %s", h.usage(c))
	if len(c.Input().Properties) > 0 {
		h.title(tools.Say{EN: "Fields:", JA: "項目:"})
		h.line("%s", columns(h.fields(c)))
	}
	if len(c.Words) > 0 {
		h.line("\n%s", h.env.Say(tools.Say{
			EN: "A word - reads its field from stdin. What follows -- is data, also -v or --help.",
			JA: "語 - はその項目を標準入力から読む。-- の後は -v や --help もデータになる。",
		}))
	}
	if len(node.Commands) > 0 {
		h.commands(node)
	}
	if len(c.Examples) > 0 {
		h.title(tools.Say{EN: "Examples:", JA: "例:"})
		for _, e := range c.Examples {
			h.line("  # %s\n  %s %s", h.env.Say(e.Does), program, e.Line)
		}
	}
	h.title(tools.Say{EN: "Global flags: techo --help", JA: "共通フラグ: techo --help"})
	if c.Name != "" {
		h.line("%s", h.env.Say(tools.Say{EN: "As JSON: techo call %s '{…}'; its schema: techo tools %s", JA: "JSON: techo call %s '{…}'、定義: techo tools %s"}, c.Name, c.Name))
	}
}

func (h *helpWriter) usage(c *command) string {
	parts := []string{program, c.Command}
	words := map[string]bool{}
	for _, w := range c.Words {
		name := strings.TrimSuffix(w, "…")
		words[name] = true
		text := strings.ToUpper(name)
		if name != w {
			text += "…"
		}
		if p := c.Input().Property(name); !p.Required {
			text = "[" + text + "]"
		}
		parts = append(parts, text)
	}
	optional := false
	for _, p := range c.Input().Properties {
		switch {
		case words[p.Name]:
		case p.Required:
			parts = append(parts, "--"+c.flagName(p)+" "+valueName(p))
		default:
			optional = true
		}
	}
	if optional {
		parts = append(parts, "[flags]")
	}
	return strings.Join(parts, " ")
}

func (h *helpWriter) fields(c *command) (rows [][]string) {
	for _, p := range c.Input().Properties {
		name := "--" + c.flagName(p)
		if p.Kind == tools.Boolean {
			name = "--[no-]" + c.flagName(p)
		} else {
			name += " " + valueName(p)
		}
		var notes []string
		switch {
		case len(p.Unless) > 0:
			notes = append(notes, h.env.Say(tools.Say{EN: "required without %s", JA: "%s がなければ必須"}, strings.Join(p.Unless, ", ")))
		case p.Required:
			notes = append(notes, h.env.Say(tools.Say{EN: "required", JA: "必須"}))
		}
		if p.Kind == tools.Array {
			notes = append(notes, h.env.Say(tools.Say{EN: "repeat for each", JA: "繰り返し可"}))
		}
		if p.Default != "" {
			notes = append(notes, h.env.Say(tools.Say{EN: "default %s", JA: "既定 %s"}, strings.Trim(p.Default, `"`)))
		}
		about := h.env.Say(p.About)
		if len(notes) > 0 {
			about += " (" + strings.Join(notes, ", ") + ")"
		}
		rows = append(rows, []string{"  " + name, about})
	}
	for _, s := range settings {
		if s.only != nil && s.fits(c) {
			name := strings.TrimRight("  --"+s.name+" "+s.value, " ")
			rows = append(rows, []string{name, h.env.Say(s.about)})
		}
	}
	return rows
}

// valueName is what the help calls the value of a flag.
func valueName(p tools.Property) string {
	s := p.Schema
	if s.Kind == tools.Array {
		s = s.Items
	}
	switch {
	case len(s.Enum) > 0:
		return strings.Join(s.Enum, "|")
	case s.Kind == tools.Integer:
		return "N"
	case s.Kind == tools.Object || s.Kind == tools.Array:
		return "JSON"
	}
	return "TEXT"
}
