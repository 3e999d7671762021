package export

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncAll makes all files of a folder safe, with all else that its file system
// has not written yet.
func syncAll(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return ignoreUnsupported(unix.Syncfs(int(d.Fd())))
}
