package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"techo/internal/regular"
)

// Place is where a path leads. With a root, no method leaves the root, whatever links appear
// meanwhile. Errors name the full path.
type Place struct {
	Root *os.Root // nil without roots
	Path string   // below the root ("." for the root itself), or a whole path without one
}

// OutsideError reports a path outside of all roots.
type OutsideError struct{ Path string }

func (e *OutsideError) Error() string { return e.Path + ": outside of the roots" }

// Escapes reports whether an os.Root refused a path that leads out of it. Package os does not export
// that error.
func Escapes(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}

// Locate returns the place of an absolute path, which need not exist. Without roots it is the path
// as it is; otherwise its links are followed, and it must lie in one of the roots, else the error is
// an [OutsideError].
func Locate(roots []*os.Root, path string) (Place, error) {
	if len(roots) == 0 {
		return Place{Path: path}, nil
	}
	real, err := Follow(path)
	if err != nil {
		return Place{}, &OutsideError{path}
	}
	root, inside := Find(roots, real)
	if root == nil {
		return Place{}, &OutsideError{path}
	}
	return Place{root, inside}, nil
}

// Full returns the absolute path of the place.
func (p Place) Full() string {
	if p.Root == nil {
		return p.Path
	}
	return filepath.Join(p.Root.Name(), p.Path)
}

// With returns the place of another path below the same root, or of another whole path.
func (p Place) With(path string) Place { return Place{p.Root, path} }

// Named returns the place of a full path that lies below the same root.
func (p Place) Named(full string) Place {
	if p.Root == nil {
		return p.With(full)
	}
	inside, err := filepath.Rel(p.Root.Name(), full)
	if err != nil {
		inside = full // the root refuses it
	}
	return p.With(inside)
}

// Below returns the place of a file or folder below a folder.
func (p Place) Below(name string) Place { return p.With(filepath.Join(p.Path, name)) }

// named names the full path in an error, also of an os.Root, which names a path below itself.
func (p Place) named(err error) error {
	if failed := new(fs.PathError); p.Root != nil && errors.As(err, &failed) {
		return &fs.PathError{Op: failed.Op, Path: p.Full(), Err: failed.Err}
	}
	return err
}

// OpenFile is os.OpenFile.
func (p Place) OpenFile(flag int, mode fs.FileMode) (*os.File, error) {
	open := os.OpenFile
	if p.Root != nil {
		open = p.Root.OpenFile
	}
	f, err := open(p.Path, flag, mode)
	if p.Root != nil || !errors.Is(err, syscall.ENAMETOOLONG) {
		return f, p.named(err)
	}
	dir, name, err := p.Parent()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(name, flag, mode)
}

// Open opens a folder or a file for reading, and does not wait for the other end of a pipe.
func (p Place) Open() (*os.File, error) { return p.OpenFile(os.O_RDONLY|regular.NoWait, 0) }

// OpenRegular is [regular.Open].
func (p Place) OpenRegular() (*os.File, fs.FileInfo, error) {
	f, info, err := regular.OpenBy(p.opener, p.Path)
	return f, info, p.named(err)
}

// Read is [regular.Read].
func (p Place) Read(most int64) ([]byte, error) {
	text, err := regular.ReadBy(p.opener, p.Path, most)
	return text, p.named(err)
}

func (p Place) opener(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return p.With(path).OpenFile(flag, mode)
}

// Stat is os.Stat.
func (p Place) Stat() (fs.FileInfo, error) {
	if p.Root == nil {
		return os.Stat(p.Path)
	}
	info, err := p.Root.Stat(p.Path)
	return info, p.named(err)
}

// Lstat is os.Lstat.
func (p Place) Lstat() (fs.FileInfo, error) {
	if p.Root == nil {
		return os.Lstat(p.Path)
	}
	info, err := p.Root.Lstat(p.Path)
	return info, p.named(err)
}

// OpenRoot opens the folder as a root.
func (p Place) OpenRoot() (*os.Root, error) {
	if p.Root == nil {
		return OpenRoot(p.Path)
	}
	root, err := p.Root.OpenRoot(p.Path)
	return root, p.named(err)
}

// MakeRoot is OpenRoot for a folder that is made, with those above it, if it is missing.
func (p Place) MakeRoot(mode fs.FileMode) (*os.Root, error) {
	mkdir := os.MkdirAll
	if p.Root != nil {
		mkdir = p.Root.MkdirAll
	}
	if err := mkdir(p.Path, mode); err != nil {
		return nil, p.named(err)
	}
	return p.OpenRoot()
}

// Parent opens the folder that contains the place, and returns the name in it. Operations in the
// open folder stay there, with a root or without.
func (p Place) Parent() (dir *os.Root, name string, err error) {
	folder, name := filepath.Split(p.Path)
	if p.Root != nil {
		folder = filepath.Join(".", folder)
	}
	dir, err = p.With(folder).OpenRoot()
	return dir, name, err
}

// Walk is filepath.WalkDir. The paths are full ones.
func (p Place) Walk(visit fs.WalkDirFunc) error {
	if p.Root == nil {
		return filepath.WalkDir(p.Path, visit)
	}
	info, err := p.Lstat()
	if err != nil {
		err = visit(p.Full(), nil, err)
	} else {
		err = p.walk(fs.FileInfoToDirEntry(info), visit)
	}
	if err == filepath.SkipDir || err == filepath.SkipAll {
		return nil
	}
	return err
}

func (p Place) walk(d fs.DirEntry, visit fs.WalkDirFunc) error {
	skipped := func(err error) error {
		if err == filepath.SkipDir && d.IsDir() {
			return nil
		}
		return err
	}
	if err := visit(p.Full(), d, nil); err != nil || !d.IsDir() {
		return skipped(err)
	}
	entries, err := p.Entries()
	if err != nil {
		if err = visit(p.Full(), d, err); err != nil {
			return skipped(err)
		}
	}
	for _, e := range entries {
		if err := p.Below(e.Name()).walk(e, visit); err != nil {
			return skipped(err)
		}
	}
	return nil
}

// Entries returns the entries of the folder in the order of their names.
func (p Place) Entries() ([]fs.DirEntry, error) {
	f, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := f.ReadDir(-1)
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, p.named(err)
}
