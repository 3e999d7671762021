package document

import (
	"fmt"
	"strings"
	"unicode"

	"techo/internal/passage"
	"techo/tools"
)

// MaxListed limits the occurrences and lines that an error lists.
const MaxListed = 20

// Nearest returns an error with the lines that are most similar to a text, which
// messages call name, and the first difference. It returns nil if no lines are similar.
func Nearest(env *tools.Env, d *Document, old, name, at string) *tools.Error {
	near, ok := passage.Nearest(d.normalized, strings.ReplaceAll(old, "\r\n", "\n"))
	if !ok {
		return nil
	}
	e := new(tools.Error)
	shown := near.Lines[:min(len(near.Lines), MaxListed)]
	e.Details = []tools.Detail{{Path: at, Message: env.Localize("nearest are the lines from %d on:\n%s",
		near.First, WithLineNumbers(shown, near.First))}}
	if near.Line == 0 {
		return e
	}
	found, wanted := describeRune(env, near.Found), describeRune(env, near.Wanted)
	e.Details = append(e.Details, tools.Detail{
		Path: at,
		Message: env.Localize("first difference in line %d, column %d: the file has %s, %s has %s",
			near.Line, near.Column, found, name, wanted),
		Hint: showBlanks(near, near.Line),
	})
	return e.WithHint(env.Hint("The nearest text is in line %d; in line %d, column %d, the file has %s where "+
		"old_string has %s. Copy the text from %s: the same old_string will fail again",
		near.First, near.Line, near.Column, found, wanted, tools.Use("fs read")))
}

// confusable names characters that look like others or are invisible.
var confusable = map[rune]tools.Text{
	' ':      "SPACE",
	'\t':     "TAB",
	'\r':     "CARRIAGE RETURN",
	'\u00a0': "NO-BREAK SPACE",
	'\u00ad': "SOFT HYPHEN",
	'\u200b': "ZERO WIDTH SPACE",
	'\u200d': "ZERO WIDTH JOINER",
	'\u3000': "IDEOGRAPHIC SPACE",
	'\ufeff': "BYTE ORDER MARK",
	'\ufffd': "REPLACEMENT CHARACTER, for invalid bytes",
}

// describeRune names a character without ambiguity.
func describeRune(env *tools.Env, r rune) string {
	switch {
	case r == passage.End:
		return env.Localize("its end")
	case r == '\n':
		return env.Localize("the end of the line")
	}
	code := fmt.Sprintf("U+%04X", r)
	if name, ok := confusable[r]; ok {
		return env.Localize(name) + " (" + code + ")"
	}
	switch {
	case r >= '！' && r <= '～':
		return env.Localize("full-width %q (%s)", string(r), code)
	case !unicode.IsGraphic(r):
		return code
	}
	return fmt.Sprintf("%q (%s)", string(r), code)
}

// showBlanks returns part of a line around the difference, with visible blanks.
func showBlanks(p passage.Passage, line int) string {
	i := line - p.First
	if i >= len(p.Lines) {
		return ""
	}
	runes := []rune(p.Lines[i])
	from := max(0, p.Column-60)
	to := min(len(runes), from+120)
	var b strings.Builder
	for _, r := range runes[min(from, to):to] {
		switch {
		case r == '\t':
			b.WriteString("→")
		case r == ' ':
			b.WriteString("·")
		case r == '\r':
			b.WriteString("␍")
		case unicode.IsSpace(r) || !unicode.IsGraphic(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// WithLineNumbers returns lines with their numbers.
func WithLineNumbers(lines []string, first int) string {
	var texts []string
	for i, line := range lines {
		texts = append(texts, fmt.Sprintf("%6d\t%s", first+i, clip(strings.TrimSuffix(line, "\r"))))
	}
	return strings.Join(texts, "\n")
}

// clip shortens a long line for a message.
func clip(line string) string {
	const most = 200
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}
