//go:build unix

package kv

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// readOnlyTables is false where Badger cannot open a database to be read only.
const readOnlyTables = true

// syncFolder makes the entry of a file in its folder durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func isNoMemory(err error) bool {
	return errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
