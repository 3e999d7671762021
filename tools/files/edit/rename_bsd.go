//go:build unix && !linux

package edit

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// renameFree renames an entry of one open folder to a free name in another. It
// fails with fs.ErrExist if the name is taken; a name that another process takes at
// the same moment is replaced.
func renameFree(from *os.Root, old string, to *os.Root, name string) error {
	if _, err := to.Lstat(name); err == nil {
		return fs.ErrExist
	}
	return inFolders(from, to, func(from, to int) error { return unix.Renameat(from, old, to, name) })
}
