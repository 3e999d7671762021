package system

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// accountIDs returns the numbers that the effective user may have in the database of users. In a
// user namespace that is not the system's, an account has another number than outside, which its
// maker chooses: the first number is for the database of a container, the second for that of the
// system, and only a folder of the account counts as its home.
func accountIDs() (ids []int, foreign bool, err error) {
	own := os.Geteuid()
	text, err := uidMap()
	if err != nil {
		return nil, true, err
	}
	for line := range bytes.Lines(text) {
		var inside, outside, n int
		if _, err := fmt.Sscan(string(line), &inside, &outside, &n); err != nil {
			return nil, true, fmt.Errorf("/proc/self/uid_map: %w", err)
		}
		if inside == 0 && outside == 0 && n == 1<<32-1 {
			return []int{own}, false, nil
		}
		if own >= inside && own-inside < n {
			return []int{own, own - inside + outside}, true, nil
		}
	}
	return nil, true, errors.New("this account has no number outside of its user namespace")
}

// uidMap returns /proc/self/uid_map, if /proc shows the processes of the system.
func uidMap() ([]byte, error) {
	f, err := os.Open("/proc/self/uid_map")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var fs unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &fs); err != nil {
		return nil, err
	}
	if fs.Type != unix.PROC_SUPER_MAGIC {
		return nil, errors.New("/proc is no process file system")
	}
	text := make([]byte, 64<<10)
	n, err := f.Read(text)
	return text[:n], err
}

func ownedBy(folder string, id int) bool {
	st, err := os.Stat(folder)
	if err != nil || !st.IsDir() {
		return false
	}
	owner, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == id
}
