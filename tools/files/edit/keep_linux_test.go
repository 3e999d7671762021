package edit

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"techo/internal/testenv"
)

// TestKeepsAttributes expects an edit to keep extended attributes.
func TestKeepsAttributes(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "f"), "old text")
	if err := unix.Setxattr(path, "user.note", []byte("kept"), 0); err != nil {
		testenv.Missing(t, "extended attributes: "+err.Error())
	}
	check(t, unix.Setxattr(path, "user.empty", nil, 0))
	before, err := os.Stat(path)
	check(t, err)
	_, err = edit(testEnv(dir), replace(path, "old", "new"))
	check(t, err)
	after, err := os.Stat(path)
	check(t, err)
	if os.SameFile(before, after) {
		t.Error("it was written in place")
	}
	value := make([]byte, 10)
	n, err := unix.Getxattr(path, "user.note", value)
	if err != nil || string(value[:n]) != "kept" {
		t.Errorf("the attribute became %q, %v", value[:max(n, 0)], err)
	}
	if n, err = unix.Getxattr(path, "user.empty", nil); err != nil || n != 0 {
		t.Errorf("the empty attribute: %d, %v", n, err)
	}
}

// TestKeepsModeOfOthers expects an edit to keep set-uid without root rights. The
// system clears it when such a process writes to a file.
func TestKeepsModeOfOthers(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "f"), "old text")
	want := 0o755 | fs.ModeSetuid
	check(t, os.Chmod(path, want))
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread has lost its rights and must end
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var rights [2]unix.CapUserData
		err := unix.Capget(&head, &rights[0])
		if err == nil {
			rights[0].Effective &^= 1 << unix.CAP_FSETID
			err = unix.Capset(&head, &rights[0])
		}
		if err == nil {
			_, err = edit(testEnv(dir), replace(path, "old", "new"))
		}
		done <- err
	}()
	check(t, <-done)
	info, err := os.Stat(path)
	check(t, err)
	if info.Mode() != want {
		t.Errorf("mode %v became %v", want, info.Mode())
	}
}
