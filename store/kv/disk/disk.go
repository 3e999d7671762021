// Package disk has what a store needs of the file system: the names of its files, the rules by which
// they are opened, the changes that have to be durable, and calls that differ between systems.
package disk

import (
	"hash/crc32"
	"io"
	"os"

	"techo/internal/atomicfile"
	"techo/internal/private"
)

// Disk makes the changes to a store's files that have to be durable.
type Disk interface {
	// Open opens a file below the folder of a store.
	Open(how int, dir string, names ...string) (File, error)

	// CreateTemp creates the temporary file for a file in a folder.
	CreateTemp(in *private.Folder, name string) (TempFile, error)

	MakeFolder(in *private.Folder, name string) (*private.Folder, error)
	Remove(in *private.Folder, name string) error

	// SyncFolder makes the entry of a file in its folder durable.
	SyncFolder(path string) error
}

// File is the part of *os.File that the store uses for such changes.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Writer
	io.Closer
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// TempFile is a file that takes its name when it is complete.
type TempFile interface {
	io.Writer
	Sync() error
	Replace() error
	Discard()
}

// Current is replaced by tests: by a disk that fails, fills up or loses power.
var Current Disk = SystemDisk{}

// SystemDisk is the disk of the operating system.
type SystemDisk struct{}

func (SystemDisk) Open(how int, dir string, names ...string) (File, error) {
	f, err := OpenEntry(how, dir, names...)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (SystemDisk) CreateTemp(in *private.Folder, name string) (TempFile, error) {
	f, err := atomicfile.Create(in.Root(), name, atomicfile.Options{})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (SystemDisk) MakeFolder(in *private.Folder, name string) (*private.Folder, error) {
	return in.MakeFolder(name)
}

func (SystemDisk) Remove(in *private.Folder, name string) error { return in.Remove(name) }

func (SystemDisk) SyncFolder(path string) error { return syncFolder(path) }

// Castagnoli is the table of the checksums of a store.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

func Checksum(parts ...[]byte) uint32 {
	var s uint32
	for _, p := range parts {
		s = crc32.Update(s, Castagnoli, p)
	}
	return s
}
