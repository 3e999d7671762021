package files

import (
	"errors"
	"os"
	"syscall"
)

// nonBlocking has no meaning on Windows.
const nonBlocking = 0

// isFull reports whether the disk is full (ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_FULL).
func isFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// tryLock does nothing. A lock on Windows would also block readers and keep the
// file from being replaced.
func tryLock(*os.File) (bool, error) { return true, nil }

// waitLock is never called, because tryLock never fails.
func waitLock(*os.File) error { return nil }
