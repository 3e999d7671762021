//go:build unix

package regular

import "syscall"

// nonBlocking keeps open from waiting for the other end of a FIFO.
const nonBlocking = syscall.O_NONBLOCK
