package memfile

import (
	"encoding/binary"

	"techo/store/ledger"
)

// The prefixes of the keys of memory files.
const (
	Records ledger.Prefix = "fi"
	sizes   ledger.Prefix = "fs"
)

// Key returns the key of the record with a path.
func Key(user, path string) []byte { return append(Records.Named(user), path...) }

func sizeKey(user, path string) []byte { return append(sizes.Named(user), path...) }

// recordID returns the id of the record with a key: the user and the path.
func recordID(key []byte) (string, bool) {
	_, path, ok := ledger.CutNamed(key)
	return string(ledger.Rest(key)), ok && len(path) > 0
}

func pathOf(id string) string {
	_, path, _ := ledger.CutNamed(Records.Key(id))
	return string(path)
}

// size is the value of an entry of a file or a folder: its number of bytes and one, or 0.
func (f *File) size() []byte {
	n := uint64(0)
	if !f.Folder {
		n = uint64(len(f.Text)) + 1
	}
	return binary.AppendUvarint(nil, n)
}
