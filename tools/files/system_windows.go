package files

import (
	"errors"
	"syscall"
)

// noWait is for systems with FIFOs.
const noWait = 0

// isFull reports whether there was no room on the disk (ERROR_HANDLE_DISK_FULL,
// ERROR_DISK_FULL).
func isFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
