package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is a byte far past the note in the lock file, since a locked byte
// cannot be read on Windows.
const lockAt = 1 << 30

func Try(f *os.File, exclusive bool) error {
	err := lockByte(f, exclusive, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

func waitLock(f *os.File, exclusive bool) error { return lockByte(f, exclusive, 0) }

func freeLock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &windows.Overlapped{Offset: lockAt})
}

func lockByte(f *os.File, exclusive bool, how uint32) error {
	if exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{Offset: lockAt}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
}

// Database does nothing: on Windows Badger cannot open a database that
// another process may write to.
func Database(string) (unlock func(), err error) { return func() {}, nil }
