package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
)

// prepare computes the new content of a file. It reports all problems of its
// edits.
func (w fileEdits) prepare(env *tools.Env) error {
	if err := w.file.Load(env); err != nil {
		return err
	}
	c, err := w.file.Charset(env)
	if err != nil {
		return err
	}
	w.file.After = w.file.Before
	var problems []*tools.Error
	replacements, at := w.replacements()
	for i, x := range replacements {
		d := document.New(w.file.After, c)
		found, ignoringBlanks, e := w.locateMatches(env, d, x, at[i])
		if e != nil {
			problems = append(problems, e)
			continue
		}
		s, e := w.splices(env, d, found, x, ignoringBlanks, at[i])
		if e != nil {
			problems = append(problems, e)
			continue
		}
		if e = w.file.MayEdit(env, c, w.file.After, s); e == nil && !w.sameInAll(d, x, found) {
			e = w.file.GuessedOnly(env, c)
		}
		if e != nil {
			problems = append(problems, e)
			continue
		}
		w.file.Count += len(found)
		var back document.Step
		w.file.After, back = s.Apply(w.file.After)
		w.file.Undo = append([]document.Step{back}, w.file.Undo...)
	}
	if len(problems) == 0 && w.ExpectedCount != nil && w.file.Count != *w.ExpectedCount {
		e := wrongCount(env, w.file.Count, *w.ExpectedCount, w.file.At)
		if d := document.New(w.file.Before, c); len(replacements) == 1 && w.file.Count > 0 {
			e = ambiguous(env, d, d.Find(replacements[0].OldString, true), w.file.At, e)
		}
		problems = append(problems, e)
	}
	if len(problems) == 0 && string(w.file.After) == string(w.file.Before) {
		e := tools.InvalidField(env, w.file.At+"/new_string", "is the same as old_string: nothing to change")
		problems = append(problems, e)
	}
	if len(problems) > 0 {
		return change.Join(problems)
	}
	w.file.Compare(c.Decode(w.file.Before).String, c.Decode(w.file.After).String)
	return nil
}

// locateMatches finds the occurrences to replace. It refuses an ambiguous or
// missing string.
func (w fileEdits) locateMatches(env *tools.Env, d *document.Document, x Replacement, at string) (
	found []document.Match, ignoringBlanks bool, e *tools.Error) {
	found, ignored, ignoringBlanks := w.occurrences(d, x)
	switch {
	case len(found) == 0:
		return nil, false, w.notFound(env, d, x, at)
	case len(found) > 1 && !x.ReplaceAll:
		if w.ExpectedCount != nil && len(w.Edits) == 0 {
			return nil, false, ambiguous(env, d, found, at, wrongCount(env, len(found), *w.ExpectedCount, at))
		}
		return nil, false, ambiguous(env, d, found, at,
			env.Fail(tools.Conflict,
				"Found %d occurrences of the string. Please provide a more specific string to ensure unique match.",
				len(found)))
	}
	switch {
	case ignoringBlanks:
		w.file.Note(env, "%s, line %d: matched with different blanks", w.file.Shown, found[0].Line)
	case ignored != 0:
		w.file.NoteRelaxed(env, found[0].Line, ignored)
	}
	return found, ignoringBlanks, nil
}

// occurrences finds a string exactly, or else the one place that matches without the
// differences that the edit may ignore, or else ignoring blanks.
func (w fileEdits) occurrences(d *document.Document, x Replacement) (found []document.Match,
	ignored document.Relaxation, ignoringBlanks bool) {
	if found = d.Find(x.OldString, x.ReplaceAll); len(found) > 0 {
		return found, 0, false
	}
	allowed := document.RelaxForm
	if w.Normalize {
		allowed = document.RelaxAll
	}
	if found = d.FindRelaxed(x.OldString, allowed); len(found) == 1 {
		return found, document.Needed(x.OldString, d.Text.String[found[0].Start:found[0].End]), false
	}
	if !w.IgnoreWhitespace {
		return nil, 0, false
	}
	return d.FindIgnoringBlanks(x.OldString), 0, true
}

// sameInAll reports whether a string is found at the same places in every encoding
// that the file may be in. Where an ASCII byte is half of a character in one of them,
// the string can be unique in that one and not in another.
func (w fileEdits) sameInAll(d *document.Document, x Replacement, found []document.Match) bool {
	if !w.file.Guessed {
		return true
	}
	for _, c := range charset.Possible(d.Raw) {
		other := document.New(d.Raw, c)
		there, _, _ := w.occurrences(other, x)
		same := func(a, b document.Match) bool {
			return d.InFile(a.Start) == other.InFile(b.Start) && d.InFile(a.End) == other.InFile(b.End)
		}
		if !slices.EqualFunc(found, there, same) {
			return false
		}
	}
	return true
}

// splices returns the step that replaces the matches with the new text.
func (w fileEdits) splices(env *tools.Env, d *document.Document, found []document.Match, x Replacement,
	ignoringBlanks bool, at string) (s document.Step, e *tools.Error) {
	for _, m := range found {
		text := x.NewString
		if ignoringBlanks {
			text = d.Reindent(m, x.OldString, text)
		}
		with, e := w.file.Encode(env, d.Text.Charset, d.Replacement(m, x.OldString, text), at+"/new_string")
		if e != nil {
			return nil, e.WithHint(cmp.Or(e.Hint, env.Hint("Leave it out, or rewrite the whole file with %s and the encoding utf-8",
				tools.Use("fs write"))))
		}
		s = append(s, d.Splice(m.Start, m.End, with))
	}
	return s, nil
}

// wrongCount returns the error for an unexpected number of occurrences.
func wrongCount(env *tools.Env, n, expected int, at string) *tools.Error {
	e := env.Fail(tools.Conflict, "Found %d occurrences of the string, expected %d", n, expected)
	e.Details = []tools.Detail{{Path: at + "/expected_count", Message: env.Localize("there are %d", n)}}
	return e
}

// ambiguous adds the occurrences, with the lines around them, to an error.
func ambiguous(env *tools.Env, d *document.Document, found []document.Match, at string, e *tools.Error) *tools.Error {
	var numbers []string
	lines := strings.Split(strings.TrimSuffix(d.Text.String, "\n"), "\n")
	found = slices.CompactFunc(slices.Clone(found), func(a, b document.Match) bool { return a.Line == b.Line })
	for i, m := range found {
		if i == document.MaxListed {
			more := env.Count(len(found)-i, "%d more line", "%d more lines")
			e.Details = append(e.Details,
				tools.Detail{Path: at + "/old_string", Message: env.Localize("and in %s", more)})
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, fmt.Sprint(m.Line))
		around := max(m.Line-1, 1)
		e.Details = append(e.Details, tools.Detail{
			Path: at + "/old_string",
			Message: env.Localize("line %d:\n%s", m.Line,
				document.WithLineNumbers(lines[around-1:min(m.Line+1, len(lines))], around)),
		})
	}
	return e.WithHint(env.Hint("It occurs in lines %s: include more of the surrounding lines, or replace all "+
		"with %s. The same old_string will fail again",
		strings.Join(numbers, ", "), tools.Field("replace_all")))
}
