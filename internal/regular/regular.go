// Package regular reads files that somebody else may have chosen. It never waits for a pipe, reads no device, and
// reads no more than its caller allows.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotFile reports a pipe, a device or a socket in the place of a regular file. A folder is EISDIR.
var ErrNotFile = errors.New("not a regular file")

// TooLargeError reports a file that is larger than the caller allows.
type TooLargeError struct{ Size, Most int64 } // in bytes; of a file that grew, Size is more than Most

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%d bytes are more than the limit of %d", e.Size, e.Most)
}

// Opener opens a file by flags, as os.OpenFile and the method of an os.Root do.
type Opener func(path string, flag int, mode fs.FileMode) (*os.File, error)

// Open opens a regular file for reading. It fails with ErrNotFile or EISDIR for anything else.
func Open(path string) (*os.File, fs.FileInfo, error) { return OpenBy(os.OpenFile, path) }

// OpenBy is Open with another way to open files.
func OpenBy(open Opener, path string) (*os.File, fs.FileInfo, error) {
	f, err := open(path, os.O_RDONLY|NoWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = &fs.PathError{Op: "read", Path: path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		err = &fs.PathError{Op: "open", Path: path, Err: ErrNotFile}
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, err
	}
	return f, info, nil
}

// Read reads a regular file of at most most bytes. It fails before it reads, like Open or with a
// TooLargeError, for anything else.
func Read(path string, most int64) ([]byte, error) { return ReadBy(os.OpenFile, path, most) }

// ReadBy is Read with another way to open files.
func ReadBy(open Opener, path string, most int64) ([]byte, error) {
	f, info, err := OpenBy(open, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := info.Size()
	if size <= most {
		var text []byte
		text, err = io.ReadAll(io.LimitReader(f, most+1)) // it may grow, and files in /proc have no size
		if size = int64(len(text)); size <= most || err != nil {
			return text, err
		}
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: &TooLargeError{size, most}}
}
