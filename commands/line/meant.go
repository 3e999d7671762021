package line

import (
	"cmp"
	"slices"
	"strings"

	"techo/commands/slips"
	"techo/tools"
	"techo/tools/schema"
)

// meant returns a better hint for an error of the called command: the line that the person probably
// means. It returns "" if it knows none. A program that sends the same input by another way gets the
// same error, so a line that only lacks fields is completed for a person alone.
func (a adviser) meant(e *tools.Error) string {
	c := a.app.called()
	if c == nil || e.Code != tools.InvalidInput && e.Code != tools.NotFound || len(a.app.line.unknownFlags) > 0 {
		return e.Hint
	}
	if line := a.slip(); line != "" {
		return a.env.Hint("Perhaps: %s", line)
	}
	help := tools.HelpHint(a.env, c.Tool)
	switch {
	case e.Code == tools.NotFound:
		return a.titled(c)
	case e.Hint != "" && e.Hint != help:
		return e.Hint
	}
	line := a.chosen(c, e)
	if out := a.app.Run.Out; line == "" && (out.Text || a.app.Run.System.StdoutTerminal) {
		line = a.completed(c, e)
	}
	return cmp.Or(line, help)
}

// given returns the value that the line has for a field.
func (a adviser) given(c *Command, field string) string {
	for _, f := range a.app.line.Flags {
		if f.Field == field {
			return f.Value
		}
	}
	if i := slices.Index(a.app.line.wordsOf(c.Tool), field); i >= 0 && i < len(a.app.line.words) {
		return a.app.line.words[i].text
	}
	return ""
}

// chosen returns the hint for another word for a choice, and for a first word that is left out
// because it is a choice: "cal check tomorrow".
func (a adviser) chosen(c *Command, e *tools.Error) string {
	for _, d := range e.Details {
		p := c.Tool.Input().Property(strings.TrimPrefix(d.Path, "/"))
		if p == nil || len(p.Enum) == 0 {
			continue
		}
		given := a.given(c, p.Name)
		for _, word := range slips.Word("value", given) {
			if slices.Contains(p.Enum, word) {
				return a.env.Hint("Write %s", "--"+c.FlagName(*p)+" "+word)
			}
		}
		words := a.app.line.wordsOf(c.Tool)
		if len(words) > 1 && words[0] == p.Name && slices.Contains(times, words[1]) && len(a.app.line.words) == 1 &&
			isTime(a.env, given) {
			return a.perhaps(a.app.line.words[0].at, 0, p.Enum[0])
		}
	}
	return ""
}

// completed returns the hint for a line that only lacks fields: the line with their names.
func (a adviser) completed(c *Command, e *tools.Error) string {
	var words, flags []string
	for _, d := range e.Details {
		p := c.Tool.Input().Property(strings.TrimPrefix(d.Path, "/"))
		switch {
		case p == nil || d.Message != a.env.Localize("is required"):
			return ""
		case slices.Contains(a.app.line.wordsOf(c.Tool), p.Name):
			words = append(words, strings.ToUpper(p.Name))
		default:
			flags = append(flags, "--"+c.FlagName(*p), strings.ToUpper(p.Name))
		}
	}
	line := a.app.Run.System.Args
	if n := len(a.app.line.words); len(words) == 1 && len(flags) == 0 && n > 0 {
		last := a.app.line.words[n-1]
		if name, value, ok := strings.Cut(last.text, "="); ok { // config set lang=ja
			return a.perhaps(last.at, 1, name, value)
		}
	}
	at := slices.IndexFunc(line, func(w string) bool { return strings.HasPrefix(w, "-") })
	if at < 0 {
		at = len(line)
	}
	if n := len(a.app.line.words); len(words)+len(flags) == 0 || n > 0 && a.app.line.words[n-1].at > at {
		return ""
	}
	if line := a.with(at, 0, append(words, flags...)); line != "" {
		return a.env.Hint("Complete it: %s; see techo %s --help", line, c.Tool.Command)
	}
	return ""
}

// with returns the line as typed, with other words in place of so many from one on.
func (a adviser) with(at, replaced int, words []string) string {
	args := a.app.Run.System.Args
	return copied(slices.Concat(args[:at], words, args[at+replaced:]))
}

// perhaps is a hint with such a line, "" for one that is too long.
func (a adviser) perhaps(at, replaced int, words ...string) string {
	if line := a.with(at, replaced, words); line != "" {
		return a.env.Hint("Perhaps: %s", line)
	}
	return ""
}

// titled returns the hint for the title of a record in place of its id. Memos have names of their own.
func (a adviser) titled(c *Command) string {
	for _, p := range c.Tool.Input().Properties {
		given := a.given(c, p.Name)
		if of := record(p); of == "" || of == "memo" || of == "tag" || len([]rune(given)) < 2 {
			continue
		}
		found := named(a.app.existing(a.app.line, p), given)
		var ids []string
		for _, one := range found {
			ids = append(ids, one.word+" ("+one.about+")")
		}
		switch at := slices.Index(a.app.Run.System.Args, given); {
		case len(found) == 1 && at >= 0:
			return a.env.Hint("Perhaps %q: %s", found[0].about, a.with(at, 1, []string{found[0].word}))
		case len(found) > 1 && len(found) <= 5:
			return a.env.Hint("Which one? %s", strings.Join(ids, ", "))
		}
	}
	return ""
}

// record returns the kind of record that a field names.
func record(p schema.Property) string {
	if p.Kind == schema.Array {
		return p.Items.Record
	}
	return p.Record
}

// named returns the records with a title: the whole one, or else a part of it.
func named(all []candidate, title string) (found []candidate) {
	title = strings.ToLower(title)
	for _, whole := range []bool{true, false} {
		for _, one := range all {
			about := strings.ToLower(one.about)
			if about == title || !whole && strings.Contains(about, title) {
				found = append(found, one)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}
