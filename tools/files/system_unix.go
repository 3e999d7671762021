//go:build unix

package files

import (
	"errors"
	"syscall"
)

// noWait keeps an opening from waiting for the other end of a FIFO.
const noWait = syscall.O_NONBLOCK

// isFull reports whether there was no room on the disk or in the quota.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
