package lock

import (
	"os"

	"golang.org/x/sys/unix"

	"techo/store/kv/disk"
)

// settledAt is a byte far past the note. Its lock belongs to the open file (OFD), and has
// nothing to do with the lock of the whole file.
const settledAt = 1 << 40

// Settle says that the holder has settled the journal.
func (h *Lock) Settle(string) {
	h.mark(unix.F_WRLCK)
	h.unsettle = func() { h.mark(unix.F_UNLCK) }
}

// mark locks or unlocks the byte. Without it, readers wait in more cases.
func (h *Lock) mark(kind int16) {
	_ = unix.FcntlFlock(h.File.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: kind, Start: settledAt, Len: 1})
}

// Settled reports whether the store in a folder has a writer that has settled the journal.
func Settled(dir string) bool {
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.LockName)
	if err != nil {
		return false
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_RDLCK, Start: settledAt, Len: 1}
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &l) == nil && l.Type == unix.F_WRLCK
}
