// Package private opens folders and files that belong to one user alone. It
// refuses an entry that another user owns or could change. Links are followed
// on the way to the folder that the caller names, but not inside it.
package private

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"techo/internal/regular"
)

// Reason is the reason for refusing a folder or a file.
type Reason string

// The reasons.
const (
	Link     Reason = "link"     // it is a symbolic link
	Owner    Reason = "owner"    // another user owns it
	Writable Reason = "writable" // its group or all users may write to it
	Readable Reason = "readable" // it is a secret, and its group or all users may read it
)

// Error reports a folder or a file that was refused because another user could
// control its content.
type Error struct {
	Path   string
	Reason Reason
	Folder bool
}

func (e *Error) Error() string {
	switch e.Reason {
	case Link:
		return e.Path + ": is a link"
	case Owner:
		return e.Path + ": belongs to another user"
	case Readable:
		return e.Path + ": other users may read it"
	}
	return e.Path + ": other users may write to it"
}

// NotFileError reports that a path does not lead to a regular file.
type NotFileError struct{ Path string }

func (e *NotFileError) Error() string { return e.Path + ": not a file" }

// Folder is an open folder. It stays the same folder if another one takes its
// path.
type Folder struct{ root *os.Root }

// OpenFolder opens a folder of this user. It follows links on the way there.
func OpenFolder(path string) (*Folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		if st, e := os.Stat(path); e == nil && !st.IsDir() { // package os has no error of its own for this
			err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
		}
		return nil, err
	}
	return checked(root)
}

// OpenFolderItself is OpenFolder, but refuses a path whose last element is a
// link.
func OpenFolderItself(path string) (*Folder, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if there.Mode()&fs.ModeSymlink != 0 {
		return nil, &Error{Path: path, Reason: Link, Folder: true}
	}
	f, err := OpenFolder(path)
	if err != nil {
		return nil, err
	}
	if err := f.same(there); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CreateFolder creates a folder, or checks with OpenFolderItself the one that exists.
func CreateFolder(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := OpenFolderItself(path)
	if err == nil {
		f.Close()
	}
	return err
}

// checked wraps root, or closes it and fails if another user controls it.
func checked(root *os.Root) (*Folder, error) {
	st, err := root.Stat(".")
	if err == nil {
		err = check(root.Name(), st)
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Folder{root}, nil
}

// same fails unless the open folder is the entry that was seen at its path. A
// link could have replaced it in between.
func (f *Folder) same(seen fs.FileInfo) error {
	st, err := f.root.Stat(".")
	if err == nil && !os.SameFile(st, seen) {
		err = &Error{Path: f.Path(), Reason: Link, Folder: true}
	}
	return err
}

// Close closes the folder.
func (f *Folder) Close() { f.root.Close() }

// Path returns the path that opened the folder.
func (f *Folder) Path() string { return f.root.Name() }

// lstat describes an entry, and fails if it is a link.
func (f *Folder) lstat(name string) (fs.FileInfo, error) {
	st, err := f.root.Lstat(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.Path(), name), Err: cause(err)}
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		return nil, &Error{Path: filepath.Join(f.Path(), name), Reason: Link}
	}
	return st, nil
}

// cause unwraps the system's error from an fs.PathError. The caller adds the
// full path, which package os.Root does not have.
func cause(err error) error {
	if e := new(fs.PathError); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Folder opens a subfolder.
func (f *Folder) Folder(name string) (*Folder, error) {
	st, err := f.lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.Path(), name), Err: syscall.ENOTDIR}
	}
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.Path(), name), Err: cause(err)}
	}
	below, err := checked(root)
	if err != nil {
		return nil, err
	}
	if err := below.same(st); err != nil {
		below.Close()
		return nil, err
	}
	return below, nil
}

// MakeFolder opens a subfolder, and creates it for this user alone if it is
// missing.
func (f *Folder) MakeFolder(name string) (*Folder, error) {
	if err := f.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, &fs.PathError{Op: "mkdir", Path: filepath.Join(f.Path(), name), Err: cause(err)}
	}
	return f.Folder(name)
}

// Open opens a regular file in the folder with the flags of os.OpenFile. Only
// this user may access a new file.
func (f *Folder) Open(name string, flags int) (*os.File, error) {
	path := filepath.Join(f.Path(), name)
	seen, err := f.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE != 0:
	case err != nil:
		return nil, err
	case !seen.Mode().IsRegular():
		return nil, &NotFileError{path}
	default:
		if err := check(path, seen); err != nil {
			return nil, err
		}
	}
	// Without a poller, which NoWait tells package os, a file takes four system calls less.
	file, err := f.root.OpenFile(name, flags|regular.NoWait, 0o600)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: cause(err)}
	}
	st, err := file.Stat()
	if err == nil {
		err = check(path, st)
	}
	if err == nil && seen != nil && !os.SameFile(st, seen) && flags&os.O_CREATE == 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} // replaced in the meantime
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// ReadFile reads a regular file in the folder. It fails for a file of more than
// maxBytes.
func (f *Folder) ReadFile(name string, maxBytes int64) ([]byte, error) {
	file, err := f.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && int64(len(b)) > maxBytes {
		err = fmt.Errorf("%s: more than %d bytes", file.Name(), maxBytes)
	}
	return b, err
}

// ReadSecretJSON decodes the JSON of a file that no other user may read, in a folder that is
// not a link. If the file does not exist, v stays as it is.
func ReadSecretJSON(path string, maxBytes int64, v any) error {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	folder, err := OpenFolderItself(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	b, err := folder.ReadSecret(filepath.Base(path), maxBytes)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// ReadSecret is ReadFile for a file that no other user may read.
func (f *Folder) ReadSecret(name string, maxBytes int64) ([]byte, error) {
	st, err := f.lstat(name)
	if err == nil && st.Mode().IsRegular() {
		err = CheckSecret(filepath.Join(f.Path(), name), st)
	}
	if err != nil {
		return nil, err
	}
	return f.ReadFile(name, maxBytes)
}

// Entries lists the folder, sorted by name.
func (f *Folder) Entries() ([]fs.DirEntry, error) { return fs.ReadDir(f.root.FS(), ".") }

// Remove removes a file or an empty folder. It does not follow a link.
func (f *Folder) Remove(name string) error { return f.root.Remove(name) }

// Root returns the folder for writing files with package atomicfile.
func (f *Folder) Root() *os.Root { return f.root }

// Open opens a regular file below a folder. The last name is the file, the
// names before it are nested folders.
func Open(folder string, flags int, names ...string) (*os.File, error) {
	f, err := OpenFolder(folder)
	if err != nil {
		return nil, err
	}
	for ; len(names) > 1; names = names[1:] {
		below, err := f.Folder(names[0])
		f.Close()
		if err != nil {
			return nil, err
		}
		f = below
	}
	defer f.Close()
	return f.Open(names[0], flags)
}

// Check fails if another user controls a folder or one of the named entries in
// it. Missing entries are fine.
func Check(folder string, names ...string) error {
	f, err := OpenFolder(folder)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, name := range names {
		st, err := f.lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = check(filepath.Join(folder, name), st)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
