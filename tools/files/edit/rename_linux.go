package edit

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameFree renames an entry of one open folder to a free name in another. It
// fails with fs.ErrExist if the name is taken.
func renameFree(from *os.Root, old string, to *os.Root, name string) error {
	return inFolders(from, to, func(from, to int) error {
		err := unix.Renameat2(from, old, to, name, unix.RENAME_NOREPLACE)
		if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
			return err
		}
		var st unix.Stat_t // a file system without this call
		if unix.Fstatat(to, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			return fs.ErrExist
		}
		return unix.Renameat(from, old, to, name)
	})
}
