package kv

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"sync"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
)

// # The tables
//
// What the journal has gathered is merged into Badger tables (SSTs), which
// hold the bulk: files of sorted keys in blocks, each block with a checksum,
// with an index and a bloom filter at their end. They lie in tables/, are
// never changed, and list.go's list says which there are.
//
// Tables whose keys follow each other make a run. A run hides what older runs
// have under the same keys. Keys in a table are those of the store and
// Badger's version behind them, the generation in which they were merged;
// a value is sum(4) bytes, where the sum covers the key and the bytes, and a
// deleted key has Badger's mark and no value.
//
// Nothing that rots goes unseen: the list has a checksum, the index of a table
// is checked against the list, every block against its own checksum, every
// value against ours, and a walk that ends before a table's greatest key was
// cut short by a bad block.
const (
	tablesName = "tables"

	bitDelete = 1 // of a value's meta byte in a table
)

// tables are those of one generation, opened to be read, each at its first need.
type tables struct {
	path string
	runs []run // the newest first

	mu sync.Mutex // guards opening
}

// run is a row of tables in the order of their keys.
type run []*tableFile

type tableFile struct {
	tableInfo
	open *table.Table // nil until the first need
}

// openTables opens the tables of a generation. The first has none, which is
// nil and no error.
func openTables(dir string, generation uint64) (*tables, error) {
	if generation <= 1 {
		return nil, nil
	}
	runs, err := readList(dir, generation)
	if err != nil {
		return nil, err
	}
	t := &tables{path: filepath.Join(dir, tablesName)}
	for _, infos := range runs {
		var r run
		for _, i := range infos {
			r = append(r, &tableFile{tableInfo: i})
		}
		t.runs = append(t.runs, r)
	}
	return t, nil
}

func (t *tables) close() {
	if t == nil {
		return
	}
	for _, r := range t.runs {
		for _, f := range r {
			if f.open != nil {
				_ = f.open.Close(-1)
			}
		}
	}
}

// list returns the lines of the list that the tables were opened from.
func (t *tables) list() (runs [][]tableInfo) {
	if t == nil {
		return nil
	}
	for _, r := range t.runs {
		var infos []tableInfo
		for _, f := range r {
			infos = append(infos, f.tableInfo)
		}
		runs = append(runs, infos)
	}
	return runs
}

// openAll opens every table.
func (t *tables) openAll() error {
	if t == nil {
		return nil
	}
	for _, r := range t.runs {
		for _, f := range r {
			if _, err := t.table(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// table returns a table, opened.
func (t *tables) table(f *tableFile) (*table.Table, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.open == nil {
		o, err := openTable(filepath.Join(t.path, f.name()), f.tableInfo)
		if err != nil {
			return nil, err
		}
		f.open = o
	}
	return f.open, nil
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
	if _, err := f.Fd.Stat(); err != nil { // Badger would hide what the system says
		return nil, err
	}
	o, err := table.OpenTable(f, table.Options{ReadOnly: true, ChkMode: options.OnBlockRead, Compression: options.None})
	if err != nil {
		return nil, &CorruptError{Path: name, Reason: err.Error()}
	}
	return o, nil
}

// recovered makes an error of a panic, which is what Badger does with some
// damaged blocks. With debug.SetPanicOnFault so does a mapped page that cannot
// be read.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = &CorruptError{Path: path, Reason: fmt.Sprint(r)}
	}
}

// holding returns the place of the first table of a run whose greatest key is
// not below key; len(r) when there is none.
func (r run) holding(key []byte) int {
	return sort.Search(len(r), func(i int) bool { return bytes.Compare(r[i].high, key) >= 0 })
}

// get returns the value under key, or ErrNotFound.
func (t *tables) get(key []byte) (value []byte, err error) {
	hash := y.Hash(key)
	for _, r := range t.runs {
		n := r.holding(key)
		if n == len(r) || bytes.Compare(r[n].low, key) > 0 {
			continue
		}
		o, err := t.table(r[n])
		if err != nil {
			return nil, err
		}
		if o.DoesNotHave(hash) {
			continue
		}
		c := t.cursor(r[n:n+1], key, false)
		defer c.close()
		switch {
		case c.err() != nil:
			return nil, c.err()
		case !c.valid() || !bytes.Equal(c.key(), key):
			continue
		case c.deleted():
			return nil, ErrNotFound
		}
		return c.value()
	}
	return nil, ErrNotFound
}

// sealValue puts a value into its envelope.
func sealValue(key, value []byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(value)), sum(key, value)), value...)
}

// unsealValue takes a value out of its envelope. ok is false when it is not
// the one that was put under the key.
func unsealValue(key, sealed []byte) (value []byte, ok bool) {
	if len(sealed) < 4 || sum(key, sealed[4:]) != binary.BigEndian.Uint32(sealed) {
		return nil, false
	}
	return sealed[4:], true
}
