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
// of its last text, or of its title and its time, ready to copy.
func (c *Command) quoted(env *tools.Env, l *Line, args []string) string {
	fields := l.wordsOf(c.Tool)
	if len(fields) == 0 || slices.ContainsFunc(args, func(a string) bool { return len(a) > maxCopied }) {
		return ""
	}
	if slices.Contains(times, fields[len(fields)-1]) {
		if texts := timed(env, l.words, len(fields)); texts != nil {
			return env.Hint("Put quotes around each text: %s", strings.Join(withTexts(args, texts...), " "))
		}
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
	parts := withTexts(args, text[:from], text[from:])
	if from < len(text) {
		time := slices.Index(parts, tools.ShellWord(joined(text[from:])))
		parts = slices.Delete(parts, time, time+1)
		parts = append(parts, "--due", tools.ShellWord(joined(text[from:])))
	}
	return env.Hint("Put quotes around the text: %s", strings.Join(parts, " "))
}

// withTexts returns a line with each text as one word, at the place of its first word.
func withTexts(args []string, texts ...[]word) []string {
	parts := []string{system.Name}
	for i, a := range args {
		own := func(w word) bool { return w.at == i }
		text := slices.IndexFunc(texts, func(t []word) bool { return slices.ContainsFunc(t, own) })
		switch {
		case text < 0:
			parts = append(parts, tools.ShellWord(a))
		case own(texts[text][0]):
			parts = append(parts, tools.ShellWord(joined(texts[text])))
		}
	}
	return parts
}

// timed splits words into a time, or a title and a time; nil if they do not end in a time.
func timed(env *tools.Env, words []word, fields int) [][]word {
	from := firstOfTime(env, words)
	switch {
	case fields == 1 && isTime(env, joined(words)):
		return [][]word{words}
	case fields == 2 && from < len(words):
		return [][]word{words[:from], words[from:]}
	}
	return nil
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
