package kv

import (
	"io"
	"os"

	"techo/internal/atomicfile"
	"techo/internal/private"
)

// storeDisk makes the changes to a store's files that have to be durable.
type storeDisk interface {
	// open opens a file below the folder of a store.
	open(how int, dir string, names ...string) (storeFile, error)

	// createTemp creates the temporary file for a file in a folder.
	createTemp(in *private.Folder, name string) (tempFile, error)

	makeFolder(in *private.Folder, name string) (*private.Folder, error)
	remove(in *private.Folder, name string) error

	// syncFolder makes the entry of a file in its folder durable.
	syncFolder(path string) error
}

// storeFile is the part of *os.File that the store uses for such changes.
type storeFile interface {
	io.ReaderAt
	io.WriterAt
	io.Writer
	io.Closer
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// tempFile is a file that takes its name when it is complete.
type tempFile interface {
	io.Writer
	Sync() error
	Replace() error
	Discard()
}

// disk is replaced by tests: by a disk that fails, fills up or loses power.
var disk storeDisk = systemDisk{}

// systemDisk is the disk of the operating system.
type systemDisk struct{}

func (systemDisk) open(how int, dir string, names ...string) (storeFile, error) {
	f, err := entryOf(private.Open(dir, how, names...))
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (systemDisk) createTemp(in *private.Folder, name string) (tempFile, error) {
	f, err := atomicfile.Create(in.Root(), name, atomicfile.Options{})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (systemDisk) makeFolder(in *private.Folder, name string) (*private.Folder, error) {
	return in.MakeFolder(name)
}

func (systemDisk) remove(in *private.Folder, name string) error { return in.Remove(name) }

func (systemDisk) syncFolder(path string) error { return syncFolder(path) }
