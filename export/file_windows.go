package export

import (
	"io"
	"os"
	"path/filepath"
)

// writeFile makes a private file of what write writes.
func writeFile(path string, write func(io.Writer) error) error {
	removeLeftovers(path)
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
