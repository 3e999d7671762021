// Package edit has the tools that change files one by one: edit_file, insert_text, write_file,
// move_file, remove_file and undo_edit.
package edit

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"

	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

// Edit is the tool edit_file: it replaces strings in files.
var Edit = &tools.Tool{
	Name:    "edit_file",
	For:     tools.Agents,
	Command: "fs edit",
	About:   "Edit a file by replacing a specific string with a new string",
	More: "old_string must match exactly and only once; otherwise the error shows the nearest text " +
		"or all matches.",
	Details: "Use this for targeted edits instead of rewriting the entire file. LF and CRLF match " +
		"each other, and the file keeps its line ends; every other byte stays the same. If " +
		"nothing matches exactly, NFC and NFD match each other; normalize also ignores the kind " +
		"of quotes, dashes and spaces, and blanks at line ends, and ignore_whitespace runs of " +
		"blanks, where exactly one place fits. Several edits are made in order, each on the " +
		"result of the one before, all or none.",
	Notes: []tools.Note{
		{Text: "%s undoes the last change.", Names: []string{"fs undo"}},
	},
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path", "old_string", "new_string"},
	Examples: []tools.Example{
		{Does: "Replace a text that occurs once", Line: `fs edit notes.txt Hello "Hello, World"`},
		{Does: "Preview the change",
			Line: `fs edit notes.txt --old-string o --new-string 0 --replace-all --dry-run`},
		{Does: "Edit two files, both or neither",
			Line: `fs edit --batch '[{"path":"notes.txt","old_string":"World","new_string":"Techo"},` +
				`{"path":"list.txt","old_string":"milk","new_string":"tea"}]'`},
	},
	Run: tools.Func[EditIn, EditOut](editFile),
}

// EditIn is the input of edit_file.
type EditIn struct {
	Path      string  `json:"path" requiredUnless:"batch" doc:"The path to the file to edit" list:"bare"`
	OldString *string `json:"old_string" requiredUnless:"edits,batch" doc:"The exact string to find and replace" list:"bare"`
	NewString *string `json:"new_string" requiredUnless:"edits,batch" doc:"The string to replace old_string with" list:"bare"`
	EditOptions
	DryRun bool     `json:"dry_run,omitempty" doc:"Show what would change without changing it" list:"bare"`
	Batch  []Edited `json:"batch,omitempty" doc:"Edits of several files, all or none" list:"-"`
}

// Edited is one file of a batch.
type Edited struct {
	Path      string  `json:"path" minLength:"1" doc:"The path to the file to edit" list:"bare"`
	OldString *string `json:"old_string" requiredUnless:"edits" doc:"The exact string to find and replace" list:"bare"`
	NewString *string `json:"new_string" requiredUnless:"edits" doc:"The string to replace old_string with" list:"bare"`
	EditOptions
}

// EditOptions are the optional fields of the edits of one file.
type EditOptions struct {
	ReplaceAll       bool          `json:"replace_all,omitempty" doc:"Replace every occurrence" list:"bare"`
	Edits            []Replacement `json:"edits,omitempty" doc:"Several edits, made in order" list:"bare"`
	ExpectedCount    *int          `json:"expected_count" minimum:"1" doc:"Required matches; all are replaced"`
	ExpectedHash     string        `json:"expected_hash,omitempty" doc:"Fail if the file no longer has this hash"`
	Normalize        bool          `json:"normalize,omitempty" doc:"Match quotes, dashes, spaces and line ends loosely"`
	IgnoreWhitespace bool          `json:"ignore_whitespace,omitempty" doc:"Let runs of blanks match each other"`

	Encoding document.Encoding `json:"encoding,omitempty" doc:"The file's encoding (default: detected)" list:"-"`
}

// Replacement is one edit of a file.
type Replacement struct {
	OldString  string `json:"old_string" minLength:"1" doc:"The exact string to find and replace" list:"bare"`
	NewString  string `json:"new_string" doc:"The string to replace old_string with" list:"bare"`
	ReplaceAll bool   `json:"replace_all,omitempty" doc:"Replace every occurrence" list:"bare"`
}

