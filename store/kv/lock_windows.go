package kv

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockAt is a byte far past the note in the lock file, since a locked byte
// cannot be read on Windows.
const lockAt = 1 << 30

func tryLock(f *os.File, alone bool) error {
	err := lockByte(f, alone, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errWouldBlock
	}
	return err
}

func waitLock(f *os.File, alone bool) error { return lockByte(f, alone, 0) }

func lockByte(f *os.File, alone bool, how uint32) error {
	if alone {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := windows.Overlapped{Offset: lockAt}
	return windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &at)
}

// lockOwner finds who holds a lock; Windows does not tell.
func lockOwner(string) (pid int, command string) { return 0, "" }

// freeBytes tells how much room is left where dir lies, or -1.
func freeBytes(dir string) int64 {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return -1
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return -1
	}
	return int64(free)
}

// isNoSpace reports whether err is a full disk.
func isNoSpace(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
