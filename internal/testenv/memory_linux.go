package testenv

import (
	"os"

	"golang.org/x/sys/unix"
)

// memory is a file system in memory.
const memory = "/dev/shm"

// Ordinary runs keep their temporary files in memory, where a sync takes no time: on a disk, half
// the time of the tests of stores goes to syncs. The other runs use the disk. A TMPDIR that is set
// counts, and so do a small file system in memory and one without programs, as containers have.
func init() {
	if Full() || Long() || os.Getenv("TMPDIR") != "" || os.Getenv("TECHO_TEST_WINE") != "" {
		return
	}
	var st unix.Statfs_t
	if unix.Statfs(memory, &st) != nil || st.Type != unix.TMPFS_MAGIC || st.Flags&unix.ST_NOEXEC != 0 ||
		int64(st.Bavail)*int64(st.Bsize) < 4<<30 {
		return
	}
	_ = os.Setenv("TMPDIR", memory)
}
