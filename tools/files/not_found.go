package files

import (
	"fmt"
	"strings"
	"unicode"

	"techo/internal/passage"
	"techo/tools"
)

// notFound returns the error for a string that is not in the file, with the most
// similar lines and the first difference.
func (w *target) notFound(env *tools.Env, d *document, x Replacement, at string) *tools.Error {
	e := w.notFoundError(env, d, x.OldString, at+"/old_string")
	if way := looserWay(d, x.OldString); way != "" && !hasLineNumbers(x.OldString) {
		e.Hint = env.Hint(way)
	}
	if len(x.NewString) < minInserted || strings.Contains(x.OldString, x.NewString) {
		return e
	}
	if there := d.find(x.NewString, false); len(there) > 0 {
		e.Details = append(e.Details,
			tools.Detail{Path: at + "/new_string",
				Message: env.Localize("is already in line %d: the edit may have been made before", there[0].line)})
	}
	return e
}

// looserWay returns the hint to use the option with which a string would match in one
// place, or "".
func looserWay(d *document, old string) tools.Text {
	switch n := len(d.findRelaxed(old, relaxAll)); {
	case n == 1:
		return "It would match in one place with --normalize; or copy the text from techo fs read"
	case n > 1:
		return "It matches more than one place loosely: include more of the surrounding lines, with --normalize; or " +
			"copy the text from techo fs read"
	case len(d.findIgnoringBlanks(old)) == 1:
		return "It would match in one place with --ignore-whitespace; or copy the text from techo fs read"
	}
	return ""
}

// minInserted is the length of new_string, in bytes, from which its presence
// suggests that the edit was made before.
const minInserted = 4

func (w *target) notFoundError(env *tools.Env, d *document, old, at string) *tools.Error {
	e := env.Fail(tools.NotFound, "Could not find the string to replace in %s", w.shown)
	if hasLineNumbers(old) {
		e.Details = []tools.Detail{{Path: at,
			Message: env.Localize("its lines begin with line numbers, which are not in the file")}}
		return e.WithHint(env.Hint("Remove the line numbers and the tab after them"))
	}
	if near := nearestText(env, d, old, "old_string", at); near != nil {
		e.Details, e.Hint = near.Details, near.Hint
		return e
	}
	e.Details = []tools.Detail{{Path: at, Message: env.Localize("nothing in the file is similar")}}
	if !offers(env, "grep") {
		return e.WithHint(env.Hint("Copy it from techo fs read. The same old_string will fail again"))
	}
	return e.WithHint(env.Hint("Find it with techo grep, then copy it from techo fs read. The same " +
		"old_string will fail again"))
}

// nearestText returns an error with the lines that are most similar to a text, which
// messages call name, and the first difference. It returns nil if no lines are similar.
func nearestText(env *tools.Env, d *document, old, name, at string) *tools.Error {
	near, ok := passage.Nearest(d.normalized, strings.ReplaceAll(old, "\r\n", "\n"))
	if !ok {
		return nil
	}
	e := new(tools.Error)
	shown := near.Lines[:min(len(near.Lines), maxListed)]
	e.Details = []tools.Detail{{Path: at, Message: env.Localize("nearest are the lines from %d on:\n%s",
		near.First, withLineNumbers(shown, near.First))}}
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
		"old_string has %s. Copy the text from techo fs read: the same old_string will fail again", near.First,
		near.Line, near.Column, found, wanted))
}

// hasLineNumbers reports whether every line begins with a number and a tab, as in
// the text output of read_file.
func hasLineNumbers(s string) bool {
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		number, _, ok := strings.Cut(strings.TrimLeft(line, " "), "\t")
		if !ok || number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
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
