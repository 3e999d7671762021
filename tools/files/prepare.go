package files

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"techo/internal/charset"
	"techo/tools"
)

// prepare computes the new content of a file. It reports all problems of its
// edits.
func (w fileEdits) prepare(env *tools.Env) error {
	if err := w.load(env); err != nil {
		return err
	}
	c, err := w.charset(env)
	if err != nil {
		return err
	}
	w.after = w.before
	var problems []*tools.Error
	replacements, at := w.replacements()
	for i, x := range replacements {
		d := newDocument(w.after, c)
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
		if e = w.mayEdit(env, c, w.after, s); e == nil && !w.sameInAll(d, x, found) {
			e = w.guessedOnly(env, c)
		}
		if e != nil {
			problems = append(problems, e)
			continue
		}
		w.n += len(found)
		var back step
		w.after, back = s.apply(w.after)
		w.undo = append([]step{back}, w.undo...)
	}
	if len(problems) == 0 && w.ExpectedCount != nil && w.n != *w.ExpectedCount {
		e := wrongCount(env, w.n, *w.ExpectedCount, w.at)
		if d := newDocument(w.before, c); len(replacements) == 1 && w.n > 0 {
			e = ambiguous(env, d, d.find(replacements[0].OldString, true), w.at, e)
		}
		problems = append(problems, e)
	}
	if len(problems) == 0 && string(w.after) == string(w.before) {
		e := tools.InvalidField(env, w.at+"/new_string", "is the same as old_string: nothing to change")
		problems = append(problems, e)
	}
	if len(problems) > 0 {
		for _, e := range problems[1:] {
			problems[0].Details = append(problems[0].Details, e.Details...)
		}
		return problems[0]
	}
	w.compare(c.Decode(w.before).String, c.Decode(w.after).String)
	return nil
}

// locateMatches finds the occurrences to replace. It refuses an ambiguous or
// missing string.
func (w fileEdits) locateMatches(env *tools.Env, d *document, x Replacement, at string) (found []match,
	ignoringBlanks bool,
	e *tools.Error) {
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
		w.notes = append(w.notes, env.Localize("%s, line %d: matched with different blanks", w.shown, found[0].line))
	case ignored != 0:
		w.loose |= ignored
		w.notes = append(w.notes, env.Localize("%s, line %d: matched apart from %s", w.shown, found[0].line,
			strings.Join(ignored.names(), ", ")))
	}
	return found, ignoringBlanks, nil
}

// occurrences finds a string exactly, or else the one place that matches without the
// differences that the edit may ignore, or else ignoring blanks.
func (w fileEdits) occurrences(d *document, x Replacement) (found []match, ignored relaxation, ignoringBlanks bool) {
	if found = d.find(x.OldString, x.ReplaceAll); len(found) > 0 {
		return found, 0, false
	}
	allowed := relaxForm
	if w.Normalize {
		allowed = relaxAll
	}
	if found = d.findRelaxed(x.OldString, allowed); len(found) == 1 {
		return found, needed(x.OldString, d.text.String[found[0].start:found[0].end]), false
	}
	if !w.IgnoreWhitespace {
		return nil, 0, false
	}
	return d.findIgnoringBlanks(x.OldString), 0, true
}

// sameInAll reports whether a string is found at the same places in every encoding
// that the file may be in. Where an ASCII byte is half of a character in one of them,
// the string can be unique in that one and not in another.
func (w fileEdits) sameInAll(d *document, x Replacement, found []match) bool {
	if !w.guessed {
		return true
	}
	for _, c := range charset.Possible(d.raw) {
		other := newDocument(d.raw, c)
		there, _, _ := w.occurrences(other, x)
		same := func(a, b match) bool {
			return d.inFile(a.start) == other.inFile(b.start) && d.inFile(a.end) == other.inFile(b.end)
		}
		if !slices.EqualFunc(found, there, same) {
			return false
		}
	}
	return true
}

// splices returns the step that replaces the matches with the new text.
func (w fileEdits) splices(env *tools.Env, d *document, found []match, x Replacement, ignoringBlanks bool, at string) (s step,
	e *tools.Error) {
	for _, m := range found {
		text := x.NewString
		if ignoringBlanks {
			text = d.reindent(m, x.OldString, text)
		}
		with, e := w.encode(env, d.text.Charset, d.replacement(m, x.OldString, text), at+"/new_string")
		if e != nil {
			return nil, e.WithHint(cmp.Or(e.Hint, env.Hint("Leave it out, or rewrite the whole file with techo fs "+
				"write and the encoding utf-8")))
		}
		s = append(s, d.splice(m.start, m.end, with))
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
func ambiguous(env *tools.Env, d *document, found []match, at string, e *tools.Error) *tools.Error {
	var numbers []string
	lines := strings.Split(strings.TrimSuffix(d.text.String, "\n"), "\n")
	found = slices.CompactFunc(slices.Clone(found), func(a, b match) bool { return a.line == b.line })
	for i, m := range found {
		if i == maxListed {
			more := env.Count(len(found)-i, "%d more line", "%d more lines")
			e.Details = append(e.Details,
				tools.Detail{Path: at + "/old_string", Message: env.Localize("and in %s", more)})
			numbers = append(numbers, "…")
			break
		}
		numbers = append(numbers, fmt.Sprint(m.line))
		around := max(m.line-1, 1)
		e.Details = append(e.Details, tools.Detail{
			Path: at + "/old_string",
			Message: env.Localize("line %d:\n%s", m.line,
				withLineNumbers(lines[around-1:min(m.line+1, len(lines))], around)),
		})
	}
	return e.WithHint(env.Hint("It occurs in lines %s: include more of the surrounding lines, or replace all "+
		"with --replace-all. The same old_string will fail again", strings.Join(numbers, ", ")))
}
