package line

import (
	"slices"
	"strings"

	"techo/commands/run"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/schema"
)

// slips returns words that people type for a command that techo has under other words. A word of a
// family stands behind the family's name.
func slips() map[string]string {
	return map[string]string{
		"ls":           "fs list",
		"list":         "memo list",
		"today":        "cal list today",
		"tomorrow":     "cal list tomorrow",
		"week":         "cal list --view week",
		"month":        "cal list --view month",
		"agenda":       "cal list",
		"search":       "memory search TEXT",
		"remember":     "memory add TEXT",
		"note":         "memo add NAME TEXT --priority 3",
		"cal today":    "cal list today",
		"cal tomorrow": "cal list tomorrow",
		"cal week":     "cal list --view week",
		"cal month":    "cal list --view month",
		"cal free":     "cal suggest --date-from today --date-to +7d --duration-minutes 60",
		"todo today":   "todo list --due-by today",
	}
}

// slip returns the command that a line with an unknown word means, or "".
func slip(l *Line) string {
	command := slips()[strings.Join(append(slices.Clone(l.Path), l.Unknown), " ")]
	if command == "" {
		return ""
	}
	return system.Name + " " + command
}

// unknownFlag describes a flag that the command does not have. A flag that is named like a
// choice of another one means that choice: --done is --status done.
func (c *Command) unknownFlag(env *tools.Env, name string) tools.Detail {
	d := schema.UnknownField(env, "/"+strings.ReplaceAll(name, "-", "_"), name, c.flagNames(), settingNames(c)...)
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
