//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package system

import "golang.org/x/sys/unix"

const (
	GetTermios = unix.TIOCGETA
	SetTermios = unix.TIOCSETA
)

// hideMemory does nothing: other processes of the user need a right to read this one's memory.
func hideMemory() {}

func flushInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, unix.TCIFLUSH) }
