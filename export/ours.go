package export

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
)

// # Files of others
//
// A run replaces an existing file only if the manifest lists its sum. The manifest
// may list two sums, of the new and of the previous version: it moves into place
// before the files, and a run may end in between. Any other content was written or
// changed by someone else, and the run fails before it changes anything.

// ForeignError reports a file in the folder that is not as techo wrote it.
type ForeignError struct {
	Name    string
	Changed bool // techo wrote it, and it changed since
}

func (e *ForeignError) Error() string {
	if e.Changed {
		return e.Name + ": was changed since techo wrote it"
	}
	return e.Name + ": techo did not write it"
}

// sumOf returns the sum that the manifest lists for a content.
func sumOf(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:12])
}

// found compares a file with lines of the manifest. It returns the line that
// matches, and whether the file exists. A file that matches no line is a
// ForeignError.
func (f *folder) found(name string, known []written) (match written, exists bool, err error) {
	st, err := lstat(f, name)
	if errors.Is(err, fs.ErrNotExist) {
		return match, false, nil
	} else if err != nil {
		return match, false, err
	}
	foreign := &ForeignError{Name: name}
	if !st.Mode().IsRegular() {
		return match, true, foreign
	}
	for _, w := range known {
		if st.Size() == w.size && st.ModTime().UnixNano() == w.mtime {
			return w, true, nil
		}
	}
	file, err := f.root.Open(name)
	if err != nil {
		return match, true, err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return match, true, err
	}
	sum := hex.EncodeToString(h.Sum(nil)[:12])
	for _, w := range known {
		if w.sum == sum {
			return written{sum, st.Size(), st.ModTime().UnixNano()}, true, nil
		}
	}
	return match, true, foreign
}

// place moves a staged file into place. A name that was free when the run began
// must still be free.
func (f *folder) place(name string) error {
	staged := f.name + "/" + stagedName(name)
	if err := makeParents(f.root, name); err != nil {
		return err
	}
	if !f.free[name] {
		return f.root.Rename(staged, name)
	}
	err := f.root.Link(staged, name)
	switch {
	case err == nil:
		return nil // the staging folder is removed with the other name
	case errors.Is(err, fs.ErrExist):
		return &ForeignError{Name: name}
	}
	if _, e := f.root.Lstat(name); !errors.Is(e, fs.ErrNotExist) { // a file system without hard links
		return errors.Join(e, &ForeignError{Name: name})
	}
	return f.root.Rename(staged, name)
}

// checked checks that a file is missing, techo's own, or up to date before it is
// written. It returns the line that matches.
func (f *folder) checked(name, sum string, known []written) (match written, exists bool, err error) {
	match, exists, err = f.found(name, append(slices.Clip(known), written{sum: sum, size: -1}))
	if foreign := new(ForeignError); errors.As(err, &foreign) {
		foreign.Changed = len(known) > 0
	}
	if err == nil && !exists {
		if f.free == nil {
			f.free = map[string]bool{}
		}
		f.free[name] = true
	}
	return match, exists, err
}

func (w written) line(name string) string {
	return fmt.Sprintf("%s %d %d %s\n", w.sum, w.size, w.mtime, name)
}
