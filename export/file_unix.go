//go:build unix

package export

import (
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeFile makes a private file of what write writes.
func writeFile(path string, write func(io.Writer) error) error {
	removeLeftovers(path)
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o600), renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	if err := write(f); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
