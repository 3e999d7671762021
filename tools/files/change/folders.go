package change

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"techo/internal/atomicfile"
	"techo/tools"
	"techo/tools/files/paths"
)

// Folders are the folders that a call creates for its files, as results show absolute
// paths, outermost first.
type Folders []string

// MakeFor creates the missing folders of a path. In a dry run it only lists them.
func (n *Folders) MakeFor(env *tools.Env, path string, dryRun bool) error {
	p, err := paths.Locate(env, path)
	if err != nil {
		return err
	}
	return n.MakeForPlace(env, p, dryRun)
}

// MakeForPlace is MakeFor for a place.
func (n *Folders) MakeForPlace(env *tools.Env, p paths.Place, dryRun bool) error {
	if p.IsStoreFile(env) {
		return nil
	}
	made, err := missingFolders(p)
	if err == nil && !dryRun && len(made) > 0 {
		if made, err = atomicfile.MakeFolders(p.Root, filepath.Dir(p.Path)); p.Root != nil {
			for i := range made {
				made[i] = filepath.Join(p.Root.Name(), made[i])
			}
		}
	}
	for _, folder := range made {
		if folder = paths.Show(folder); !slices.Contains(*n, folder) {
			*n = append(*n, folder)
		}
	}
	return BelowFile(env, p, paths.Error(env, p.Shown, paths.NotFolder(p.Path, err)))
}

// missingFolders lists the folders of a place that do not exist, outermost first.
func missingFolders(p paths.Place) (missing []string, err error) {
	for path := filepath.Dir(p.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
		info, err := p.Lstat(path)
		switch {
		case err == nil && !info.IsDir():
			return nil, syscall.ENOTDIR
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil:
			slices.Reverse(missing)
			return missing, nil
		}
		missing = append(missing, p.With(path).Full())
	}
	slices.Reverse(missing)
	return missing, nil
}

// MissingFolder returns the error of a path in a folder that must not be created.
func MissingFolder(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.NotFound, "The folder of %s does not exist", path).
		WithHint(env.Hint("Leave out %s to create it", tools.Field("parents", false)))
}

// Shown returns the folders as results show them: in the working folder relative to it.
func (n Folders) Shown(env *tools.Env) (all []string) {
	for _, folder := range n {
		all = append(all, paths.Relative(env, folder))
	}
	return all
}

// FolderLines returns created folders as lines of a text.
func FolderLines(shown []string) (lines []string) {
	for _, folder := range shown {
		lines = append(lines, "created "+folder+"/")
	}
	return lines
}

// Remove removes the empty ones, as if they had not been created, and returns these.
func (n Folders) Remove(env *tools.Env) (removed Folders) {
	for _, folder := range slices.Backward(n) {
		e, err := paths.OpenEntry(env, folder)
		if err != nil {
			continue
		}
		if !e.HoldsStore(env) && atomicfile.RemoveEmpty(e.Dir, e.Name) {
			removed = append(removed, folder)
		}
		e.Close()
	}
	return removed
}

// RemoveAfter is remove after a call that failed.
func (n *Folders) RemoveAfter(env *tools.Env, err *error) {
	if *err != nil {
		n.Remove(env)
	}
}

// BelowFile returns a clearer error than "file not found" for a new file whose folder
// is a file. It returns other errors unchanged.
func BelowFile(env *tools.Env, p paths.Place, err error) error {
	e := new(tools.Error)
	if !errors.As(err, &e) || e.Code != tools.NotFound {
		return err
	}
	for path, shown := p.Path, p.Shown; filepath.Dir(path) != path; {
		path, shown = filepath.Dir(path), filepath.Dir(shown)
		switch info, missing := p.With(path).Stat(); {
		case missing != nil:
		case info.IsDir():
			return err
		default:
			return env.Fail(tools.NotFound, "%s cannot be created: %s is a file, not a folder", p.Shown, shown).
				WithHint(env.Hint("Choose another path, or remove the file first"))
		}
	}
	return err
}
