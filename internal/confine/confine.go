// Package confine finds which of several root folders contains a path.
package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxMissing limits the trailing elements of a path that may be missing.
const maxMissing = 100

// Under returns a path below a folder, unless the path is absolute or, on Windows, begins at the
// root of the folder's drive. It leaves ".." for Follow, which resolves it behind links.
func Under(folder, path string) string {
	switch {
	case filepath.IsAbs(path):
		return path
	case path != "" && os.IsPathSeparator(path[0]): // not absolute, so this is Windows
		return filepath.VolumeName(folder) + path
	}
	return folder + string(filepath.Separator) + path
}

// Follow resolves the links of an absolute path as far as the path exists. It
// keeps the missing trailing elements unchanged.
func Follow(path string) (string, error) {
	path = filepath.FromSlash(path)
	rest, whole := "", path
	for range maxMissing {
		real, err := filepath.EvalSymlinks(path)
		switch {
		case err == nil:
			return filepath.Join(real, rest), nil
		case len(path) > longest && errors.Is(err, syscall.ENAMETOOLONG):
			return followLong(filepath.Clean(whole))
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return "", err
		}
		path = strings.TrimRight(path, string(filepath.Separator))
		cut := strings.LastIndexByte(path, filepath.Separator)
		if cut < 0 {
			return "", err
		}
		rest = filepath.Join(path[cut+1:], rest)
		path = path[:cut+1]
	}
	return "", fs.ErrNotExist
}

// Find returns the first root that contains a path, and the path relative to
// that root. The names of the roots and the path must be absolute and free of
// links. A nil root means that no root contains the path.
func Find(roots []*os.Root, real string) (root *os.Root, inside string) {
	for _, r := range roots {
		inside, err := filepath.Rel(r.Name(), real)
		if err == nil && filepath.IsLocal(inside) {
			return r, inside
		}
	}
	return nil, ""
}

// longest is the length in bytes up to which a path can be passed to the system on all
// platforms. Longer paths are opened in parts.
const longest = 1000

// divide splits an absolute path into a part that is not too long, and the rest.
func divide(path string) (head, rest string) {
	if len(path) <= longest {
		return path, ""
	}
	cut := strings.LastIndexByte(path[:longest], filepath.Separator)
	if cut <= 0 {
		return path, ""
	}
	return path[:cut], strings.TrimLeft(path[cut:], string(filepath.Separator))
}

// OpenRoot is os.OpenRoot for an absolute path of any length.
func OpenRoot(path string) (*os.Root, error) {
	head, rest := divide(path)
	root, err := os.OpenRoot(head)
	if err != nil || rest == "" {
		return root, err
	}
	defer root.Close()
	return root.OpenRoot(rest)
}

// followLong is Follow for a path that is too long for the system. Links are resolved
// in its first part only; one in the rest is an error.
func followLong(path string) (string, error) {
	head, rest := divide(path)
	real, err := filepath.EvalSymlinks(head)
	if err != nil {
		return "", err
	}
	at, err := OpenRoot(real)
	if err != nil {
		return "", err
	}
	defer func() { at.Close() }()
	for name := range strings.SplitSeq(rest, string(filepath.Separator)) {
		switch info, err := at.Lstat(name); {
		case errors.Is(err, fs.ErrNotExist):
			return filepath.Join(real, rest), nil
		case err != nil:
			return "", err
		case name == "..", info.Mode()&fs.ModeSymlink != 0:
			return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ENAMETOOLONG}
		case !info.IsDir():
			return filepath.Join(real, rest), nil
		}
		below, err := at.OpenRoot(name)
		if err != nil {
			return "", err
		}
		at.Close()
		at = below
	}
	return filepath.Join(real, rest), nil
}
