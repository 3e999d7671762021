package disk

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dropCache drops a file's pages from the page cache.
func dropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// DropMapped tells the system that the pages of a mapped file are not needed soon. They leave the memory of
// this process, and are mapped again when they are read.
func DropMapped(pages []byte) {
	if len(pages) > 0 {
		_ = unix.Madvise(pages, unix.MADV_DONTNEED)
	}
}

// freeOf returns the free bytes of a file system, or -1 for one that does not
// report its size, such as some in user space.
func freeOf(st *syscall.Statfs_t) int64 {
	unit := st.Frsize // of the counts, if it is set
	if unit == 0 {
		unit = st.Bsize
	}
	if st.Blocks == 0 {
		return -1
	}
	return int64(st.Bavail) * int64(unit)
}

// networkKinds are the network file systems of Linux by their magic numbers in
// statfs(2). FUSE and 9P are missing on purpose: sandboxes have local disks behind
// them.
var networkKinds = map[uint32]string{
	0x6969:     "nfs",
	0x517b:     "smb",
	0xff534d42: "cifs",
	0xfe534d42: "smb2",
	0x5346414f: "afs",
	0x6b414653: "afs",
	0x73757245: "coda",
	0x564c:     "ncp",
	0x00c36400: "ceph",
	0x0bd00bd0: "lustre",
	0x47504653: "gpfs",
	0x01161970: "gfs2",
	0x7461636f: "ocfs2",
}

// NetworkKind returns the network file system that holds a folder, or "".
func NetworkKind(dir string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return ""
	}
	return networkKinds[uint32(st.Type)]
}
