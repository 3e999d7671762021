package lineage

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// SystemUsers reports whether this process is in the user namespace of the system. In another
// one, its maker decides which folders and databases the process sees.
func SystemUsers() bool {
	root, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(root)
	var fs unix.Statfs_t
	name, err := proc(root).link(strconv.Itoa(os.Getpid())+"/ns", "user")
	return err == nil && unix.Fstatfs(root, &fs) == nil && fs.Type == unix.PROC_SUPER_MAGIC && name == initialUsers
}