// EditOut is the result of edit_file.
type EditOut struct {
	Path         string     `json:"path"` // "" for a batch
	Replacements int        `json:"replacements"`
	Diff         string     `json:"diff"`
	DiffCut      bool       `json:"diff_truncated,omitempty"`
	Hash         string     `json:"hash"` // of the new content; "" for a batch
	DryRun       bool       `json:"dry_run,omitempty"`
	Undoable     bool       `json:"undoable"`
	Files        []FileDone `json:"files,omitempty"`      // of a batch
	Normalized   []string   `json:"normalized,omitempty"` // what matching ignored
	Notes        []string   `json:"notes,omitempty"`
	Message      string     `json:"message"`
}

// FileDone is the result for one file of a batch.
type FileDone struct {
	Path         string `json:"path"`
	Replacements int    `json:"replacements"`
	Hash         string `json:"hash"`
}

// Text returns the sentence of the specification, the notes and, in a dry run, the
// diff.
func (o EditOut) Text(*tools.Env) string {
	lines := append([]string{o.Message}, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

type fileEdits struct {
	file *change.Target
	Edited
}

func newFileEdits(e Edited, at string) fileEdits {
	return fileEdits{&change.Target{Given: e.Path, Encoding: e.Encoding, ExpectedHash: e.ExpectedHash, At: at}, e}
}

func editFile(ctx context.Context, env *tools.Env, in EditIn) (out EditOut, err error) {
	edits, err := in.edits(env)
	if err != nil {
		return out, in.forbidden(env, err)
	}
	var all []*change.Target
	for _, e := range edits {
		all = append(all, e.file)
	}
	defer change.CloseAll(all)
	if err := change.OpenAll(ctx, env, all, !in.DryRun); err != nil {
		return out, err
	}
	if err := prepareAll(env, edits); err != nil {
		return out, err
	}
	out = edited(env, in, all)
	if in.DryRun {
		return out, nil
	}
	kept, err := change.Commit(ctx, env, editstore.Edit{Tool: "edit_file"}, all)
	kept.Report(&out.Undoable, &out.Notes, &out.Message)
	return out, err
}

// edits lists the files of an input with their edits. It refuses combinations
// that the schema cannot exclude.
func (in EditIn) edits(env *tools.Env) (all []fileEdits, err error) {
	var problems []tools.Detail
	fault := func(at string, message tools.Text) {
		problems = append(problems, tools.Detail{Path: at, Message: env.Localize(message)})
	}
	given := func(s *string) bool { return s != nil && *s != "" }
	// A client that validates strictly sends the required fields beside a batch as
	// well: they are one more edit, or nothing.
	top := Edited{in.Path, in.OldString, in.NewString, in.EditOptions}
	whole := given(in.OldString) || len(in.Edits) > 0
	switch {
	case len(in.Batch) == 0 || whole && !slices.ContainsFunc(in.Batch, func(e Edited) bool {
		return sameEdit(top,
			e)
	}):
		all = []fileEdits{newFileEdits(top, "")}
		if in.Path == "" {
			fault("/path", "must not be empty")
		}
	case !whole && (given(in.NewString) || in.ReplaceAll || in.ExpectedHash != "" || in.ExpectedCount != nil ||
		in.IgnoreWhitespace || in.Normalize || in.Encoding != ""):
		fault("/batch", "cannot be combined with strings or options outside of it that belong to no edit")
	}
	for i, f := range in.Batch {
		all = append(all, newFileEdits(f, fmt.Sprintf("/batch/%d", i)))
	}
	for _, w := range all {
		switch {
		case len(w.Edits) == 0 && w.OldString != nil && *w.OldString == "":
			fault(w.file.At+"/old_string", "must not be empty; use write_file to create a file")
		case given(w.OldString) && w.NewString == nil:
			fault(w.file.At+"/new_string", "is required")
		case w.IgnoreWhitespace &&
			(w.ReplaceAll || slices.ContainsFunc(w.Edits, func(e Replacement) bool { return e.ReplaceAll })):
			fault(w.file.At+"/ignore_whitespace", "cannot be combined with replace_all")
		}
	}
	if len(problems) > 0 {
		return nil, tools.InvalidError(env, problems)
	}
	return all, nil
}

// sameEdit reports whether two edits replace the same strings in the same file.
func sameEdit(e, other Edited) bool {
	equal := func(a, b *string) bool { return a != nil && b != nil && *a == *b }
	return e.Path == other.Path && equal(e.OldString, other.OldString) && equal(e.NewString, other.NewString)
}

// forbidden returns the error of a path outside of the roots, or else err.
// Confinement must not depend on the rest of the input.
func (in EditIn) forbidden(env *tools.Env, err error) error {
	for _, f := range append(in.Batch, Edited{Path: in.Path}) {
		if _, e := paths.Locate(env, f.Path); f.Path != "" && e != nil {
			return e
		}
	}
	return err
}

// replacements returns all edits of a file, and their places in the input as JSON
// pointers.
func (w fileEdits) replacements() (all []Replacement, at []string) {
	if w.OldString != nil && *w.OldString != "" {
		// An expected count above one implies all occurrences.
		every := w.ReplaceAll || w.ExpectedCount != nil && *w.ExpectedCount > 1 && len(w.Edits) == 0
		all, at = append(all, Replacement{*w.OldString, *w.NewString, every}), append(at, w.file.At)
	}
	for i, e := range w.Edits {
		all, at = append(all, e), append(at, fmt.Sprintf("%s/edits/%d", w.file.At, i))
	}
	return all, at
}

// prepareAll computes the new contents of all files. It reports the problems of
// all files at once.
func prepareAll(env *tools.Env, all []fileEdits) error {
	var problems []*tools.Error
	for _, w := range all {
		err := w.prepare(env)
		e := new(tools.Error)
		switch {
		case err == nil:
			continue
		case !errors.As(err, &e):
			return err
		case len(all) > 1 && len(e.Details) == 0:
			e.Details = []tools.Detail{{Path: w.file.At, Message: e.Message, Hint: e.Hint}}
		}
		problems = append(problems, e)
	}
	return change.Join(problems)
}

// edited builds the result of edits that were made, or of a dry run.
func edited(env *tools.Env, in EditIn, all []*change.Target) EditOut {
	out := EditOut{DryRun: in.DryRun}
	var paths []string
	for _, w := range all {
		done := FileDone{w.Given, w.Count, w.Hash()}
		paths = append(paths, w.Given)
		out.Replacements += w.Count
		out.Notes = append(out.Notes, w.Notes...)
		for _, name := range w.Loose.Names() {
			if !slices.Contains(out.Normalized, name) {
				out.Normalized = append(out.Normalized, name)
			}
		}
		if len(in.Batch) > 0 {
			out.Files = append(out.Files, done)
		} else {
			out.Path, out.Hash = done.Path, done.Hash
		}
	}
	out.Diff, out.DiffCut = change.Diffs(all)
	out.Message = env.Localize("Successfully edited %s", strings.Join(paths, ", "))
	if in.DryRun {
		out.Message = env.Localize("Dry run: %s would be edited", strings.Join(paths, ", "))
	}
	return out
}

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
	for _, other := range []struct {
		text string
		how  tools.Text
	}{
		{html.UnescapeString(old), "The file has it with characters where old_string has HTML entities such as &lt;: write " +
			"the characters"},
		{strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(old), "The file has it with line " +
			"ends, tabs or quotes where old_string has a backslash and a letter: write the characters themselves"},
	} {
		if found := d.Find(other.text, false); other.text != old && len(found) > 0 {
			e.Details = []tools.Detail{{Path: at, Message: env.Localize("would be found in line %d, written so", found[0].Line)}}
			return e.WithHint(env.Hint(other.how))
		}
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
