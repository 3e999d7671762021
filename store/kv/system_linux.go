package kv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// dropCache drops a file's pages from the page cache.
func dropCache(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED) }

// lockOwner returns the process that holds the lock on path, a reader or a writer,
// from /proc/locks. pid is 0 when it is not listed.
func lockOwner(path string) (pid int, command string) {
	st, err := os.Lstat(path)
	if err != nil {
		return 0, ""
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, ""
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return 0, ""
	}
	if pid = ownerIn(string(locks), unix.Major(sys.Dev), unix.Minor(sys.Dev), sys.Ino); pid == 0 {
		return 0, ""
	}
	return pid, commandOf(pid)
}

// ownerIn returns the process that holds the lock on a file, or 0. Each line of
// locks describes one lock; "->" marks a process that waits:
//
//	7: FLOCK  ADVISORY  WRITE 4242 fe:00:131 0 EOF
//
// A file system such as btrfs reports another device for its files than the lines
// have. Then only the inode number is compared.
func ownerIn(locks string, major, minor uint32, inode uint64) (pid int) {
	for line := range strings.Lines(locks) {
		part := strings.Fields(line)
		if len(part) < 6 || part[1] != "FLOCK" || !strings.HasSuffix(part[5], fmt.Sprintf(":%d", inode)) {
			continue
		}
		owner, _ := strconv.Atoi(part[4])
		if owner > 0 && part[5] == fmt.Sprintf("%02x:%02x:%d", major, minor, inode) {
			return owner
		}
		if pid == 0 && owner > 0 {
			pid = owner
		}
	}
	return pid
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

// commandOf describes a process by its program and the words up to the first flag,
// so that no arguments with user data are shown.
func commandOf(pid int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(line) == 0 { // a process that is ending has no line
		return ""
	}
	words := bytes.Split(bytes.TrimRight(line, "\x00"), []byte{0})
	name := filepath.Base(string(words[0]))
	for _, w := range words[1:min(len(words), 3)] {
		if len(w) == 0 || len(w) > 20 || w[0] == '-' || bytes.ContainsAny(w, " \n\t/") {
			break
		}
		name += " " + string(w)
	}
	return name
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

// networkKind returns the network file system that holds a folder, or "".
func networkKind(dir string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return ""
	}
	return networkKinds[uint32(st.Type)]
}
