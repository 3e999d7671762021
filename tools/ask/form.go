package ask

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"techo/internal/lineedit"
	"techo/store/question"
	"techo/tools"
)

// form is a question as a terminal asks it. The line that is typed is its only
// state: what Enter answers, and all that is shown under the line, follow from it.
type form struct {
	reader
	env   *tools.Env
	watch bool // the person answers several questions, and may leave this for later
}

const (
	// listAll is the number of options up to which all are printed above the line. Of
	// more, the terminal shows the matching ones.
	listAll = 20

	// maxWindow is how many options are shown at once of a longer list.
	maxWindow = 10

	// maxStatus is the length in bytes from which the answer is cut under the line.
	maxStatus = 2000
)

// choiceText and answerText are the labels of the specification.
var (
	choiceText = tools.Text("Choice (number): ")
	answerText = tools.Text("Answer: ")
)

// prompt returns the prompt of the question, for a terminal that shows the given
// parts of it.
func (f form) prompt(shows tools.PromptParts) tools.Prompt {
	p := tools.Prompt{Label: f.env.Localize(choiceText), Secret: f.Secret, Below: f.below, Step: f.step,
		Question: f.question(shows),
		TooLong:  f.env.Localize("The text is too long; techo ask answer %s - reads the answer from stdin", f.ID)}
	if len(f.Options) == 0 {
		p.Label, p.Step = f.env.Localize(answerText), nil
	}
	return p
}

// question returns the question in the format of the specification, for a terminal
// that shows the given parts of a prompt.
func (f form) question(shows tools.PromptParts) string {
	var b strings.Builder
	if shows == tools.PlainLine {
		b.WriteString("\n" + f.env.Localize("(%s)", f.help()))
	}
	b.WriteString("\n[ASK USER] " + normalizeNewlines(f.Text) + "\n")
	if len(f.Options) > listAll && shows == tools.WholePrompt {
		return b.String()
	}
	for i, o := range f.Options {
		b.WriteString("  " + strconv.Itoa(i+1) + ". " + normalizeNewlines(o) + "\n")
	}
	return b.String()
}

// help says how to answer, and what Enter, Ctrl-D and other words do.
func (f form) help() string {
	var parts []string
	say := func(text tools.Text, args ...any) { parts = append(parts, f.env.Localize(text, args...)) }
	switch {
	case f.Secret:
		say("What you type is not shown.")
	case len(f.Options) > 0 && f.Multiple:
		say("Pick with the arrow keys, numbers such as 1 3 or 1-3, or texts.")
	case len(f.Options) > 0:
		say("Pick with the arrow keys, a number or a text.")
	}
	if len(f.Options) > 0 && f.Closed {
		say("Only an option is accepted.")
	} else if len(f.Options) > 0 {
		say("Other words are an answer too.")
	}
	if f.watch {
		say("Enter answers, or leaves an empty line for later; Ctrl-D ends.")
	} else {
		say("Enter answers; Ctrl-D declines.")
	}
	switch {
	case f.Default != "" && !f.ExpiresAt.IsZero():
		say("Without an answer by %s, the default counts: %s", f.env.Minute(f.ExpiresAt), f.Default)
	case f.Default != "":
		say("The default counts only if the question expires: %s", f.Default)
	}
	if f.env.Lang == tools.Japanese {
		return strings.Join(parts, "")
	}
	return strings.Join(parts, " ")
}

// status describes what Enter does with a text.
func (f form) status(text string) string {
	a, v := f.read(text)
	switch {
	case v == isEmpty:
		return f.help()
	case v != isAnswer:
		return f.rejection(v)
	case len(a.Indexes) == 0 && len(f.Options) == 0:
		return f.env.Localize("Enter answers; Ctrl-U deletes the line.")
	case len(a.Indexes) == 0:
		return f.env.Localize("Enter answers in your own words; no option is picked.")
	}
	var picks []string
	for i, text := range a.Texts {
		if i < len(a.Indexes) && text == f.Options[a.Indexes[i]-1] {
			text = strconv.Itoa(a.Indexes[i]) + ". " + text
		}
		picks = append(picks, text)
	}
	answer := strings.Join(picks, ", ")
	if len(answer) > maxStatus {
		answer = strings.ToValidUTF8(answer[:maxStatus], "") + "..."
	}
	return f.env.Localize("Enter answers: %s", answer)
}

