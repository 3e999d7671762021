//go:build !windows

package atomicfile

import (
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

const foldersSync = true

// File is a temporary file that becomes the file of a name.
type File struct {
	*os.File
	pending *renameio.PendingFile
	dir     *os.Root
	name    string
	options Options
	closed  bool
}

func (f *File) create() (err error) {
	// renameio puts a dot before the prefix and a random number behind it.
	f.pending, err = renameio.NewPendingFile(f.options.prefix(f.name), renameio.WithRoot(f.dir),
		renameio.WithPermissions(f.options.mode()))
	if err == nil {
		f.File = f.pending.File
	}
	return err
}

// Temp returns the temporary name, within the folder.
func (f *File) Temp() string { return filepath.Base(f.Name()) }

func (f *File) close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return f.File.Close()
}

// Discard closes the file and removes it, unless it already has its name. It
// has no result: a temporary file that stays is removed by a later Sweep.
func (f *File) Discard() { _ = f.pending.Cleanup() }
