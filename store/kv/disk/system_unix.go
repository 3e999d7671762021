//go:build unix

package disk

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// FreeBytes returns the free space of the file system of dir, or -1.
func FreeBytes(dir string) int64 {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return -1
	}
	return freeOf(&st)
}

// IsFull reports whether err is a full disk or quota, or the limit of the
// size of a file (RLIMIT_FSIZE).
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// syncFolder makes the entry of a file in its folder durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
