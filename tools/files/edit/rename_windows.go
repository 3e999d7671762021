package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// renameFree renames an entry of one open folder to a free name in another. It
// fails with fs.ErrExist if the name is taken; a name that another process takes at
// the same moment is replaced.
func renameFree(from *os.Root, old string, to *os.Root, name string) error {
	if _, err := to.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return os.Rename(filepath.Join(from.Name(), old), filepath.Join(to.Name(), name))
}

// isOtherDevice reports whether a rename failed because the names are on two disks
// (ERROR_NOT_SAME_DEVICE).
func isOtherDevice(err error) bool { return errors.Is(err, syscall.Errno(17)) }
