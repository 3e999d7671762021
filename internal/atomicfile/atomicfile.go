// Package atomicfile writes files that appear complete or not at all.
//
// Each write takes the same steps:
//
//  1. Create a temporary file in the folder of the destination.
//  2. Write it and flush it to the disk (fsync).
//  3. Rename it to the destination, or link it where no file may be replaced.
//  4. Flush the folder, which makes the new name durable.
//
// A reader therefore sees the old content or the new content. After a crash or
// a power failure the destination holds one of the two; at most a temporary
// file remains. Temporary names are ".PREFIX" and a decimal number, so that
// [IsTemp] and [Sweep] recognize them and leave all other files alone.
//
// Paths are resolved beneath an [os.Root]: a symbolic link planted in the
// folder is replaced, not followed.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"techo/internal/confine"
	"time"
)

// Options control how a file is written. The zero value replaces an existing
// file, makes the result durable and lets only the owner read it.
type Options struct {
	Mode      fs.FileMode // of the file, less the umask; 0 means 0600
	Chmod     fs.FileMode // of the complete file, whatever the umask; 0 leaves Mode
	Prefix    string      // of the temporary name, after its dot; "" derives one from the file's name
	Exclusive bool        // fail with fs.ErrExist instead of replacing a file
	NoSync    bool        // skip both flushes: for caches that verify what they read
}

func (o Options) prefix(name string) string {
	if o.Prefix != "" {
		return o.Prefix
	}
	return TempPrefix(name)
}

func (o Options) mode() fs.FileMode {
	if o.Mode != 0 {
		return o.Mode
	}
	return 0o600
}

// tempMark ends the prefixes of TempPrefix. It keeps temporary files apart from
// files of other programs and from numbered copies.
const tempMark = ".techo-"

// maxName is the longest file name, in bytes, that leaves room for the rest of
// a temporary name in the 255 bytes that file systems allow.
const maxName = 255 - len("."+tempMark+"-9223372036854775808")

// TempPrefix returns the default prefix of the temporary files for a file name.
// Names too long for a prefix of their own share one.
func TempPrefix(name string) string {
	if len(name) > maxName {
		return tempMark[1:]
	}
	return name + tempMark
}