// rejection is the message for a line that is not accepted.
func (f form) rejection(v verdict) string {
	switch {
	case v == isEmpty:
		return f.env.Localize("Nothing was typed. %s", f.help())
	case v == isAmbiguous:
		return f.env.Localize("Several options have that text; enter the number")
	case v == isControl:
		return f.env.Localize("Control characters are no answer")
	case len(f.Options) == 1:
		return f.env.Localize("There is one option; enter 1")
	}
	return f.env.Localize("Enter a number from 1 to %d", len(f.Options))
}

// below returns the rows under the line: the options that match, if not all are
// printed above, and what Enter does.
func (f form) below(typed, text string, columns, rows int) []string {
	status := lineedit.Wrap(f.status(text), columns)
	if len(f.Options) <= listAll || rows < 3 {
		return status
	}
	status = status[:min(len(status), max(1, rows-maxWindow-1), max(1, rows/2))]
	return append(f.window(typed, text, columns, min(maxWindow, rows-len(status)-1)), status...)
}

// window returns the options that match what was typed, as many as fit, with a row
// that counts them. The picked ones are marked; the last one is in the window.
func (f form) window(typed, text string, columns, room int) []string {
	_, tail := f.split(typed)
	shown, matches := f.choices(tail)
	a, _ := f.read(text)
	from := 0
	if n := len(a.Indexes); n > 0 {
		from = max(0, slices.Index(shown, a.Indexes[n-1]-1)-room/2)
	}
	from = min(from, max(0, len(shown)-room))
	var lines []string
	for _, i := range shown[from:min(len(shown), from+room)] {
		mark := "  "
		if slices.Contains(a.Indexes, i+1) {
			mark = "> "
		}
		lines = append(lines, lineedit.Fit(mark+strconv.Itoa(i+1)+". "+normalizeNewlines(f.Options[i]), columns))
	}
	count := f.env.Localize("Options that match: %d of %d; type a part of the text to see fewer", matches,
		len(f.Options))
	return append(lines, lineedit.Fit(count, columns))
}

// choices returns the indexes of the options that the arrow keys pick from: those
// that contain a text, or all if the text is a number or no option contains it.
func (f form) choices(text string) (shown []int, matches int) {
	if _, isNumber := wholeNumber(text); !isNumber {
		if shown = f.matcher.containing(text); len(shown) > 0 {
			return shown, len(shown)
		}
	} else {
		matches = len(f.Options)
	}
	for i := range f.Options {
		shown = append(shown, i)
	}
	return shown, matches
}

// split divides a line of several picks into the complete ones and the last one,
// which the arrow keys change.
func (f form) split(text string) (head, tail string) {
	if !f.Multiple {
		return "", text
	}
	end := strings.LastIndexFunc(text, func(r rune) bool { return isComma(r) || r == ' ' || r == '\u3000' })
	if end < 0 {
		return "", text
	}
	if a, v := f.read(text[:end]); v != isAnswer || a.Source != question.FromOption {
		return "", text
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	end += size
	return text[:end], text[end:]
}

// step returns the line after an arrow key: the number of the next or previous
// option among the ones that match what was typed.
func (f form) step(typed, text string, by int) string {
	head, tail := f.split(typed)
	shown, _ := f.choices(tail)
	if taken, v := f.read(head); v == isAnswer {
		left := slices.DeleteFunc(slices.Clone(shown), func(i int) bool { return slices.Contains(taken.Indexes, i+1) })
		if len(left) > 0 {
			shown = left
		}
	}
	at := -1
	if a, v := f.one(strings.TrimPrefix(text, head)); v == isAnswer && len(a.Indexes) == 1 {
		at = slices.Index(shown, a.Indexes[0]-1)
	}
	switch {
	case at < 0 && by < 0:
		at = len(shown) - 1
	case at < 0:
		at = 0
	default:
		at = max(0, min(len(shown)-1, at+by))
	}
	return head + strconv.Itoa(shown[at]+1)
}

// normalizeNewlines replaces carriage returns, which would overwrite printed text.
func normalizeNewlines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
