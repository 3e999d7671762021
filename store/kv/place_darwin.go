package kv

import "golang.org/x/sys/unix"

// networkKind names the network file system that a folder lies on, "" for none.
func networkKind(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
