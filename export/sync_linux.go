package export

import (
	"os"

	"golang.org/x/sys/unix"

	"techo/internal/atomicfile"
)

// syncAll flushes all files of a folder with one call, which flushes the whole
// file system.
func syncAll(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return atomicfile.IgnoreUnsupported(unix.Syncfs(int(d.Fd())))
}
