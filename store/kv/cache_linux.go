package kv

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropCache drops what the system remembers of a file.
func dropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }
