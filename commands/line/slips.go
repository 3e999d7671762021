package line

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"techo/commands/run"
	"techo/commands/slips"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/schema"
)

// adviser finds what a person means by a wrong line.
type adviser struct {
	app *App
	env *tools.Env
}

// typed returns the words of the line from its command on, with the flags before it at the end.
func (a adviser) typed() []string {
	args := a.app.Run.System.Args
	i := slices.IndexFunc(args, func(w string) bool {
		return w == a.app.line.Unknown && w != "" || a.app.root.Command(w) != nil
	})
	if i < 0 {
		return nil
	}
	return slices.Concat(args[i:], args[:i])
}

// copied returns a line as a person types it, "" for one that is too long to repeat.
func copied(line []string) string {
	parts := []string{system.Name}
	for _, w := range line {
		if len(w) > maxCopied {
			return ""
		}
		parts = append(parts, tools.ShellWord(w))
	}
	return strings.Join(parts, " ")
}

// slip returns the command that the line means by other words, or "".
func (a adviser) slip() string {
	root := tree(a.app.Commands(), nil, nil)
	line := slips.Line(a.typed(), func(line []string) bool {
		node := root
		for _, w := range line {
			if node = node.Command(w); node == nil || commandOf(node) != nil {
				break
			}
		}
		return node != nil && commandOf(node) != nil
	}, func(family string) (verbs []string) {
		if node := root.Command(family); node != nil {
			verbs = visible(node)
		}
		return verbs
	})
	if line == nil {
		return ""
	}
	return copied(line)
}

// sentence returns the command that keeps the words of a line without a command: "techo lunch tomorrow
// at noon", or techo todo "Buy milk".
func (a adviser) sentence(node *cli.Command) string {
	words := a.typed()
	flags := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if flags < 0 {
		flags = len(words)
	}
	kept := []string{"add"}
	if node != a.app.root {
		kept = append(slices.Clone(a.app.line.Path), "add")
	}
	skipped := len(kept) - 1
	text := strings.Join(words[min(skipped, flags):flags], " ")
	enough := strings.Contains(a.app.line.Unknown, " ") || node == a.app.root && flags > 2
	adds := node.Command("add")
	if !enough || adds == nil || commandOf(adds) == nil || len(commandOf(adds).Tool.Words) != 1 {
		return ""
	}
	return copied(slices.Concat(kept, []string{text}, words[flags:]))
}

// unknownFlag describes a flag that the command does not have. It may be another word for one of
// its flags, or be named like a choice of one: --done is --status done.
func (c *Command) unknownFlag(env *tools.Env, name string) tools.Detail {
	d := schema.UnknownField(env, "/"+strings.ReplaceAll(name, "-", "_"), name, c.flagNames(), settingNames(c)...)
	for _, field := range slips.Word("flag", name) {
		if slices.Contains(c.flagNames(), field) {
			d.Hint = env.DidYouMean([]string{field})
			return d
		}
	}
	if form := run.FindSetting("output"); slices.Contains(strings.Split(form.Value, "|"), name) {
		d.Hint = env.Hint("Write %s", "-o "+name)
		return d
	}
	for _, p := range c.Tool.Input().Properties {
		if slices.Contains(p.Enum, name) {
			d.Hint = env.Hint("Write %s", "--"+c.FlagName(p)+" "+name)
			return d
		}
	}
	return d
}
