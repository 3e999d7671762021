package edit

import (
	"strings"

	"techo/tools"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// notFound returns the error for a string that is not in the file, with the most
// similar lines and the first difference.
func (w fileEdits) notFound(env *tools.Env, d *document.Document, x Replacement, at string) *tools.Error {
	e := w.notFoundError(env, d, x.OldString, at+"/old_string")
	if way := looserWay(d, x.OldString); way.Text != "" && !hasLineNumbers(x.OldString) {
		e.Hint = way.In(env)
	}
	if len(x.NewString) < minInserted || strings.Contains(x.OldString, x.NewString) {
		return e
	}
	if there := d.Find(x.NewString, false); len(there) > 0 {
		e.Details = append(e.Details,
			tools.Detail{Path: at + "/new_string",
				Message: env.Localize("is already in line %d: the edit may have been made before", there[0].Line)})
	}
	return e
}

// looserWay returns the hint to use the option with which a string would match in one
// place, or "".
func looserWay(d *document.Document, old string) tools.Advice {
	switch n := len(d.FindRelaxed(old, document.RelaxAll)); {
	case n == 1:
		return tools.Advise("It would match in one place with %s; or copy the text from %s",
			tools.Field("normalize"), tools.Use("fs read"))
	case n > 1:
		return tools.Advise("It matches more than one place loosely: include more of the surrounding lines, with %s; or "+
			"copy the text from %s", tools.Field("normalize"), tools.Use("fs read"))
	case len(d.FindIgnoringBlanks(old)) == 1:
		return tools.Advise("It would match in one place with %s; or copy the text from %s",
			tools.Field("ignore_whitespace"), tools.Use("fs read"))
	}
	return tools.Advice{}
}

// minInserted is the length of new_string, in bytes, from which its presence
// suggests that the edit was made before.
const minInserted = 4

func (w fileEdits) notFoundError(env *tools.Env, d *document.Document, old, at string) *tools.Error {
	e := env.Fail(tools.NotFound, "Could not find the string to replace in %s", w.file.Shown)
	if hasLineNumbers(old) {
		e.Details = []tools.Detail{{Path: at,
			Message: env.Localize("its lines begin with line numbers, which are not in the file")}}
		return e.WithHint(env.Hint("Remove the line numbers and the tab after them"))
	}
	if near := document.Nearest(env, d, old, "old_string", at); near != nil {
		e.Details, e.Hint = near.Details, near.Hint
		return e
	}
	e.Details = []tools.Detail{{Path: at, Message: env.Localize("nothing in the file is similar")}}
	if !paths.Offers(env, "grep") {
		return e.WithHint(env.Hint("Copy it from %s. The same old_string will fail again", tools.Use("fs read")))
	}
	return e.WithHint(env.Hint("Find it with %s, then copy it from %s. The same old_string will fail again",
		tools.Use("grep"), tools.Use("fs read")))
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
