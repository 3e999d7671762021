//go:build !linux

package lock

import (
	"errors"
	"os"

	"techo/store/kv/disk"
)

// Settle says that the holder has settled the journal, by a lock on the file queue. Without
// it, readers wait in more cases.
func (h *Lock) Settle(dir string) {
	f, err := disk.OpenEntry(os.O_RDWR|os.O_CREATE, dir, disk.QueueName)
	if err != nil {
		return
	}
	if Try(f) != nil {
		f.Close()
		return
	}
	h.unsettle = func() {
		_ = freeLock(f)
		f.Close()
	}
}

// Settled reports whether the store in a folder has a writer that has settled the journal.
func Settled(dir string) bool {
	f, err := disk.OpenEntry(os.O_RDWR, dir, disk.QueueName)
	if err != nil {
		return false
	}
	defer f.Close()
	err = Try(f)
	if err == nil {
		_ = freeLock(f)
	}
	return errors.Is(err, ErrHeld)
}

// lockOwner returns the process that holds a lock. Only Linux reports it;
// elsewhere the writer's own note is used.
func lockOwner(string) (pid int, command string) { return 0, "" }
