package folder

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"techo/internal/testenv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// cachedPages returns how many pages of a synced file the page cache has after
// forget.
func cachedPages(t *testing.T, name string, forget func(string)) (pages int) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	var place unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &place); err != nil || place.Type == unix.TMPFS_MAGIC {
		testenv.Missing(t, "files outside of the memory")
	}
	forget(name)
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(data)
	cached := make([]byte, (len(data)+os.Getpagesize()-1)/os.Getpagesize())
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)),
		uintptr(unsafe.Pointer(&cached[0])))
	if errno != 0 {
		testenv.Missing(t, "mincore: "+errno.Error())
	}
	for _, c := range cached {
		pages += int(c & 1)
	}
	return pages
}

// TestLockOwnerDevice finds the owner of a lock among locks on files with the same
// inode number on other devices.
func TestLockOwnerDevice(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
2: FLOCK  ADVISORY  WRITE 22 08:01:77 0 EOF
3: FLOCK  ADVISORY  READ 33 fe:00:77 0 EOF
3: -> FLOCK  ADVISORY  WRITE 44 fe:00:77 0 EOF
4: FLOCK  ADVISORY  WRITE 55 fe:00:177 0 EOF
5: FLOCK  ADVISORY  WRITE 0 103:10:88 0 EOF
6: FLOCK  ADVISORY  WRITE 66 103:10:88 0 EOF
`
	for _, c := range []struct {
		major, minor uint32
		inode        uint64
		want         int
	}{
		{0xfe, 0, 77, 33},
		{8, 1, 77, 22},
		{0x103, 0x10, 88, 66},
		{0, 0x2a, 177, 55}, // a subvolume of btrfs has a device of its own
		{0xfe, 0, 99, 0},
	} {
		if got := lock.OwnerIn(locks, c.major, c.minor, c.inode); got != c.want {
			t.Errorf("%x:%x:%d: pid %d, want %d", c.major, c.minor, c.inode, got, c.want)
		}
	}
}

// TestFreeBytesUnits covers file systems that count in fragments, and those that
// report no size at all.
func TestFreeBytesUnits(t *testing.T) {
	for name, c := range map[string]struct {
		st   syscall.Statfs_t
		want int64
	}{
		"blocks":    {syscall.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"fragments": {syscall.Statfs_t{Bsize: 1 << 20, Frsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"old":       {syscall.Statfs_t{Bsize: 4096, Blocks: 100, Bavail: 10}, 40960},
		"full":      {syscall.Statfs_t{Bsize: 4096, Frsize: 4096, Blocks: 100}, 0},
		"unknown":   {syscall.Statfs_t{Bsize: 4096, Frsize: 4096}, -1},
	} {
		if got := disk.FreeOf(&c.st); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}
