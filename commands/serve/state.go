package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/internal/private"
)

// openPrivate opens a folder that only this user can write to, and creates a
// missing one. The folder itself must not be a link.
func openPrivate(dir string) (*private.Folder, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return private.OpenFolderItself(dir)
}

// createPrivate creates a folder that only this user can write to, or checks an
// existing one.
func createPrivate(dir string) error {
	f, err := openPrivate(dir)
	if err == nil {
		f.Close()
	}
	return err
}
