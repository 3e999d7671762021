package folder

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"techo/internal/testenv"
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
