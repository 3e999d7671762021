package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"techo/internal/atomicfile"
	"techo/internal/confine"
)

// Target is a file to be written once. It holds the folder open, which stays the
// same if its path changes.
type Target struct {
	dir  *os.Root
	name string
	over bool
}

// NewTarget opens the folder of a file. path is absolute; unless roots is empty it
// must lie in one of them, else the error is an [OutsideError]. An existing file
// is an [fs.ErrExist], unless over allows its replacement; only a regular file can
// be replaced.
func NewTarget(roots []*os.Root, path string, over bool) (*Target, error) {
	folder, name := filepath.Split(filepath.Clean(path))
	dir, err := openParent(roots, folder)
	if err != nil {
		return nil, err
	}
	t := &Target{dir: dir, name: name, over: over}
	st, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err == nil && over && st.Mode().IsRegular():
		return t, nil
	case err == nil && over:
		err = &fs.PathError{Op: "replace", Path: path, Err: errors.New("not a regular file")}
	case err == nil:
		err = &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	dir.Close()
	return nil, err
}

// openParent opens an existing folder.
func openParent(roots []*os.Root, folder string) (*os.Root, error) {
	if len(roots) == 0 {
		return os.OpenRoot(folder)
	}
	real, err := confine.Follow(folder)
	if err != nil {
		return nil, err
	}
	root, inside := confine.Find(roots, real)
	if root == nil {
		return nil, &OutsideError{folder}
	}
	return root.OpenRoot(inside)
}

// Close closes the folder.
func (t *Target) Close() error { return t.dir.Close() }

// Write writes the file atomically and durably. A file that appeared since
// NewTarget is an [fs.ErrExist].
func (t *Target) Write(body []byte) error {
	atomicfile.Sweep(t.dir, tempPrefix, tempAge)
	return atomicfile.Write(t.dir, t.name, body, atomicfile.Options{Prefix: tempPrefix, Exclusive: !t.over})
}

// Temporary files of a Target, which killed runs leave behind.
const (
	tempPrefix = "techo-export-"
	tempAge    = time.Hour
)
