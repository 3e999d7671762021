//go:build unix

package kv

import (
	"os"
	"path/filepath"
)

// syncFolder makes the entry of a file in its folder durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
