package line

import (
	"slices"
	"strings"

	"techo/commands/system"
	"techo/tools"
)

// times are the fields of a word that is a time: several words before it are rarely part of it.
var times = []string{"start", "date", "at", "due"}

// quoted returns the hint for a line with too many words: the line with quotes around the words
// of its last text, ready to copy.
func (c *Command) quoted(env *tools.Env, l *Line, args []string) string {
	fields := l.wordsOf(c.Tool)
	if len(fields) == 0 || slices.ContainsFunc(args, func(a string) bool { return len(a) > maxCopied }) {
		return ""
	}
	if slices.Contains(times, fields[len(fields)-1]) {
		parts := []string{system.Name, c.Tool.Command}
		for _, f := range fields {
			parts = append(parts, `"`+strings.ToUpper(f)+`"`)
		}
		return env.Hint("Put quotes around each text: %s", strings.Join(parts, " "))
	}
	text := l.words[len(fields)-1:]
	var joined []string
	for _, w := range text {
		joined = append(joined, w.text)
	}
	parts := []string{system.Name}
	for i, a := range args {
		switch at := slices.IndexFunc(text, func(w word) bool { return w.at == i }); {
		case at == 0:
			parts = append(parts, tools.ShellWord(strings.Join(joined, " ")))
		case at < 0:
			parts = append(parts, tools.ShellWord(a))
		}
	}
	return env.Hint("Put quotes around the text: %s", strings.Join(parts, " "))
}

// maxCopied is the length, in bytes, of an argument that a hint repeats.
const maxCopied = 200
