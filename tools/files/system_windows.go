package files

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// noWait is for systems with FIFOs.
const noWait = 0

// isFull reports whether there was no room on the disk (ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_FULL).
func isFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// tryLock locks nothing: a lock here keeps others from reading, too, and the
// file from being replaced.
func tryLock(*os.File) (bool, error) { return true, nil }

// waitLock is not called: tryLock never fails.
func waitLock(*os.File) error { return nil }

// names returns how many names a file has, which here is not told.
func names(fs.FileInfo) int { return 1 }

// syncDir does nothing: the file system keeps names in its journal.
func syncDir(*os.Root) error { return nil }
