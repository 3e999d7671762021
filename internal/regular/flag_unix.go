//go:build unix

package regular

import "syscall"

// NoWait is a flag that keeps open from waiting for the other end of a FIFO.
const NoWait = syscall.O_NONBLOCK
