package paths

import (
	"errors"
	"os"
	"syscall"
)

// NonBlocking has no meaning on Windows.
const NonBlocking = 0

// IsFull reports whether the disk is full (ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_FULL).
func IsFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// TryLock does nothing. A lock on Windows would also block readers and keep the
// file from being replaced.
func TryLock(*os.File) (bool, error) { return true, nil }

// waitLock is never called, because TryLock never fails.
func waitLock(*os.File) error { return nil }
