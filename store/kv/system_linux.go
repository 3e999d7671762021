package kv

import (
	"bufio"
	"bytes"
	"errors"
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

// exchange swaps two folders atomically.
func exchange(a, b string) error {
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return swap(a, b) // not supported by the file system
	}
	return err
}

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
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	inode := ":" + strconv.FormatUint(sys.Ino, 10)
	// 7: FLOCK  ADVISORY  WRITE 4242 fe:00:131 0 EOF; "->" marks one who waits
	for lines := bufio.NewScanner(f); lines.Scan(); {
		part := strings.Fields(lines.Text())
		if len(part) < 6 || part[1] != "FLOCK" || !strings.HasSuffix(part[5], inode) {
			continue
		}
		if pid, _ = strconv.Atoi(part[4]); pid > 0 {
			return pid, commandOf(pid)
		}
	}
	return 0, ""
}

// commandOf describes a process by its program and the words up to the first flag,
// so that no arguments with user data are shown.
func commandOf(pid int) string {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
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
