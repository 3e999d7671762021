// Package patch has the tool apply_patch. It reads three forms of patches, places their hunks in the
// files, and changes these together.
package patch

import (
	"context"
	"errors"
	"strings"

	"techo/store/edit"
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
	More: "Takes a unified diff (git diff, diff -u), a text from *** Begin Patch to *** End Patch, or " +
		"SEARCH/REPLACE blocks, each after the path of its file: <<<<<<< SEARCH, the old lines, =======, the new " +
		"lines, >>>>>>> REPLACE (without old lines it creates the file). Edits, creates, removes and renames files, " +
		"and sets their executable bit. The old lines must fit one place, which may be another than the diff says; " +
		"as a last resort, dashes, quotes, spaces and blanks at line ends may differ (normalized). Line ends stay " +
		"the file's. Paths lose the prefixes a/ and b/ and, without --root, stay in the working folder. techo fs " +
		"undo undoes the whole patch.",
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
	Patch    string            `json:"patch" minLength:"1" doc:"The patch"`
	Encoding document.Encoding `json:"encoding,omitempty" doc:"Of new files and those not in UTF-8 (default: detected)"`
	Parents  bool              `json:"parents" default:"true" doc:"Create missing folders"`
	DryRun   bool              `json:"dry_run,omitempty" doc:"Show what would change without changing it"`
}

// Out is the result of apply_patch.
type Out struct {
	Files      []PatchedFile `json:"files"`
	Diff       string        `json:"diff"`
	DiffCut    bool          `json:"diff_truncated,omitempty"`
	Folders    []string      `json:"created_folders,omitempty"`
	Normalized []string      `json:"normalized,omitempty"` // what was ignored to place hunks
	DryRun     bool          `json:"dry_run,omitempty"`
	Undoable   bool          `json:"undoable"`
	Notes      []string      `json:"notes,omitempty"`
	Message    string        `json:"message"`
}

// PatchedFile is the result for one file of a patch.
type PatchedFile struct {
	Path         string `json:"path"`
	Action       string `json:"action"`         // "edited", "created", "removed" or "renamed"
	From         string `json:"from,omitempty"` // the former path of a renamed file
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
	lines = append(lines, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

func applyPatch(ctx context.Context, env *tools.Env, in In) (out Out, err error) {
	confined, done, err := confinePatch(env)
	if err != nil {
		return out, err
	}
	defer done()
	r, err := readPatch(env, in.Patch, false)
	if e := outside(env, confined, r.paths); e != nil {
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
	other, fault := readPatch(env, in.Patch, true)
	if fault != nil || outside(env, confined, other.paths) != nil {
		return out, err
	}
	if again, fault := applyRead(ctx, confined, in, other); fault == nil {
		return again, nil
	}
	return out, err
}

// applyRead makes the changes of a patch.
func applyRead(ctx context.Context, env *tools.Env, in In, r *patchReader) (out Out, err error) {
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	all, targets := planPatch(r.files, in.Encoding)
	defer change.CloseAll(targets)
	if err := makeFolders(&made, env, all, in); err != nil {
		return out, err
	}
	if err := change.OpenAll(ctx, env, targets, !in.DryRun); err != nil {
		return out, err
	}
	if err := preparePatch(env, all); err != nil {
		return out, err
	}
	out = Out{Files: []PatchedFile{}, Folders: made.Shown(env), DryRun: in.DryRun,
		Notes: r.notes}
	for _, p := range all {
		out.Files = append(out.Files, p.result())
	}
	loose := document.Relaxation(0)
	for _, w := range targets {
		loose |= w.Loose
		out.Notes = append(out.Notes, w.Notes...)
	}
	out.Normalized = loose.Names()
	out.Diff, out.DiffCut = change.Diffs(targets)
	files := env.Count(len(all), "%d file", "%d files")
	if in.DryRun {
		out.Message = env.Localize("Dry run: the patch would change %s", files)
		return out, nil
	}
	out.Message = env.Localize("Successfully applied the patch to %s", files)
	kept, err := change.Commit(ctx, env, edit.Edit{Tool: patchName, Folders: made}, targets)
	kept.Report(&out.Undoable, &out.Notes, &out.Message)
	return out, err
}

// makeFolders creates the missing folders of the files that a patch creates.
func makeFolders(made *change.Folders, env *tools.Env, all []*patchedFile, in In) error {
	for _, p := range all {
		if p.new == nil || p.new == p.old {
			continue
		}
		if err := made.MakeFor(env, p.to, in.DryRun || !in.Parents); err != nil {
			return err
		}
		if len(*made) > 0 && !in.Parents {
			*made = nil
			return change.MissingFolder(env, p.to)
		}
	}
	return nil
}

// filePatch is the part of a patch about one file.
type filePatch struct {
	from, to string // "" for a file that is created or removed
	mode     change.Execution
	hunks    []hunk
	ordered  bool // each hunk is for the text that the ones before left
	line     int  // of the patch, where the part begins
}
