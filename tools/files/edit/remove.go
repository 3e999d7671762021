package edit

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	editstore "techo/store/edit"
	"techo/tools"
	"techo/tools/files/change"
	"techo/tools/files/document"
	"techo/tools/files/paths"
)

const removeName = "remove_file"

// Remove is the tool remove_file: it removes a file or a folder.
var Remove = &tools.Tool{
	Name:    removeName,
	For:     tools.Agents,
	Command: "fs remove",
	Aliases: []string{"fs rm"},
	About:   "Remove a file or a folder, with undo",
	More: "What cannot be restored (files of more than 8 MiB together, links, devices) is refused " +
		"unless permanent is set.",
	Details:   "A folder needs recursive unless it is empty.",
	Effect:    tools.Removes,
	Forbidden: paths.Forbidden,
	Words:     []string{"path"},
	Examples: []tools.Example{
		{Does: "Remove a file", Line: `fs remove old/data.json`},
		{Does: "Preview removing a folder", Line: `fs remove draft --recursive --dry-run`},
	},
	Run: tools.Func[RemoveIn, RemoveOut](removeFile),
}

// RemoveIn is the input of remove_file.
type RemoveIn struct {
	Path      string `json:"path" minLength:"1" doc:"The file or folder to remove" list:"bare"`
	Recursive bool   `json:"recursive,omitempty" doc:"Remove a folder with everything in it" list:"bare"`
	Permanent bool   `json:"permanent,omitempty" doc:"Also remove what cannot be restored"`
	DryRun    bool   `json:"dry_run,omitempty" doc:"Show what would be removed without removing it" list:"bare"`
}

// RemoveOut is the result of remove_file.
type RemoveOut struct {
	Removed  string   `json:"removed"`
	Paths    []string `json:"paths"` // what was removed: files, links, then folders
	DryRun   bool     `json:"dry_run,omitempty"`
	Undoable bool     `json:"undoable"`

	Normalized []string `json:"normalized,omitempty"` // "path" if the name has another Unicode form
	Notes      []string `json:"notes,omitempty"`
	Message    string   `json:"message"`
}

const maxRemoved = 1000

type removal struct {
	env     *tools.Env
	files   []*change.Target // regular files
	others  []string         // links and devices
	folders []string         // the innermost last
	size    int64
}

func removeFile(ctx context.Context, env *tools.Env, in RemoveIn) (out RemoveOut, err error) {
	e, err := paths.OpenEntry(env, in.Path)
	if err != nil {
		return out, err
	}
	defer e.Close()
	switch {
	case e.Info == nil:
		return out, e.Missing(env)
	case e.Info.IsDir() && e.HoldsStore(env):
		return out, paths.BelongsToStore(env, in.Path)
	}
	if e.Normalized {
		in.Path, out.Normalized = e.Shown, document.RelaxPath.Names()
	}
	r := &removal{env: env}
	defer func() { change.CloseAll(r.files) }()
	if err := r.add(in.Path, e.Info.Mode(), e.Info.Size()); err != nil {
		return out, err
	}
	if len(r.folders) > 0 && len(r.files)+len(r.others)+len(r.folders) > 1 && !in.Recursive {
		e := tools.InvalidField(env, "/path", "is a folder that is not empty: %s", in.Path)
		return out, e.WithHint(env.Hint("To remove it with everything in it, use %s", tools.Field("recursive")))
	}
	if err := r.prepare(ctx, in); err != nil {
		return out, err
	}
	out.Removed, out.Paths, out.DryRun = in.Path, r.paths(), in.DryRun
	if in.DryRun {
		out.Message = env.Localize("Dry run: %s would be removed", in.Path)
		return out, nil
	}
	out.Message = env.Localize("Removed %s", in.Path)
	err = r.remove(ctx, in, &out)
	return out, err
}

// add collects an entry and everything below it.
func (r *removal) add(path string, mode fs.FileMode, size int64) error {
	if len(r.files)+len(r.others)+len(r.folders) >= maxRemoved {
		return r.env.Fail(tools.LimitExceeded, "One call removes at most %d files and folders", maxRemoved).
			WithHint(r.env.Hint("Remove the folders in it one by one"))
	}
	switch {
	case mode.IsRegular():
		r.files = append(r.files, &change.Target{Given: path})
		r.size += size
		return nil
	case !mode.IsDir():
		r.others = append(r.others, path)
		return nil
	}
	r.folders = append(r.folders, path)
	p, err := paths.Locate(r.env, path)
	if err != nil {
		return err
	}
	entries, err := p.ReadDir()
	if err != nil {
		return paths.Error(r.env, path, err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		size := int64(0)
		if info, err := e.Info(); err == nil {
			size = info.Size()
		}
		if err := r.add(filepath.ToSlash(filepath.Join(path, e.Name())), e.Type(), size); err != nil {
			return err
		}
	}
	return nil
}

// prepare opens the files and plans to remove them. It refuses what cannot be
// restored.
func (r *removal) prepare(ctx context.Context, in RemoveIn) error {
	env := r.env
	if !in.Permanent && len(r.others) > 0 {
		return env.Fail(tools.Forbidden, "%s is a link or a device, which fs undo cannot restore", r.others[0]).
			WithHint(env.Hint("To remove it for good, use %s", tools.Field("permanent")))
	}
	if in.Permanent && r.size > maxUndone {
		return nil
	}
	if r.size > maxUndone {
		return env.Fail(tools.LimitExceeded, "%s has %d bytes; fs undo can restore at most %d", in.Path, r.size,
			int64(maxUndone)).WithHint(env.Hint("To remove it for good, use %s", tools.Field("permanent")))
	}
	if err := change.OpenAll(ctx, env, r.files, !in.DryRun); err != nil {
		return err
	}
	for _, w := range r.files {
		if err := w.Load(env); err != nil {
			return err
		}
		w.Delete()
	}
	return nil
}

// maxUndone is the size of files, in bytes, that are removed with undo.
const maxUndone = 8<<20 - 1<<16

// remove removes everything: the files with a record for undo, then links, then
// folders from the innermost.
func (r *removal) remove(ctx context.Context, in RemoveIn, out *RemoveOut) error {
	if len(r.files) > 0 && r.files[0].Change != nil {
		changes := change.Changes(r.files)
		kept := change.RecordEdit(ctx, r.env, editstore.Edit{Tool: removeName}, changes)
		if !kept.OK && !in.Permanent {
			kept.Forget(ctx, nil)
			return r.env.Fail(tools.Unavailable, "%s was not removed: %s", in.Path, strings.Join(kept.Notes, "; ")).
				WithHint(r.env.Hint("To remove it for good, use %s", tools.Field("permanent")))
		}
		if err := kept.Apply(ctx, r.env, changes); err != nil {
			return err
		}
		change.CloseAll(r.files) // Windows does not remove an open folder
		kept.Report(&out.Undoable, &out.Notes, &out.Message)
	} else {
		for _, w := range r.files {
			r.others = append(r.others, w.Given)
		}
	}
	slices.Reverse(r.folders)
	for _, path := range append(r.others, r.folders...) {
		e, err := paths.OpenEntry(r.env, path)
		if err != nil {
			return errors.Join(err, change.ErrPartial)
		}
		err = e.Dir.Remove(e.Name)
		e.Close()
		if err != nil {
			return errors.Join(paths.Error(r.env, path, err), change.ErrPartial)
		}
	}
	return nil
}

// paths lists what is removed: files and links, then folders.
func (r *removal) paths() []string {
	all := []string{}
	for _, w := range r.files {
		all = append(all, w.Given)
	}
	return append(append(all, r.others...), r.folders...)
}
