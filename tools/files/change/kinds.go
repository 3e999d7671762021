package change

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"techo/internal/atomicfile"
	"techo/tools"
	"techo/tools/files/paths"
)

// # Changes of kind
//
// One call may make a folder of a file, a file of a folder, and a file of a link. Such a change is late: it comes
// when the others have removed what is in its place.

// IsLinkThere reports whether the place is a symbolic link.
func (c *Change) IsLinkThere() bool {
	info, err := c.Lstat(c.Path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// IsBlocked reports whether the place is a folder now, or in something that is no folder.
func (c *Change) IsBlocked() bool {
	if info, err := c.Lstat(c.Path); err == nil && info.IsDir() {
		return true
	}
	// A link above it that the call removes may lead to a folder with the same names.
	for path := filepath.Dir(c.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
		if info, err := c.Lstat(path); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}

// openLink reads the link at the place.
func (c *Change) openLink(env *tools.Env) error {
	dir, name, err := c.Place.Parent()
	if err != nil {
		return paths.Error(env, c.Shown, err)
	}
	c.File.Dir, c.File.Name = dir, name
	if c.File.Info, err = dir.Lstat(name); err != nil {
		return paths.Error(env, c.Shown, err)
	}
	target, err := dir.Readlink(name)
	c.Before = []byte(target)
	return paths.Error(env, c.Shown, err)
}

// CheckKinds refuses changes whose place stays a folder: there is something in it that they do not remove.
func CheckKinds(env *tools.Env, all []*Target) error {
	going := map[string]bool{}
	for _, w := range all {
		if w.Remove {
			going[w.Full()] = true
		}
	}
	for _, w := range all {
		if !w.Late || w.Remove {
			continue
		}
		freed := false // what is above it goes, and so does what is there behind a link
		for path := filepath.Dir(w.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
			above := w.With(path)
			info, err := above.Lstat(path)
			if err != nil || info.IsDir() {
				continue
			}
			if freed = going[above.Full()]; !freed {
				return env.Fail(tools.NotFound, "%s cannot be created: %s is a file, not a folder", w.Shown,
					paths.Relative(env, above.Full())).
					WithHint(env.Hint("Choose another path, or remove the file first"))
			}
		}
		if freed {
			continue
		}
		if stays := w.Place.FirstFile(going); stays != "" {
			return env.Fail(tools.Conflict, "%s is a folder, and %s in it stays", w.Shown, paths.Relative(env, stays)).
				WithHint(env.Hint("Remove what is in it as well, or choose another path"))
		}
	}
	return nil
}

// arrive makes the change after the others: it frees the place and makes its folders.
func (c *Change) arrive(env *tools.Env) (err error) {
	if info, err := c.Lstat(c.Path); err == nil && info.IsDir() {
		if err := removeEmptyTree(c.Place); err != nil {
			return err
		}
	}
	if c.made, err = atomicfile.MakeFolders(c.Root, filepath.Dir(c.Path)); err != nil {
		return err
	}
	if c.File.Dir, c.File.Name, err = c.Place.Parent(); err != nil {
		return err
	}
	if c.IsLink {
		return c.link()
	}
	if err := stageNew(env, c); err != nil {
		return err
	}
	return c.create()
}

// removeEmptyTree removes a folder that has nothing but folders.
func removeEmptyTree(p paths.Place) error {
	entries, err := p.ReadDir()
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeEmptyTree(p.With(filepath.Join(p.Path, e.Name()))); err != nil {
				return err
			}
		}
	}
	dir, name, err := p.Parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Remove(name)
}

// removeMade removes the folders that arrive made.
func (c *Change) removeMade() {
	for _, path := range slices.Backward(c.made) {
		dir, name, err := c.With(path).Parent()
		if err != nil {
			return
		}
		atomicfile.RemoveEmpty(dir, name)
		dir.Close()
	}
}

// link makes the symbolic link. It takes the place of what is there in one step.
func (c *Change) link() error {
	if !c.exists() {
		err := c.Dir.Symlink(string(c.After), c.Name)
		if errors.Is(err, fs.ErrExist) {
			return ErrCreatedMeanwhile
		}
		return err
	}
	temporary := fmt.Sprintf(".%s%d", atomicfile.TempPrefix(c.Name), rand.Uint32())
	if err := c.Dir.Symlink(string(c.After), temporary); err != nil {
		return err
	}
	release(c)
	err := c.Dir.Rename(temporary, c.Name)
	if err != nil {
		_ = c.Dir.Remove(temporary)
	}
	return err
}

// RemoveEmptied removes the folders that changes left empty by removing files, as git does. It stays in the working
// folder and in the roots.
func RemoveEmptied(env *tools.Env, all []*Target) (removed Folders) {
	working := paths.WorkingFolder(env)
	var emptied Folders
	for _, w := range all {
		if !w.Remove {
			continue
		}
		var chain []string
		for path := filepath.Dir(w.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
			full := w.With(path).Full()
			inside, err := filepath.Rel(working, full)
			if err != nil || inside == "." || w.Root == nil && !filepath.IsLocal(inside) {
				break
			}
			if full = paths.Show(full); !slices.Contains(emptied, full) {
				chain = append(chain, full)
			}
		}
		slices.Reverse(chain)
		emptied = append(emptied, chain...)
	}
	slices.Sort(emptied) // the outer ones first
	return emptied.Remove(env)
}

// AddMissing lists the folders of a place that are not there, or not folders.
func (n *Folders) AddMissing(p paths.Place) {
	var missing Folders
	for path := filepath.Dir(p.Path); path != filepath.Dir(path); path = filepath.Dir(path) {
		if info, err := p.Lstat(path); err == nil && info.IsDir() {
			break
		}
		missing = append(missing, paths.Show(p.With(path).Full()))
	}
	for _, folder := range slices.Backward(missing) {
		if !slices.Contains(*n, folder) {
			*n = append(*n, folder)
		}
	}
}
