//go:build unix

package files

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
)

// makeSpecial creates special files, such as pipes.
func makeSpecial(t *testing.T, dir string) []string {
	t.Helper()
	check(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o644))
	t.Chdir(dir) // socket paths are limited in length
	l, err := net.Listen("unix", "socket")
	check(t, err)
	t.Cleanup(func() { l.Close() })
	names := []string{"fifo", "socket"}
	// /dev/zero; fails without root rights
	if syscall.Mknod(filepath.Join(dir, "device"), syscall.S_IFCHR|0o666, 1<<8|5) == nil {
		names = append(names, "device")
	}
	return names
}
