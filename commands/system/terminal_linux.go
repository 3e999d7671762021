package system

import (
	"golang.org/x/sys/unix"
)

const (
	GetTermios = unix.TCGETS
	SetTermios = unix.TCSETS
)

// flushInput discards input that was not read.
func flushInput(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
