package export

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

	in   *os.Root // that made is in, or nil
	made []string // folders that were created for the file, outermost first
	done bool     // the file was written
}

// NewTarget opens the folder of a file and, with parents, creates missing ones. path is
// absolute; unless roots is empty it must lie in one of them, else the error is an
// [confine.OutsideError]. An existing file is an [fs.ErrExist], unless over allows its
// replacement; only a regular file can be replaced.
func NewTarget(roots []*os.Root, path string, over, parents bool) (t *Target, err error) {
	folder, name := filepath.Split(filepath.Clean(path))
	t = &Target{name: name, over: over}
	if err = t.openFolder(roots, folder, parents); err != nil {
		t.Close()
		return nil, err
	}
	st, err := t.dir.Lstat(name)
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
	t.Close()
	return nil, err
}

func (t *Target) openFolder(roots []*os.Root, folder string, parents bool) (err error) {
	at, err := confine.Locate(roots, folder)
	if err != nil {
		return err
	}
	t.in = at.Root
	if parents {
		if t.made, err = atomicfile.MakeFolders(t.in, filepath.Clean(at.Path)); err != nil {
			return err
		}
	}
	t.dir, err = at.OpenRoot()
	return err
}

// Made lists the folders that were created for the file, as absolute paths.
func (t *Target) Made() (all []string) {
	for _, folder := range t.made {
		if t.in != nil {
			folder = filepath.Join(t.in.Name(), folder)
		}
		all = append(all, folder)
	}
	return all
}

// Close closes the folder, and removes the created ones if the file was not written.
func (t *Target) Close() {
	if t.dir != nil {
		t.dir.Close()
	}
	for _, folder := range slices.Backward(t.made) {
		if !t.done {
			t.removeMade(folder)
		}
	}
}

func (t *Target) removeMade(folder string) {
	if t.in != nil {
		atomicfile.RemoveEmpty(t.in, folder)
	} else if parent, err := os.OpenRoot(filepath.Dir(folder)); err == nil {
		atomicfile.RemoveEmpty(parent, filepath.Base(folder))
		parent.Close()
	}
}

// Write writes the file atomically and durably. A file that appeared since
// NewTarget is an [fs.ErrExist].
func (t *Target) Write(body []byte) error {
	atomicfile.Sweep(t.dir, tempPrefix, tempAge)
	err := atomicfile.Write(t.dir, t.name, body, atomicfile.Options{Prefix: tempPrefix, Exclusive: !t.over})
	t.done = err == nil
	return err
}

// Temporary files of a Target, which killed runs leave behind.
const (
	tempPrefix = "techo-export-"
	tempAge    = time.Hour
)

// Replace writes a file atomically. Readers see the old content or the new
// content.
func Replace(path string, content []byte, mode fs.FileMode) error {
	return atomicfile.WritePath(path, atomicfile.Options{Chmod: mode}, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Stream atomically writes the output of write to a file that only its owner can read.
func Stream(to confine.Place, write func(io.Writer) error) error {
	return atomicfile.WriteAt(to, atomicfile.Options{}, write)
}
