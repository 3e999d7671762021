package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"techo/internal/atomicfile"
	"techo/tools"
)

// newFolders are the folders that a call creates for its files, as results show absolute
// paths, outermost first.
type newFolders []string

// makeFor creates the missing folders of a path. In a dry run it only lists them.
func (n *newFolders) makeFor(env *tools.Env, path string, dryRun bool) error {
	p, err := locate(env, path)
	if err != nil || p.isStoreFile(env) {
		return err
	}
	made, err := missingFolders(p)
	if err == nil && !dryRun && len(made) > 0 {
		if made, err = atomicfile.MakeFolders(p.root, filepath.Dir(p.path)); p.root != nil {
			for i := range made {
				made[i] = filepath.Join(p.root.Name(), made[i])
			}
		}
	}
	for _, folder := range made {
		if folder = showPath(folder); !slices.Contains(*n, folder) {
			*n = append(*n, folder)
		}
	}
	return belowFile(env, p, pathError(env, p.shown, notFolder(p.path, err)))
}

// missingFolders lists the folders of a place that do not exist, outermost first.
func missingFolders(p place) (missing []string, err error) {
	for path := filepath.Dir(p.path); path != filepath.Dir(path); path = filepath.Dir(path) {
		info, err := p.lstat(path)
		switch {
		case err == nil && !info.IsDir():
			return nil, syscall.ENOTDIR
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil:
			slices.Reverse(missing)
			return missing, nil
		}
		missing = append(missing, place{root: p.root, path: path}.full())
	}
	slices.Reverse(missing)
	return missing, nil
}

// missingFolder returns the error of a path in a folder that must not be created.
func missingFolder(env *tools.Env, path string) *tools.Error {
	return env.Fail(tools.NotFound, "The folder of %s does not exist", path).
		WithHint(env.Hint("Leave out --parents=false to create it"))
}

// shown returns the folders as results show them: in the working folder relative to it.
func (n newFolders) shown(env *tools.Env) (all []string) {
	for _, folder := range n {
		all = append(all, relativePath(env, folder))
	}
	return all
}

// folderLines returns created folders as lines of a text.
func folderLines(shown []string) (lines []string) {
	for _, folder := range shown {
		lines = append(lines, "created "+folder+"/")
	}
	return lines
}

// remove removes the empty ones, as if they had not been created, and returns these.
func (n newFolders) remove(env *tools.Env) (removed newFolders) {
	for _, folder := range slices.Backward(n) {
		e, err := openEntry(env, folder)
		if err != nil {
			continue
		}
		if !e.holdsStore(env) && atomicfile.RemoveEmpty(e.dir, e.name) {
			removed = append(removed, folder)
		}
		e.close()
	}
	return removed
}

// removeAfter is remove after a call that failed.
func (n *newFolders) removeAfter(env *tools.Env, err *error) {
	if *err != nil {
		n.remove(env)
	}
}

// belowFile returns a clearer error than "file not found" for a new file whose folder
// is a file. It returns other errors unchanged.
func belowFile(env *tools.Env, p place, err error) error {
	e := new(tools.Error)
	if !errors.As(err, &e) || e.Code != tools.NotFound {
		return err
	}
	for path, shown := p.path, p.shown; filepath.Dir(path) != path; {
		path, shown = filepath.Dir(path), filepath.Dir(shown)
		stat := os.Stat
		if p.root != nil {
			stat = p.root.Stat
		}
		switch info, missing := stat(path); {
		case missing != nil:
		case info.IsDir():
			return err
		default:
			return env.Fail(tools.NotFound, "%s cannot be created: %s is a file, not a folder", p.shown, shown).
				WithHint(env.Hint("Choose another path, or remove the file first"))
		}
	}
	return err
}
