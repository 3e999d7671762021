package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// # The tables
//
// What the journal has gathered is merged into a Badger database, which holds
// the bulk. Its keys and values are
//
//	\x00          the generation, 8 bytes (also the sentinel below all keys)
//	\x01 key      1 sum(4) value                 a value
//	\x01 key      2 sum(4) length(8)             a value in pieces of 512 KiB
//	\x02 key \x00 number(4)  1 sum(4) bytes      one piece
//	\xff          the sentinel above all keys
//
// where a sum covers the whole key in Badger, the first byte and what stands
// behind the sum. merge.go says how it is written. To be read, the tables are
// opened one by one where they are needed, from the list in levels.go: no
// Badger database is opened, which would start a dozen goroutines and sync a
// folder to read one value.
//
// Nothing that rots goes unseen: the list has a checksum, the index of a table
// is checked against the list, every block against its own checksum, and a
// walk that ends before a table's greatest key was cut short by a bad block.
const (
	tablesName = "tables."

	kindInline = 1
	kindPieces = 2

	pieceSize = 512 << 10

	bitDelete = 1 // of a value's meta byte in a table
)

func dataKey(key []byte) []byte { return append([]byte{1}, key...) }

func pieceKey(key []byte, n uint32) []byte {
	return binary.BigEndian.AppendUint32(append(append([]byte{2}, key...), 0), n)
}

// tables are the tables of one generation, opened to be read.
type tables struct {
	path  string
	infos []tableInfo // by level, then by key

	mu   sync.Mutex
	open []*table.Table // as infos; nil until the first need
}

func tablesPath(dir string, generation uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%s%d", tablesName, generation))
}

// openTables opens the tables of a generation. The first has none, which is
// nil and no error.
func openTables(dir string, generation uint64) (*tables, error) {
	if generation <= 1 {
		return nil, nil
	}
	path := tablesPath(dir, generation)
	n, infos, err := readLevels(path)
	if err != nil {
		return nil, err
	}
	if n != generation {
		return nil, &CorruptError{Path: path, Reason: fmt.Sprintf("holds generation %d", n)}
	}
	return &tables{path: path, infos: infos, open: make([]*table.Table, len(infos))}, nil
}

func (t *tables) close() {
	if t == nil {
		return
	}
	for _, o := range t.open {
		if o != nil {
			_ = o.Close(-1)
		}
	}
}

// table opens the i-th table.
func (t *tables) table(i int) (*table.Table, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[i] != nil {
		return t.open[i], nil
	}
	o, err := openTable(filepath.Join(t.path, t.infos[i].name()), t.infos[i])
	if err != nil {
		return nil, err
	}
	t.open[i] = o
	return o, nil
}

// openTable opens one table, whose index is as the list has it. That is checked
// before Badger reads it, since Badger ends the process at some faults.
func openTable(name string, i tableInfo) (t *table.Table, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var f *z.MmapFile
	defer func() {
		if err != nil && f != nil {
			_ = f.Close(-1)
		}
	}()
	defer recovered(name, &err)
	st, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &CorruptError{Path: name, Reason: "missing"}
	case err != nil:
		return nil, err
	case st.Size() != i.size:
		return nil, &CorruptError{Path: name, Reason: fmt.Sprintf("%d bytes, not %d", st.Size(), i.size)}
	}
	if f, err = z.OpenMmapFile(name, os.O_RDONLY, 0); err != nil {
		return nil, err
	}
	if int64(len(f.Data)) != i.size || sum(f.Data[i.tail:]) != i.sum {
		return nil, &CorruptError{Path: name, Reason: "the index is not as it was written"}
	}
	t, err = table.OpenTable(f, table.Options{ReadOnly: true, ChkMode: options.OnBlockRead, Compression: options.None})
	if err != nil {
		return nil, &CorruptError{Path: name, Reason: err.Error()}
	}
	return t, nil
}

// recovered makes an error of a panic, which is what Badger does with some
// damaged blocks. With
// debug.SetPanicOnFault so does a mapped page that cannot be read.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = &CorruptError{Path: path, Reason: fmt.Sprint(r)}
	}
}

// get returns the value under key, or ErrNotFound.
func (t *tables) get(key []byte) ([]byte, error) {
	whole := dataKey(key)
	v, ok, err := t.find(whole)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrNotFound
	}
	return t.unseal(whole, v)
}

// find returns what is stored under a key of Badger's.
func (t *tables) find(whole []byte) (value []byte, ok bool, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(t.path, &err)
	hash, newest := y.Hash(whole), uint64(0)
	for i, info := range t.infos {
		if bytes.Compare(whole, y.ParseKey(info.low)) < 0 || bytes.Compare(whole, y.ParseKey(info.high)) > 0 {
			continue
		}
		o, err := t.table(i)
		if err != nil {
			return nil, false, err
		}
		if o.DoesNotHave(hash) {
			continue
		}
		w := t.walk([]int{i}, false)
		if err := w.seek(whole); err != nil {
			w.close()
			return nil, false, err
		}
		if w.ok && bytes.Equal(w.user(), whole) && w.version() >= newest {
			v := w.it.Value()
			newest = w.version()
			value, ok = v.Value, v.Meta&bitDelete == 0
		}
		w.close()
	}
	return value, ok, nil
}

// unseal takes a value out of its envelope.
func (t *tables) unseal(whole, v []byte) (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(t.path, &err)
	kind, body, err := t.check(whole, v)
	if err != nil || kind == kindInline {
		return body, err
	}
	size := int(binary.BigEndian.Uint64(body))
	value = make([]byte, 0, min(size, MaxValue))
	for n := uint32(0); len(value) < size; n++ {
		k := pieceKey(whole[1:], n)
		v, ok, err := t.find(k)
		if err == nil && !ok {
			err = &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: piece %d is missing", whole, n)}
		}
		if err != nil {
			return nil, err
		}
		_, body, err := t.check(k, v)
		if err != nil {
			return nil, err
		}
		value = append(value, body...)
	}
	return value, nil
}

// check verifies the sum of one record and returns what stands behind it.
func (t *tables) check(whole, v []byte) (kind byte, body []byte, err error) {
	if len(v) < 5 || sum(whole, v[:1], v[5:]) != binary.BigEndian.Uint32(v[1:]) ||
		v[0] == kindPieces && (whole[0] != 1 || len(v) != 13) {
		return 0, nil, &CorruptError{Path: t.path, Reason: fmt.Sprintf("key %q: wrong checksum", whole)}
	}
	return v[0], v[5:], nil
}

// seal puts a value into its envelope.
func seal(whole []byte, kind byte, body []byte) []byte {
	v := make([]byte, 5, 5+len(body))
	v[0] = kind
	binary.BigEndian.PutUint32(v[1:], sum(whole, v[:1], body))
	return append(v, body...)
}

// runs groups the tables into those that can be walked one after the other:
// each table of level 0 by itself, and every other level as a whole.
func (t *tables) runs() (runs [][]int) {
	for i, info := range t.infos {
		if last := len(runs) - 1; info.level > 0 && last >= 0 && t.infos[runs[last][0]].level == info.level {
			runs[last] = append(runs[last], i)
			continue
		}
		runs = append(runs, []int{i})
	}
	return runs
}

func (t *tables) walk(run []int, back bool) *tableWalk {
	if back {
		run = slices.Clone(run)
		slices.Reverse(run)
	}
	return &tableWalk{t: t, run: run, back: back}
}
