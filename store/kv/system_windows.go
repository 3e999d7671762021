package kv

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// lockAt is a byte far past the note in the lock file, since a locked byte
// cannot be read on Windows.
const lockAt = 1 << 30

func tryLock(f *os.File, exclusive bool) error {
	err := lockByte(f, exclusive, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errWouldBlock
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

// lockDatabase does nothing: on Windows Badger cannot open a database that
// another process may write to.
func lockDatabase(string) (unlock func(), err error) { return func() {}, nil }

// freeBytes returns the free space of the file system of dir, or -1.
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

// networkKind returns the network file system that holds a folder, or "".
func networkKind(dir string) string {
	full, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	volume := filepath.VolumeName(full)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) && !strings.HasPrefix(volume, `\\.\`) {
		return "share"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "share"
}

// syncFolder does nothing: Windows does not sync folders.
func syncFolder(string) error { return nil }
