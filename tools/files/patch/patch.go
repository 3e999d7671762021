// Package patch has the tool apply_patch. It reads three forms of patches, places their hunks in the
// files, and changes these together.
package patch

import (
	"context"
	"errors"
	"strings"

	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
)

const patchName = "apply_patch"

// Apply is the tool apply_patch: it changes several files at once.
var Apply = &tools.Tool{
	Name:    patchName,
	For:     tools.Agents,
	Command: "fs patch",
	About:   "Apply a patch to files, all of it or nothing",
	More: "Takes a unified diff, a text from *** Begin Patch to *** End Patch, or SEARCH/REPLACE " +
		"blocks, each after the path of its file. Edits, creates, removes and renames files.",
	Details: "A unified diff is as of git diff or diff -u. A block is <<<<<<< SEARCH, the old lines, " +
		"=======, the new lines, >>>>>>> REPLACE (without old lines it creates the file). A " +
		"patch also sets the executable bit of files. The old lines must fit one place, which " +
		"may be another than the diff says; as a last resort, dashes, quotes, spaces and blanks " +
		"at line ends may differ (normalized). Line ends stay the file's. Paths lose the " +
		"prefixes a/ and b/ and, unless roots are set, stay in the working folder.",
	Notes: []tools.Note{
		{Text: "%s undoes the whole patch.", Names: []string{"fs undo"}},
	},
	Effect:    tools.Changes,
	Forbidden: forbiddenPatch,
	Words:     []string{"patch"},
	Examples: []tools.Example{
		{Does: "Apply the patch from standard input", Line: `fs patch - < change.diff`},
		{Does: "Preview a patch", Line: `fs patch --dry-run $'*** Begin Patch\n*** Add File: new.txt\n+Hello\n` +
			`*** End Patch'`},
	},
	Run: tools.Func[In, Out](applyPatch),
}

// In is the input of apply_patch.
type In struct {
	Patch    string            `json:"patch" minLength:"1" doc:"The patch" list:"bare"`
	Encoding document.Encoding `json:"encoding,omitempty" doc:"Of new files and those not in UTF-8 (default: detected)" list:"-"`
	Parents  bool              `json:"parents" default:"true" doc:"Create missing folders" list:"bare"`
	DryRun   bool              `json:"dry_run,omitempty" doc:"Show what would change without changing it" list:"bare"`
}

// Out is the result of apply_patch.
type Out struct {
	Files      []PatchedFile `json:"files"`
	Diff       string        `json:"diff"`
	DiffCut    bool          `json:"diff_truncated,omitempty"`
	Folders    []string      `json:"created_folders,omitempty"`
	Removed    []string      `json:"removed_folders,omitempty"` // that became empty, as git does
	Normalized []string      `json:"normalized,omitempty"`      // what was ignored to place hunks
	DryRun     bool          `json:"dry_run,omitempty"`
	Undoable   bool          `json:"undoable"`
	Notes      []string      `json:"notes,omitempty"`
	Message    string        `json:"message"`
}

// PatchedFile is the result for one file of a patch.
type PatchedFile struct {
	Path         string `json:"path"`
	Action       string `json:"action"`         // "edited", "created", "removed", "renamed" or "copied"
	From         string `json:"from,omitempty"` // the former path of a renamed file, or the one that was copied
	Replacements int    `json:"replacements"`   // hunks
	Hash         string `json:"hash"`           // of the new content, "" for a removed file
	Mode         string `json:"mode,omitempty"` // 100755 or 100644, if the patch sets it
}

