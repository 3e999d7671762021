//go:build unix

package files

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// makeSpecial makes what looks like a file and is none.
func makeSpecial(t *testing.T, dir string) []string {
	t.Helper()
	check(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	t.Chdir(dir) // the path of a socket is short
	l, err := net.Listen("unix", "socket")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	names := []string{"fifo", "socket"}
	if syscall.Mknod(filepath.Join(dir, "device"), syscall.S_IFCHR|0o666, 1<<8|5) == nil { // /dev/zero; only root may
		names = append(names, "device")
	}
	return names
}
