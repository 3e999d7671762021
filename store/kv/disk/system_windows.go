package disk

import (
	"errors"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// FreeBytes returns the free space of the file system of dir, or -1.
func FreeBytes(dir string) int64 {
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

// IsFull reports whether err is a full disk.
func IsFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}

// NetworkKind returns the network file system that holds a folder, or "".
func NetworkKind(dir string) string {
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
