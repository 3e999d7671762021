package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

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
