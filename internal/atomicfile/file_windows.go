package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
)

// foldersSync is false: Windows has no flush for a folder.
const foldersSync = false

// File is a temporary file that becomes the file of a name. The library
// renameio does not support Windows.
type File struct {
	*os.File
	dir        *os.Root
	temp, name string
	options    Options
	closed     bool
}

func (f *File) create() (err error) {
	for range 100 {
		f.temp = "." + f.options.prefix(f.name) + strconv.FormatInt(rand.Int64(), 10)
		f.File, err = f.dir.OpenFile(f.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, f.options.mode())
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// Temp returns the temporary name, within the folder.
func (f *File) Temp() string { return f.temp }

func (f *File) close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	return f.File.Close()
}

// Discard closes the file and removes it, unless it already has its name. It
// has no result: a temporary file that stays is removed by a later Sweep.
func (f *File) Discard() {
	_ = f.close()
	_ = f.dir.Remove(f.temp)
}
