package edit

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store"
	editstore "techo/store/edit"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

const undoName = "undo_edit"

// Undo is the tool undo_edit: it undoes the last change.
var Undo = &tools.Tool{
	Name:    undoName,
	For:     tools.Agents,
	Command: "fs undo",
	About:   "Undo the last edit or write of a file",
	More:    "It undoes the last change made from this folder or, with a path, of that file.",
	Details: "It undoes a batch as a whole, and removes a file that the change created. It refuses if " +
		"a file changed since then. Repeat it to undo earlier changes.",
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: "Undo the last change", Line: `fs undo`},
		{Does: "Preview undoing the last change of a file", Line: `fs undo notes.txt --dry-run`},
	},
	Run: tools.Func[UndoIn, UndoOut](undoEdit),
}

// UndoIn is the input of undo_edit.
type UndoIn struct {
	Path   string `json:"path,omitempty" doc:"The file (default: the last change in this folder)"`
	DryRun bool   `json:"dry_run,omitempty" doc:"Show what would change without changing it" list:"bare"`
}

// UndoOut is the result of undo_edit.
type UndoOut struct {
	Files    []Undone `json:"files"`
	Tool     string   `json:"tool"`      // that made the change
	EditedAt string   `json:"edited_at"` // when the change was made
	Diff     string   `json:"diff"`
	DiffCut  bool     `json:"diff_truncated,omitempty"`
	Created  []string `json:"created_folders,omitempty"`
	Removed  []string `json:"removed_folders,omitempty"` // empty ones that the change had created
	DryRun   bool     `json:"dry_run,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Message  string   `json:"message"`
}

// Undone is the result for one file.
type Undone struct {
	Path  string `json:"path"`
	State string `json:"state"` // "restored", "removed", or "unchanged" if the file already has its old content
	Hash  string `json:"hash"`  // of the current content, "" if the file is missing
}

// Text returns the message, the notes and, in a dry run, the diff.
func (o UndoOut) Text(*tools.Env) string {
	lines := append([]string{o.Message}, change.FolderLines(o.Created)...)
	for _, folder := range o.Removed {
		lines = append(lines, "removed "+folder+"/")
	}
	lines = append(lines, o.Notes...)
	if o.DryRun {
		lines = append(lines, strings.TrimSuffix(o.Diff, "\n"))
	}
	return strings.Join(lines, "\n")
}

func undoEdit(ctx context.Context, env *tools.Env, in UndoIn) (out UndoOut, err error) {
	st, e, err := findEdit(ctx, env, in)
	if err != nil {
		return out, err
	}
	return revert(ctx, env, st, e, in.DryRun)
}

func revert(ctx context.Context, env *tools.Env, st *store.Store, e editstore.Edit, dryRun bool) (out UndoOut,
	err error) {
	if isMove(e) {
		return undoMove(ctx, env, st, e, dryRun)
	}
	var all []*change.Target
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	for _, f := range e.Files {
		w, err := recorded(env, e, f)
		if err != nil {
			return out, err
		}
		all = append(all, w)
		switch {
		case f.After != "" || f.Before == "":
		case w.IsBlocked():
			made.AddMissing(w.Place)
		default: // its folder may have been removed as well
			if err := made.MakeFor(env, f.Path, dryRun); err != nil {
				return out, err
			}
		}
	}
	defer change.CloseAll(all)
	if err := change.OpenAll(ctx, env, all, !dryRun); err != nil {
		return out, err
	}
	out = UndoOut{Files: []Undone{}, Tool: e.Tool, EditedAt: env.Time(e.Time), Created: made.Shown(env),
		DryRun: dryRun}
	var changes []*change.Change
	var reverted []*change.Target
	var shown []string
	for i, w := range all {
		w.Shown = paths.Relative(env, w.Given)
		done, err := planUndo(env, w, e.Files[i])
		if err != nil {
			return out, err
		}
		if done.State != "unchanged" {
			changes, reverted = append(changes, w.Change), append(reverted, w)
		}
		out.Files = append(out.Files, done)
		shown = append(shown, w.Shown)
	}
	if err := change.CheckKinds(env, reverted); err != nil {
		return out, err
	}
	out.Diff, out.DiffCut = change.Diffs(all)
	list := strings.Join(shown, ", ")
	if dryRun {
		out.Message = env.Localize("Dry run: the last change of %s would be undone", list)
		return out, nil
	}
	if err := applyUndo(ctx, env, st, e, made, changes); err != nil {
		return out, err
	}
	if len(changes) == 0 { // whoever reverted the change left the folders
		out.Message = env.Localize("The last change of %s was already reverted: nothing to undo", list)
		return out, nil
	}
	change.CloseAll(all) // Windows does not remove an open folder
	out.Removed = change.Folders(e.Folders).Remove(env).Shown(env)
	out.Notes = change.Notes(env, changes)
	out.Message = env.Localize("Undid the last change of %s", list)
	return out, nil
}

func recorded(env *tools.Env, e editstore.Edit, f editstore.File) (*change.Target, error) {
	w := &change.Target{Given: f.Path, ModeOnly: f.Before == f.After, Kinds: true,
		Itself: change.IsLinkVersion(f.Before) || change.IsLinkVersion(f.After)}
	for _, other := range e.Files { // a link that the change made in the place of a folder is not followed
		inside, below := strings.CutPrefix(f.Path, other.Path+"/")
		if !below || !change.IsLinkVersion(other.After) {
			continue
		}
		p, err := paths.LocateEntry(env, other.Path)
		p.Path, p.Shown = filepath.Join(p.Path, inside), f.Path
		w.Change = change.New(p)
		return w, err
	}
	return w, w.Locate(env)
}

// applyUndo makes the changes that undo an edit, and records them so that the
// history can undo them.
func applyUndo(ctx context.Context, env *tools.Env, st *store.Store, e editstore.Edit, made change.Folders,
	changes []*change.Change) error {
	var kept change.Record
	if len(changes) > 0 && e.Change != 0 { // otherwise the history does not record the edit
		for _, c := range changes {
			c.Replace(c.After)
		}
		kept = change.RecordEdit(ctx, env, undoing(e, made), changes)
	}
	return finishUndo(ctx, st, e, kept, change.Apply(env, changes))
}

// finishUndo ends the undoing of an edit: err is how it went, kept its own record.
func finishUndo(ctx context.Context, st *store.Store, e editstore.Edit, kept change.Record, err error) error {
	switch {
	case err != nil:
		kept.Forget(ctx, err)
		return err
	case kept.Store == nil:
		return st.RemoveFileEdit(ctx, e.ID)
	}
	return editstore.FinishUndo(ctx, st.Ledger, e, kept.Edit)
}

// undoing returns the edit that undoes another one, without its files.
func undoing(e editstore.Edit, made change.Folders) editstore.Edit {
	return editstore.Edit{Dir: e.Dir, Tool: undoName, Undoes: e.Change, Redo: e.Undoes != 0 && !e.Redo, Folders: made}
}

func findEdit(ctx context.Context, env *tools.Env, in UndoIn) (*store.Store, editstore.Edit, error) {
	here := paths.WorkingFolder(env)
	wanted := func(e editstore.Edit) bool { return e.Dir == here }
	if in.Path != "" {
		p, err := paths.Locate(env, in.Path)
		if err != nil {
			return nil, editstore.Edit{}, err
		}
		full := norm.NFC.String(paths.Show(p.Full())) // a file that was removed has no form that Locate could find
		wanted = func(e editstore.Edit) bool {
			return slices.ContainsFunc(e.Files, func(f editstore.File) bool { return norm.NFC.String(f.Path) == full })
		}
	}
	effect := tools.Changes
	if in.DryRun {
		effect = tools.Reads
	}
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, editstore.Edit{}, err
	}
	e, err := st.LastFileEdit(ctx, wanted)
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) {
		if in.Path != "" {
			return nil, e, env.Fail(tools.NotFound, "There is no change of %s to undo", in.Path).
				WithHint(env.Hint("See %s", tools.Use("history", tools.Field("family", "files"))))
		}
		return nil, e, env.Fail(tools.NotFound, "There is no change from this folder to undo").
			WithHint(env.Hint("Name the file: %s", tools.Use("fs undo", tools.Placeholder("PATH"))))
	}
	if err == nil && e.Lost {
		err = env.Fail(tools.LimitExceeded, "The last change of %s was too large to record and cannot be undone",
			paths.Relative(env, e.Files[0].Path)).
			WithHint(env.Hint("To undo an earlier change of another file, name it: %s",
				tools.Use("fs undo", tools.Placeholder("PATH"))))
	}
	return st, e, err
}

// planUndo computes the content of a file before a change.
func planUndo(env *tools.Env, w *change.Target, f editstore.File) (done Undone, err error) {
	done = Undone{Path: w.Shown, State: "unchanged", Hash: f.Before}
	if w.Opened != nil {
		if w.Before, err = w.Read(env); err != nil {
			return done, err
		}
	}
	now := w.Version()
	w.IsLink = change.IsLinkVersion(f.Before)
	switch {
	case now == f.Before && f.After != "" && f.Mode != 0 && w.Info.Mode().Perm() != fs.FileMode(f.Mode):
		done.State, w.After, w.Mode.Perm = "restored", w.Before, fs.FileMode(f.Mode)
		return done, nil
	case now == f.Before:
		return done, nil
	case now != f.After && w.TakeCopy(env, f.Before): // a write in place was killed
		done.State, w.Mode.Perm = "restored", fs.FileMode(f.Mode)
	case now != f.After:
		return done, env.Fail(tools.Conflict, "%s changed since that edit; nothing was undone", w.Shown).
			WithHint(env.Hint("Undo the later change first, or edit the file by hand"))
	case f.Before == "":
		w.Remove, done.State = true, "removed"
	default:
		done.State = "restored"
		if w.After, err = document.ApplySteps(f.Way, w.Before); err != nil {
			return done, err
		}
		if w.Mode.Perm = fs.FileMode(f.Mode); w.Hash() != f.Before {
			return done, document.ErrUndoData
		}
	}
	if c, err := w.Charset(env); err == nil && !w.IsLink && !w.WasLink {
		w.Compare(c.Decode(w.Before).String, c.Decode(w.After).String)
	}
	return done, nil
}
