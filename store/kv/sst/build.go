package sst

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"

	"techo/store/kv/disk"
)

// tableSize is the approximate size of a table; one value more may fit. Building a table takes three times
// as much memory.
const tableSize = 8 << 20

// Sizes for which Badger takes memory at the start of a table, twice as much. As the table grows, it takes twice as much
// as it has each time: most tables are small, but those after a full one are mostly full, too.
const (
	firstSize = 256 << 10
	fullSize  = 5 << 20
)

// entryExtra is about how many bytes an entry takes besides its key and value.
const entryExtra = 16

// Builder writes a run, table by table. Badger lays a table out in memory and
// techo writes it, so that a full or failing disk is an error of write or sync:
// Badger would write through mapped memory, where it is a signal.
type Builder struct {
	Dir        string // of the tables
	Generation uint64
	ID         uint64 // of the current table

	b         *table.Builder // nil between tables
	large     bool           // what is merged has full tables
	low, high []byte
	size      int    // of the entries of the current table in bytes
	digest    uint32 // of these entries
	Run       []Info
	keys      tableKeys
}

// Add adds an entry. Keys are unique and in order.
func (w *Builder) Add(key, value []byte, deleted bool) error {
	if w.b == nil {
		first := uint64(firstSize)
		if w.large || len(w.Run) > 0 {
			first = fullSize
		}
		w.b = table.NewTableBuilder(table.Options{
			TableSize: first, BlockSize: 4 << 10, BloomFalsePositive: 0.01, Compression: options.None,
		})
		w.low, w.size, w.digest = bytes.Clone(key), 0, 0
	}
	v := y.ValueStruct{Meta: bitDelete}
	if !deleted {
		v = y.ValueStruct{Value: value}
	}
	w.digest = entryDigest(w.digest, key, value, deleted)
	w.keys.add(w.ID, key, value, deleted)
	w.b.Add(y.KeyWithTs(key, w.Generation), v, 0)
	w.high = append(w.high[:0], key...)
	if w.size += len(key) + len(value) + entryExtra; w.size > tableSize {
		return w.Flush()
	}
	return nil
}

func entryDigest(digest uint32, key, value []byte, deleted bool) uint32 {
	var head [13]byte
	binary.BigEndian.PutUint32(head[:], digest)
	binary.BigEndian.PutUint32(head[4:], uint32(len(key)))
	binary.BigEndian.PutUint32(head[8:], uint32(len(value)))
	if deleted {
		head[12] = 1
	}
	return disk.Checksum(head[:], key, value)
}

// Flush writes, syncs and reads back the current table. The caller syncs the
// folder.
func (w *Builder) Flush() error {
	if w.b == nil {
		return nil
	}
	data := w.b.Finish()
	w.b.Close()
	w.b = nil
	tail, err := TailOf(data)
	if err != nil {
		return err
	}
	i := Info{
		ID: w.ID, Size: int64(len(data)), Tail: tail, Sum: disk.Checksum(data[tail:]),
		Low: w.low, High: bytes.Clone(w.high), version: w.Generation,
	}
	w.Run = append(w.Run, i)
	w.keys.write(filepath.Dir(w.Dir), w.ID)
	w.ID++
	if err := writeDurably(data, filepath.Dir(w.Dir), disk.TablesName, i.Name()); err != nil {
		return err
	}
	return w.ReadBack(i)
}

// TailOf returns the offset of a table's index. A table ends with the index, its
// length, its checksum and the length of the checksum.
func TailOf(data []byte) (int64, error) {
	end := len(data) - 4
	if end >= 0 {
		end -= int(binary.BigEndian.Uint32(data[end:])) + 4
	}
	if end >= 0 {
		if tail := end - int(binary.BigEndian.Uint32(data[end:])); tail >= 0 {
			return int64(tail), nil
		}
	}
	return 0, fmt.Errorf("table: no index in %d bytes", len(data))
}

// Remove removes the files of a compaction that failed before its manifest was
// installed.
func (w *Builder) Remove() {
	if w.b != nil {
		w.b.Close()
		w.b = nil
	}
	in, err := OpenFolder(filepath.Dir(w.Dir))
	if err != nil {
		return // the next compaction removes them
	}
	defer in.Close()
	for _, i := range w.Run {
		_ = disk.Current.Remove(in, i.Name())
		_ = disk.Current.Remove(in, KeysName(i.ID))
	}
}
