package system

import (
	"golang.org/x/sys/unix"
)

const (
	GetTermios = unix.TCGETS
	SetTermios = unix.TCSETS
)

// hideMemory keeps other processes of the user from tracing this one and reading its memory.
func hideMemory() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
