package kv

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
)

// tableSize is how large a table becomes, roughly: one more value fits.
const tableSize = 8 << 20

// builder writes a run, table by table. Badger lays a table out in memory;
// techo writes it to its file, so that a disk that is full, or fails, is an
// error of write or sync: Badger itself would write through mapped memory,
// which the system answers with a signal.
type builder struct {
	dir        string // of the tables
	generation uint64
	id         uint64 // of the table that is being made

	b         *table.Builder // nil between tables
	low, high []byte
	digest    uint32 // of all entries so far
	run       []tableInfo
}

// add adds an entry. Keys come in order, each once.
func (w *builder) add(key, value []byte, deleted bool) error {
	if w.b == nil {
		w.b = table.NewTableBuilder(table.Options{
			TableSize: tableSize, BlockSize: 4 << 10, BloomFalsePositive: 0.01, Compression: options.None,
		})
		w.low = bytes.Clone(key)
	}
	v := y.ValueStruct{Meta: bitDelete}
	if !deleted {
		v = y.ValueStruct{Value: sealValue(key, value)}
	}
	w.digest = entryDigest(w.digest, key, value, deleted)
	w.b.Add(y.KeyWithTs(key, w.generation), v, 0)
	w.high = append(w.high[:0], key...)
	if w.b.ReachedCapacity() {
		return w.flush()
	}
	return nil
}

// entryDigest goes on with a digest of entries in their order.
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

// flush writes the table that was being made, durably but for its entry in
// the folder.
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
		low: w.low, high: bytes.Clone(w.high),
	}
	w.run = append(w.run, i)
	w.id++
	return writeDurably(filepath.Join(w.dir, i.name()), data)
}

// tailOf finds where the index of a table begins. At its end stand the index,
// its length, its checksum, and that one's length.
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

// remove removes what was written for a merge that failed.
func (w *builder) remove() {
	if w.b != nil {
		w.b.Close()
		w.b = nil
	}
	_ = os.Remove(listPath(filepath.Dir(w.dir), w.generation)) // first: it names the others
	for _, i := range w.run {
		_ = os.Remove(filepath.Join(w.dir, i.name()))
	}
}
