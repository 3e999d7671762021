//go:build unix && !linux

package walk

import "syscall"

// noWait keeps opening from waiting at a pipe.
const noWait = syscall.O_NONBLOCK
