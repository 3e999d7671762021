package kv

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lockOwner finds who holds the lock on path, a reader or a writer, in the
// kernel's own list (/proc/locks). pid is 0 when the list does not tell.
func lockOwner(path string) (pid int, command string) {
	st, err := os.Stat(path)
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

// commandOf names a process by its program and the words that follow it up to
// the first flag: enough to know it by, without what was said to it.
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
