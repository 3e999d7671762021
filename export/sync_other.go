//go:build !linux

package export

import (
	"io/fs"
	"os"
)

// syncAll flushes the files of a folder one by one: only Linux has a call for all.
func syncAll(root *os.Root) error {
	names, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, n := range names {
		f, err := root.OpenFile(n.Name(), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = f.Sync()
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
