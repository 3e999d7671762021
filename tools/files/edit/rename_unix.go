//go:build unix

package edit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// inFolders calls do with descriptors of two folders.
func inFolders(from, to *os.Root, do func(from, to int) error) error {
	a, err := from.Open(".")
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := to.Open(".")
	if err != nil {
		return err
	}
	defer b.Close()
	return do(int(a.Fd()), int(b.Fd()))
}

// isOtherDevice reports whether a rename failed because the names are on two file
// systems.
func isOtherDevice(err error) bool { return errors.Is(err, unix.EXDEV) }
