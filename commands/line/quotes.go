package line

import (
	"slices"
	"strings"

	"techo/commands/system"
	"techo/tools"
	"techo/tools/when"
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
	from := len(text)
	if c.Tool.Input().Property("due") != nil { // todo add Buy milk tomorrow
		from = firstOfTime(env, text)
	}
	parts := []string{system.Name}
	for i, a := range args {
		switch at := slices.IndexFunc(text, func(w word) bool { return w.at == i }); {
		case at == 0:
			parts = append(parts, tools.ShellWord(joined(text[:from])))
		case at < 0:
			parts = append(parts, tools.ShellWord(a))
		}
	}
	if from < len(text) {
		parts = append(parts, "--due", tools.ShellWord(joined(text[from:])))
	}
	return env.Hint("Put quotes around the text: %s", strings.Join(parts, " "))
}

// firstOfTime returns the index of the first of the last words that name a time together.
func firstOfTime(env *tools.Env, text []word) int {
	for i := 1; i < len(text); i++ {
		if isTime(env, joined(text[i:])) {
			return i
		}
	}
	return len(text)
}

// isTime reports whether a text is a day or a time.
func isTime(env *tools.Env, text string) bool {
	times := when.NewTimes(env)
	times.ReadNext("due", text)
	return text != "" && times.Err() == nil
}

// joined returns words as one text.
func joined(words []word) string {
	var all []string
	for _, w := range words {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// maxCopied is the length, in bytes, of an argument that a hint repeats.
const maxCopied = 200
