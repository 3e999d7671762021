package edit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"techo/internal/atomicfile"
	"techo/store"
	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

const moveName = "move_file"

// Move is the tool move_file: it moves or renames a file or a folder.
var Move = &tools.Tool{
	Name:    moveName,
	For:     tools.Agents,
	Command: "fs move",
	Aliases: []string{"fs rename", "fs mv"},
	About:   "Move or rename a file or a folder",
	More:    "Nothing is replaced: the new path must be free, or a folder.",
	Details: "A file is moved into a folder that is there; a slash at the end means a folder. A link " +
		"is moved itself. Missing folders are created.",
	Notes: []tools.Note{
		{Text: "%s moves it back.", Names: []string{"fs undo"}},
	},
	Effect:    tools.Changes,
	Forbidden: paths.Forbidden,
	Words:     []string{"from", "to"},
	Examples: []tools.Example{
		{Does: "Rename a file", Line: `fs move copy.json data.json`},
		{Does: "Move a file into a new folder", Line: `fs move data.json old/data.json`},
	},
	Run: tools.Func[MoveIn, MoveOut](moveFile),
}

// MoveIn is the input of move_file.
type MoveIn struct {
	From    string `json:"from" minLength:"1" doc:"The path to move" list:"bare"`
	To      string `json:"to" minLength:"1" doc:"The new path, or a folder to move it into"`
	Parents bool   `json:"parents" default:"true" doc:"Create missing folders" list:"bare"`
	DryRun  bool   `json:"dry_run,omitempty" doc:"Check without moving" list:"bare"`
}

// MoveOut is the result of move_file.
type MoveOut struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Folders  []string `json:"created_folders,omitempty"`
	DryRun   bool     `json:"dry_run,omitempty"`
	Undoable bool     `json:"undoable"`

	Normalized []string `json:"normalized,omitempty"` // "path" if a name has another Unicode form
	Notes      []string `json:"notes,omitempty"`
	Message    string   `json:"message"`
}

// Text returns the message, the folders and the notes.
func (o MoveOut) Text(*tools.Env) string {
	return strings.Join(slices.Concat([]string{o.Message}, change.FolderLines(o.Folders), o.Notes), "\n")
}

func moveFile(ctx context.Context, env *tools.Env, in MoveIn) (out MoveOut, err error) {
	from, err := paths.OpenEntry(env, in.From)
	if err != nil {
		return out, err
	}
	defer from.Close()
	if from.Info == nil {
		return out, from.Missing(env)
	}
	if from.Normalized {
		in.From = from.Shown
	}
	if from.Info.IsDir() && from.HoldsStore(env) {
		return out, paths.BelongsToStore(env, in.From)
	}
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	to, err := openTarget(env, in, from, &made)
	if err != nil {
		return out, err
	}
	defer to.Close()
	out = MoveOut{From: in.From, To: to.Shown, Folders: made.Shown(env), DryRun: in.DryRun}
	if from.Normalized || to.Normalized {
		out.Normalized = document.RelaxPath.Names()
	}
	if in.DryRun {
		out.Message = env.Localize("Dry run: %s would be moved to %s", in.From, to.Shown)
		return out, nil
	}
	version, err := from.Version()
	if err != nil {
		return out, paths.Error(env, in.From, err)
	}
	kept := recordEntries(ctx, env, editstore.Edit{Tool: moveName, Folders: made}, from, to, version)
	if err := moveEntry(env, from, to); err != nil {
		kept.Forget(ctx, err)
		return out, err
	}
	out.Undoable, out.Notes = kept.OK, kept.Notes
	out.Message = env.Localize("Moved %s to %s", in.From, to.Shown)
	return out, nil
}

// openTarget opens the new place of an entry. It creates missing folders.
func openTarget(env *tools.Env, in MoveIn, from *paths.File, made *change.Folders) (*paths.File, error) {
	path := in.To
	if namesFolder(env, path) {
		path = paths.Show(filepath.Join(paths.Plain(path), from.Name))
	}
	if in.Parents {
		if err := made.MakeFor(env, path, in.DryRun); err != nil {
			return nil, err
		}
	}
	to, err := paths.OpenEntry(env, path)
	if in.DryRun && len(*made) > 0 {
		p, e := paths.Locate(env, path)
		to, err = &paths.File{Place: p}, e
	}
	switch e := new(tools.Error); {
	case errors.As(err, &e) && e.Code == tools.NotFound:
		return nil, change.MissingFolder(env, path)
	case err != nil:
		return nil, err
	}
	inside, err := filepath.Rel(from.Full(), to.Full())
	switch {
	case err == nil && filepath.IsLocal(inside):
		err = tools.InvalidField(env, "/to", "is the same place as %s, or in it", in.From)
	case to.Info != nil:
		err = env.Fail(tools.AlreadyExists, "%s already exists", path).
			WithHint(env.Hint("Choose another path, or remove it first with %s", tools.Use("fs remove")))
	default:
		return to, nil
	}
	to.Close()
	return nil, err
}

