package line

import (
	"slices"
	"strings"

	"techo/commands/run"
	"techo/tools"
	"techo/tools/schema"
)

// alias reads a word with flags of a similar program: --name, --name=value, or
// letters that are combined as in -rn, -C2 and -epattern. It reports false for all
// other words.
func (r *lineReader) alias(w string) bool {
	c := commandOf(r.node)
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
	if field, _, _ := c.flag(name); field != "" || r.isOutput(w) || isFlag && isLongSetting(name) || w == "-h" {
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
func (r *lineReader) isOutput(w string) bool {
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
func (r *lineReader) setAlias(c *Command, a *tools.FlagAlias, typed string, value *string) {
	text := "true"
	if a.Value || value != nil {
		var ok bool
		if text, ok = r.value(typed, value); !ok {
			return
		}
	}
	field := a.Field
	switch {
	case a.Refused != "":
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
	r.Flags = append(r.Flags, flagGiven{Field: field, Value: text, Alias: true})
}

// has reports whether a flag set the field.
func (r *lineReader) has(field string) bool {
	return slices.ContainsFunc(r.Flags, func(f flagGiven) bool { return f.Field == field })
}

// joinAliases combines the values of repeated flags of a similar program.
func (l *Line) joinAliases(t *tools.Tool) {
	flagged := tools.FlagsOf(t)
	if flagged == nil {
		return
	}
	values := map[string][]string{}
	aliased := map[string]bool{}
	for _, f := range l.Flags {
		values[f.Field] = append(values[f.Field], f.Value)
		aliased[f.Field] = aliased[f.Field] || f.Alias
	}
	var kept []flagGiven
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

// wordsOf returns the fields that the words of the line fill: all of the command
// without the first if a flag of a similar program has set it, as in -e PATTERN.
func (l *Line) wordsOf(t *tools.Tool) []string {
	if len(t.Words) > 0 && slices.ContainsFunc(l.Flags,
		func(f flagGiven) bool { return f.Alias && f.Field == t.Words[0] }) {
		return t.Words[1:]
	}
	return t.Words
}

// aliasProblems returns the problems of refused flags and of unknown letters. They
// name flags, because only a command line has them.
func (c *Command) aliasProblems(env *tools.Env, l *Line) (problems []tools.Detail) {
	for _, a := range l.refused {
		dashes := "--"
		if len(a.Name) == 1 {
			dashes = "-"
		}
		problems = append(problems, tools.Detail{
			Message: env.Localize("%s is not a flag of techo %s", dashes+a.Name, c.Tool.Command),
			Hint:    env.Hint(a.Refused),
		})
	}
	return problems
}

// unknownLetter describes a flag of one letter that the command does not have.
func (c *Command) unknownLetter(env *tools.Env, name string) tools.Detail {
	d := tools.Detail{Message: env.Localize("%s is not a flag of techo %s", "-"+name, c.Tool.Command)}
	var names []string
	for _, flag := range c.flagNames() {
		names = append(names, "--"+flag)
	}
	if d.Hint = env.Hint("It takes no flags"); len(names) > 0 {
		d.Hint = env.Hint("It takes: %s", strings.Join(names, ", "))
	}
	return d
}
