package disk

import (
	"fmt"
	"os"
	"path/filepath"

	"techo/store/kv"
)

// ForgetCached asks the system to drop the store's files from the page cache, so
// that the next read comes from the disk. It has no effect on some systems; Check
// then reads cached pages.
func ForgetCached(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		ForgetFile(path)
		return nil
	})
}

// ForgetFile is forgetCached for one file.
func ForgetFile(path string) {
	if f, err := os.Open(path); err == nil {
		dropCache(f)
		f.Close()
	}
}

// NoSpace wraps the system's error for a full disk in ErrNoSpace.
func NoSpace(err error) error {
	if err != nil && IsFull(err) {
		return fmt.Errorf("%w: %w", kv.ErrNoSpace, err)
	}
	return err
}