// namesFolder reports whether a path means a folder: by the separator at its end, or because there
// is one.
func namesFolder(env *tools.Env, path string) bool {
	if _, name := filepath.Split(paths.Plain(path)); name == "" || name == "." {
		return true
	}
	p, err := paths.Locate(env, path)
	if err != nil {
		return false
	}
	f, err := p.Open()
	if err != nil {
		return false
	}
	defer f.Close()
	st, err := f.Stat()
	return err == nil && st.IsDir()
}

func moveEntry(env *tools.Env, from, to *paths.File) error {
	err := renameFree(from.Dir, from.Name, to.Dir, to.Name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return env.Fail(tools.AlreadyExists, "%s already exists", to.Shown)
	case isOtherDevice(err):
		e := env.Fail(tools.Forbidden, "%s is on another file system", to.Shown)
		return e.WithHint(env.Hint("Write the file there with %s, then remove the old one", tools.Use("fs write")))
	case err != nil:
		return paths.Error(env, from.Shown, err)
	}
	for _, dir := range []*os.Root{to.Dir, from.Dir} {
		if err := atomicfile.SyncFolder(dir); err != nil {
			return errors.Join(paths.Error(env, to.Shown, err), change.ErrPartial)
		}
	}
	return nil
}

// recordEntries records a move for undo. Its files have no undo data, because the
// content stays what it is.
func recordEntries(ctx context.Context, env *tools.Env, e editstore.Edit, from, to *paths.File,
	version string) change.Record {
	e.Files = []editstore.File{{Path: paths.Show(from.Full()), Before: version},
		{Path: paths.Show(to.Full()), After: version}}
	return change.RecordFiles(ctx, env, e)
}

func isMove(e editstore.Edit) bool {
	return len(e.Files) == 2 && len(e.Files[0].Way)+len(e.Files[1].Way) == 0 && e.Files[0].After == "" &&
		e.Files[1].Before == "" && e.Files[0].Before == e.Files[1].After
}

func undoMove(ctx context.Context, env *tools.Env, st *store.Store, e editstore.Edit, dryRun bool) (out UndoOut,
	err error) {
	from, err := paths.OpenEntry(env, e.Files[1].Path)
	if err != nil {
		return out, err
	}
	defer from.Close()
	var made change.Folders
	defer made.RemoveAfter(env, &err)
	if !dryRun {
		if err := made.MakeFor(env, e.Files[0].Path, false); err != nil {
			return out, err
		}
	}
	to, err := paths.OpenEntry(env, e.Files[0].Path)
	if err != nil {
		return out, err
	}
	defer to.Close()
	from.Shown, to.Shown = paths.Relative(env, e.Files[1].Path), paths.Relative(env, e.Files[0].Path)
	version := ""
	if from.Info != nil {
		if version, err = from.Version(); err != nil {
			return out, paths.Error(env, from.Shown, err)
		}
	}
	if version != e.Files[1].After || to.Info != nil {
		return out, env.Fail(tools.Conflict, "%s changed since that edit; nothing was undone", from.Shown).
			WithHint(env.Hint("Undo the later change first, or edit the file by hand"))
	}
	out = UndoOut{Tool: e.Tool, EditedAt: env.Time(e.Time), DryRun: dryRun, Diff: moveDiff(from.Shown, to.Shown),
		Files:   []Undone{{to.Shown, "restored", version}, {from.Shown, "removed", ""}},
		Created: made.Shown(env)}
	if dryRun {
		out.Message = env.Localize("Dry run: the last change of %s would be undone", to.Shown)
		return out, nil
	}
	out.Message = env.Localize("Undid the last change of %s", to.Shown)
	if err := finishMove(ctx, env, st, e, made, from, to, version); err != nil {
		return out, err
	}
	from.Close() // Windows does not remove an open folder
	to.Close()
	out.Removed = change.Folders(e.Folders).Remove(env).Shown(env)
	return out, nil
}

// finishMove moves an entry back and records that.
func finishMove(ctx context.Context, env *tools.Env, st *store.Store, e editstore.Edit, made change.Folders,
	from, to *paths.File, version string) error {
	var kept change.Record
	if e.Change != 0 { // otherwise the history does not record the move
		kept = recordEntries(ctx, env, undoing(e, made), from, to, version)
	}
	return finishUndo(ctx, st, e, kept, moveEntry(env, from, to))
}

// moveDiff describes a move as git does.
func moveDiff(from, to string) string {
	return "rename from " + filepath.ToSlash(from) + "\nrename to " + filepath.ToSlash(to) + "\n"
}
