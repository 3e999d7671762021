package lock

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
