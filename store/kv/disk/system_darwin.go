package disk

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// freeOf returns the free bytes of a file system.
func freeOf(st *syscall.Statfs_t) int64 { return int64(st.Bavail * uint64(st.Bsize)) }

// NetworkKind returns the network file system that holds a folder, or "".
func NetworkKind(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