// IsTemp reports whether Create gives this name to temporary files with a
// prefix.
func IsTemp(name, prefix string) bool {
	number, ok := strings.CutPrefix(name, "."+prefix)
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// Create creates a temporary file for the file of a name in dir. The caller
// writes to it, then calls Commit, Replace or Link, and always calls Discard.
func Create(dir *os.Root, name string, o Options) (*File, error) {
	f := &File{dir: dir, name: name, options: o}
	if err := f.create(); err != nil {
		return nil, err
	}
	return f, nil
}

// Commit makes the content durable, gives the file its name and flushes the
// folder.
func (f *File) Commit() error {
	if f.options.Chmod != 0 {
		if err := f.Chmod(f.options.Chmod); err != nil {
			return err
		}
	}
	if !f.options.NoSync {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	place := f.Replace
	if f.options.Exclusive {
		place = f.linkOrRename
	}
	if err := place(); err != nil || f.options.NoSync {
		return err
	}
	return SyncFolder(f.dir)
}

// Replace closes the file and renames it to its name, in the place of a file
// that has the name. It flushes nothing.
func (f *File) Replace() error {
	if err := f.close(); err != nil {
		return err
	}
	return f.dir.Rename(f.Temp(), f.name)
}

// Link closes the file and links it to its name, which fails with fs.ErrExist
// when the name is taken, and with another error where the file system has no
// hard links. It flushes nothing.
func (f *File) Link() error {
	if err := f.close(); err != nil {
		return err
	}
	if err := f.dir.Link(f.Temp(), f.name); err != nil {
		return err
	}
	return f.dir.Remove(f.Temp())
}

// linkOrRename is Link. On a file system without hard links it looks for the
// name and renames, which leaves a short race with other writers.
func (f *File) linkOrRename() error {
	err := f.Link()
	if !errors.Is(err, syscall.EPERM) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if _, err := f.dir.Lstat(f.name); err == nil {
		return &fs.PathError{Op: "create", Path: f.name, Err: fs.ErrExist}
	}
	return f.dir.Rename(f.Temp(), f.name)
}

// Write writes a file in one step.
func Write(dir *os.Root, name string, data []byte, o Options) error {
	return WriteFunc(dir, name, o, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc writes the output of write to a file. When write fails, the file
// stays as it was.
func WriteFunc(dir *os.Root, name string, o Options, write func(io.Writer) error) error {
	f, err := Create(dir, name, o)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// WritePath is WriteAt for the file at a path.
func WritePath(path string, o Options, write func(io.Writer) error) error {
	return WriteAt(confine.Place{Path: path}, o, write)
}

// WriteAt is WriteFunc for the file at a place. It first sweeps the temporary
// files that killed writers of the same file left.
func WriteAt(to confine.Place, o Options, write func(io.Writer) error) error {
	dir, name, err := to.Parent()
	if err != nil {
		return err
	}
	defer dir.Close()
	Sweep(dir, o.prefix(name), sweepAge)
	return WriteFunc(dir, name, o, write)
}

// sweepAge is the age at which WritePath takes a temporary file for abandoned:
// no writer takes that long.
const sweepAge = time.Hour

// sweepNames limits the entries that Sweep reads from one folder.
const sweepNames = 3000

// Sweep removes temporary files with a prefix that have not been written to for
// age. It ignores errors: the next write sweeps again.
func Sweep(dir *os.Root, prefix string, age time.Duration) {
	SweepFunc(dir, prefix, age, func(string) bool { return true })
}

// SweepFunc is Sweep for the files whose names abandoned accepts.
func SweepFunc(dir *os.Root, prefix string, age time.Duration, abandoned func(name string) bool) {
	d, err := dir.Open(".")
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(sweepNames)
	for _, name := range names {
		if !IsTemp(name, prefix) {
			continue
		}
		if st, err := dir.Lstat(name); err == nil && st.Mode().IsRegular() &&
			time.Since(st.ModTime()) > age && abandoned(name) {
			_ = dir.Remove(name)
		}
	}
}

// SyncFolder flushes the entries of a folder, so that names given or removed in
// it survive a power failure. It does nothing on systems and file systems that
// cannot flush a folder.
func SyncFolder(dir *os.Root) error {
	if !foldersSync {
		return nil
	}
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return IgnoreUnsupported(d.Sync())
}

// IgnoreUnsupported returns nil for an error of a file system that lacks the
// operation, and all other errors unchanged.
func IgnoreUnsupported(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// MakeFolders creates the missing folders of an absolute path or, with a root, of a path in it,
// and returns them, outermost first. If it fails, some of them may be there. Each is synced into
// its parent before it is used.
func MakeFolders(root *os.Root, folder string) (made []string, err error) {
	top := ""
	if root == nil { // the nearest existing folder is the root
		top = folder
		for _, err := os.Stat(top); errors.Is(err, fs.ErrNotExist) && top != filepath.Dir(top); _, err = os.Stat(top) {
			top = filepath.Dir(top)
		}
		if root, err = os.OpenRoot(top); err != nil {
			return nil, err
		}
		defer root.Close()
		if folder, err = filepath.Rel(top, folder); err != nil {
			return nil, err
		}
	}
	at := ""
	for step := range strings.SplitSeq(filepath.Clean(folder), string(filepath.Separator)) {
		parent := filepath.Join(".", at)
		at = filepath.Join(at, step)
		switch err := root.Mkdir(at, 0o777); {
		case errors.Is(err, fs.ErrExist), at == ".":
			continue
		case err != nil:
			return made, err
		}
		made = append(made, filepath.Join(top, at))
		dir, err := root.OpenRoot(parent)
		if err != nil {
			return made, err
		}
		err = SyncFolder(dir)
		dir.Close()
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

// RemoveEmpty removes a folder if it is an empty one, and reports whether it did.
func RemoveEmpty(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	return err == nil && info.IsDir() && dir.Remove(name) == nil
}
