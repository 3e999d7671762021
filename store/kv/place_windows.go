package kv

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// networkKind names the network file system that a folder lies on, "" for none.
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