// Text returns the message, the files, the notes and, in a dry run, the diff.
func (o Out) Text(*tools.Env) string {
	lines := append([]string{o.Message}, change.FolderLines(o.Folders)...)
	for _, f := range o.Files {
		lines = append(lines, f.Action+" "+f.Path)
	}
	for _, folder := range o.Removed {
		lines = append(lines, "removed "+folder+"/")
	}
	lines = append(lines, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

func applyPatch(ctx context.Context, env *tools.Env, in In) (out Out, err error) {
	text := in.text(env)
	confined, done, err := confinePatch(env)
	if err != nil {
		return out, err
	}
	defer done()
	r, err := readPatch(env, text, false)
	if e := r.outside(confined); e != nil {
		return out, e
	}
	if err != nil {
		return out, err
	}
	out, err = applyRead(ctx, confined, in, r)
	if e := new(tools.Error); !r.doubtful || !errors.As(err, &e) || e.Code != tools.NotFound {
		return out, err
	}
	// no such lines are in the file, so they are headers
	other, fault := readPatch(env, text, true)
	if fault != nil || other.outside(confined) != nil {
		return out, err
	}
	if again, fault := applyRead(ctx, confined, in, other); fault == nil {
		return again, nil
	}
	return out, err
}

func applyRead(ctx context.Context, env *tools.Env, in In, r *patchReader) (out Out, err error) {
	t, err := newTree(ctx, env, r.files, in.Encoding)
	if err != nil {
		return out, err
	}
	targets := t.targets()
	defer change.CloseAll(targets)
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	if err := t.makeFolders(&made, in); err != nil {
		return out, err
	}
	if err := change.OpenAll(ctx, env, targets, !in.DryRun); err != nil {
		return out, err
	}
	if err := t.apply(); err != nil {
		return out, err
	}
	out = Out{Files: t.results(), Folders: made.Shown(env), DryRun: in.DryRun, Notes: r.notes}
	loose := document.Relaxation(0)
	for _, w := range targets {
		loose |= w.Loose
		out.Notes = append(out.Notes, w.Notes...)
	}
	out.Normalized = loose.Names()
	out.Diff, out.DiffCut = change.Diffs(targets)
	changed := t.changed()
	files := env.Count(len(out.Files), "%d file", "%d files")
	switch {
	case len(changed) == 0:
		out.Message = env.Localize("Nothing to change: the files are as the patch wants them")
		return out, nil
	case in.DryRun:
		out.Message = env.Localize("Dry run: the patch would change %s", files)
		return out, nil
	}
	out.Message = env.Localize("Successfully applied the patch to %s", files)
	kept, err := change.Commit(ctx, env, editstore.Edit{Tool: patchName, Folders: made}, changed)
	kept.Report(&out.Undoable, &out.Notes, &out.Message)
	if err == nil {
		change.CloseAll(targets) // Windows does not remove an open folder
		out.Removed = change.RemoveEmptied(env, changed).Shown(env)
	}
	return out, err
}

// makeFolders creates the missing folders of the files that a patch creates. Those in the place of a file that
// goes are made when it has gone.
func (t *tree) makeFolders(made *change.Folders, in In) error {
	for _, a := range t.done {
		if a.to == nil || a.to == a.from {
			continue
		}
		if a.to.IsBlocked() {
			made.AddMissing(a.to.Place)
			continue
		}
		if err := made.MakeForPlace(t.env, a.to.Place, in.DryRun || !in.Parents); err != nil {
			return err
		}
		if len(*made) > 0 && !in.Parents {
			*made = nil
			return change.MissingFolder(t.env, a.to.Shown)
		}
	}
	return nil
}

// text returns the patch. One that was piped may be in the encoding of the files that it changes.
func (in In) text(env *tools.Env) patchText {
	raw := env.Host.Stdin
	if in.Patch != "-" || raw == nil {
		return patchText{text: in.Patch}
	}
	return decodePatch(raw, in.Encoding.Charset())
}

// Stdin names the field that may be read from stdin as bytes.
func (In) Stdin() string { return "patch" }

// Flags returns none.
func (In) Flags() []tools.FlagAlias { return nil }

// Join never combines values.
func (In) Join(string, []string) (string, bool) { return "", false }
