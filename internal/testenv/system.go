package testenv

import (
	"os"
	"testing"
)

// Symlink creates a symbolic link. A system that refuses it ends the test as Missing
// does: Windows needs a privilege.
func Symlink(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		Missing(t, "symbolic links: "+err.Error())
	}
}

// OpenFiles counts the file descriptors of this process. A system without /proc ends
// the test as Missing does.
func OpenFiles(t testing.TB) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		Missing(t, "a list of the open files: "+err.Error())
	}
	return len(names)
}
