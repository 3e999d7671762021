package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// tableSize is the approximate size of a table; one value more may fit.
const tableSize = 32 << 20

// builder writes a run, table by table. Badger lays a table out in memory and
// techo writes it, so that a full or failing disk is an error of write or sync:
// Badger would write through mapped memory, where it is a signal.
type builder struct {
	dir        string // of the tables
	generation uint64
	id         uint64 // of the current table

	b         *table.Builder // nil between tables
	low, high []byte
	digest    uint32 // of the entries of the current table
	run       []tableInfo
	keys      tableKeys
}

// add adds an entry. Keys are unique and in order.
func (w *builder) add(key, value []byte, deleted bool) error {
	if w.b == nil {
		w.b = table.NewTableBuilder(table.Options{
			TableSize: tableSize, BlockSize: 4 << 10, BloomFalsePositive: 0.01, Compression: options.None,
		})
		w.low, w.digest = bytes.Clone(key), 0
	}
	v := y.ValueStruct{Meta: bitDelete}
	if !deleted {
		v = y.ValueStruct{Value: value}
	}
	w.digest = entryDigest(w.digest, key, value, deleted)
	w.keys.add(w.id, key, value, deleted)
	w.b.Add(y.KeyWithTs(key, w.generation), v, 0)
	w.high = append(w.high[:0], key...)
	if w.b.ReachedCapacity() {
		return w.flush()
	}
	return nil
}

// entryDigest adds an entry to a digest.
func entryDigest(digest uint32, key, value []byte, deleted bool) uint32 {
	var head [13]byte
	binary.BigEndian.PutUint32(head[:], digest)
	binary.BigEndian.PutUint32(head[4:], uint32(len(key)))
	binary.BigEndian.PutUint32(head[8:], uint32(len(value)))
	if deleted {
		head[12] = 1
	}
	return sum(head[:], key, value)
}

// flush writes, syncs and reads back the current table. The caller syncs the
// folder.
func (w *builder) flush() error {
	if w.b == nil {
		return nil
	}
	data := w.b.Finish()
	w.b.Close()
	w.b = nil
	tail, err := tailOf(data)
	if err != nil {
		return err
	}
	i := tableInfo{
		id: w.id, size: int64(len(data)), tail: tail, sum: sum(data[tail:]),
		low: w.low, high: bytes.Clone(w.high), version: w.generation,
	}
	w.run = append(w.run, i)
	w.keys.write(filepath.Dir(w.dir), w.id)
	w.id++
	if err := writeDurably(data, filepath.Dir(w.dir), tablesName, i.name()); err != nil {
		return err
	}
	return w.readBack(i)
}

// tailOf returns the offset of a table's index. A table ends with the index, its
// length, its checksum and the length of the checksum.
func tailOf(data []byte) (int64, error) {
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

// remove removes the files of a compaction that failed before its manifest was
// installed.
func (w *builder) remove() {
	if w.b != nil {
		w.b.Close()
		w.b = nil
	}
	in, err := openTablesFolder(filepath.Dir(w.dir))
	if err != nil {
		return // the next compaction removes them
	}
	defer in.Close()
	for _, i := range w.run {
		_ = disk.remove(in, i.name())
		_ = disk.remove(in, keysName(i.id))
	}
}
