//go:build unix && !linux

package walk

import "syscall"

// noWait prevents opening a FIFO from blocking.
const noWait = syscall.O_NONBLOCK
