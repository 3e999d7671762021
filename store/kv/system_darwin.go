package kv

import "golang.org/x/sys/unix"

// networkKind returns the network file system that holds a folder, or "".
func networkKind(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
