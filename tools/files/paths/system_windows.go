package paths

import (
	"errors"
	"os"
	"syscall"
)

// onWindows is true: names have the rules of Windows.
const onWindows = true

// isInUse reports whether another program has the file open and shares it with none, or has locked
// a part (ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION).
func isInUse(err error) bool {
	return errors.Is(err, syscall.Errno(32)) || errors.Is(err, syscall.Errno(33))
}

// isInvalidName reports whether no file can have the name (ERROR_INVALID_NAME), as a path in a
// file.
func isInvalidName(err error) bool { return errors.Is(err, syscall.Errno(123)) }

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
