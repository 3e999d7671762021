package kv

import (
	"fmt"
	"os"
	"path/filepath"
)

// forgetCached asks the system to drop the store's files from the page cache, so
// that the next read comes from the disk. It has no effect on some systems; Check
// then reads cached pages.
func forgetCached(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		forgetFile(path)
		return nil
	})
}

// forgetFile is forgetCached for one file.
func forgetFile(path string) {
	if f, err := os.Open(path); err == nil {
		dropCache(f)
		f.Close()
	}
}

// noSpace wraps the system's error for a full disk in ErrNoSpace.
func noSpace(err error) error {
	if err != nil && isNoSpace(err) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
