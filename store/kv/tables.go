package kv

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"sync"

	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"

	"techo/internal/private"
)

// # The tables
//
// The records that were in the journal at the last compaction, and before, are
// in Badger tables (SSTs): immutable files of sorted keys in blocks, each block
// with a checksum, with an index and a bloom filter at their end. They are in
// the folder tables, and the manifest lists them.
//
// Tables with disjoint ranges of keys, in order, form a sorted run. A run hides
// the entries of older runs under the same keys. Keys have Badger's version
// behind them, the generation of the compaction; a deleted key has Badger's
// delete bit and no value.
//
// All damage is detected: the manifest has a checksum, the index of a table is
// checked against the manifest, each block against its own checksum, and an
// iteration that ends before a table's greatest key has met a damaged block.
const (
	tablesName = "tables"

	bitDelete = 1 // of a value's meta byte in a table
)

// tables are the tables of one generation. Each is opened at its first use.
type tables struct {
	dir        string
	path       string
	generation uint64 // of the journal
	runs       []run  // the newest first
	sealed     bool   // a store of format 1: values follow a checksum

	current func() error // fails when another store is at path by now; may be nil

	mu     sync.Mutex      // guards opening
	folder *private.Folder // of the tables; nil until the first use
}

// run is a sorted run: its tables in the order of their keys.
type run []*tableFile

type tableFile struct {
	tableInfo
	open *table.Table // nil until the first use
}

// openTables opens the tables of a generation of the journal. The first
// generation has none. The manifest has a later generation when a compaction
// ended before it could write the journal's header; then the journal's records
// are in the tables as well, which is harmless.
func openTables(dir string, generation uint64, format int) (*tables, error) {
	t := newTables(dir, nil)
	t.generation = generation
	if generation <= 1 {
		return t, nil
	}
	m, err := readManifest(dir)
	if format < formatVersion && (err != nil || m.generation <= generation) {
		m.runs, err = readList(dir, generation)
		t.sealed = true
	}
	if err != nil {
		return nil, err
	}
	if !t.sealed && m.generation < generation {
		return nil, corrupt(filepath.Join(t.path, manifestName), GenerationMismatch, m.generation, generation)
	}
	t.add(m.runs)
	return t, nil
}

// newTables returns tables that are not in the manifest yet.
func newTables(dir string, runs [][]tableInfo) *tables {
	t := &tables{dir: dir, path: filepath.Join(dir, tablesName)}
	t.add(runs)
	return t
}

func (t *tables) add(runs [][]tableInfo) {
	for _, infos := range runs {
		var r run
		for _, i := range infos {
			r = append(r, &tableFile{tableInfo: i})
		}
		t.runs = append(t.runs, r)
	}
}

func (t *tables) close() {
	if t == nil {
		return
	}
	if t.folder != nil {
		t.folder.Close()
		t.folder = nil
	}
	for _, r := range t.runs {
		for _, f := range r {
			if f.open != nil {
				_ = f.open.Close(-1)
			}
		}
	}
}

// list returns the descriptions of the tables.
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
		o, err := t.openTable(f.tableInfo)
		if t.current != nil {
			if e := t.current(); e != nil {
				if err == nil {
					_ = o.Close(-1)
				}
				return nil, e
			}
		}
		if err != nil {
			return nil, err
		}
		f.open = o
	}
	return f.open, nil
}

// openTable opens a table. It checks the index against the manifest before Badger
// reads it, because Badger ends the process over some damage.
func (t *tables) openTable(i tableInfo) (o *table.Table, err error) {
	name := filepath.Join(t.path, i.name())
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	var f *z.MmapFile
	defer func() {
		if err != nil && f != nil {
			_ = f.Close(-1)
		}
	}()
	defer recovered(name, &err)
	file, err := t.openFile(i.name())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	defer func() {
		if f == nil && file != nil {
			file.Close()
		}
	}()
	var st os.FileInfo
	if err == nil {
		st, err = file.Stat()
	}
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, corrupt(name, Missing)
	case err != nil:
		return nil, err
	case st.Size() != i.size:
		return nil, corrupt(name, WrongSize, st.Size(), i.size)
	}
	if f, err = z.OpenMmapFileUsing(file, 0, false); err != nil {
		return nil, err
	}
	if int64(len(f.Data)) != i.size || sum(f.Data[i.tail:]) != i.sum {
		return nil, corrupt(name, DamagedIndex)
	}
	if _, err := f.Fd.Stat(); err != nil { // Badger would hide what the system says
		return nil, err
	}
	o, err = table.OpenTable(f, table.Options{ReadOnly: true, ChkMode: options.OnBlockRead, Compression: options.None})
	if err != nil {
		return nil, corrupt(name, OtherDamage, err)
	}
	return o, nil
}

// openFile opens a file in the folder of the tables, which stays open for the next
// ones.
func (t *tables) openFile(name string) (*os.File, error) {
	if t.folder == nil {
		in, err := openTablesFolder(t.dir)
		if err != nil {
			return nil, err
		}
		t.folder = in
	}
	return entryOf(t.folder.Open(name, os.O_RDONLY))
}

// recovered turns a panic into a CorruptError: Badger panics over some damaged
// blocks and, with debug.SetPanicOnFault, over a mapped page that cannot be read.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = corrupt(path, OtherDamage, r)
	}
}

// holding returns the index of the first table whose greatest key is not below
// key, or len(r).
func (r run) holding(key []byte) int {
	return sort.Search(len(r), func(i int) bool { return bytes.Compare(r[i].high, key) >= 0 })
}

// get returns the value under key, or ErrNotFound.
func (t *tables) get(key []byte) (value []byte, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	hash := y.Hash(key)
	for _, r := range t.runs {
		n := r.holding(key)
		if n == len(r) || bytes.Compare(r[n].low, key) > 0 {
			continue
		}
		if may, err := t.mayHave(r[n], hash); err != nil {
			return nil, err
		} else if !may {
			continue
		}
		c := t.lookup(r[n], key)
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

// mayHave asks the bloom filter of a table. The caller has set debug.SetPanicOnFault.
func (t *tables) mayHave(f *tableFile, hash uint32) (may bool, err error) {
	o, err := t.table(f)
	if err != nil {
		return false, err
	}
	defer func() {
		if r := recover(); r != nil {
			err = corrupt(filepath.Join(t.path, f.name()), OtherDamage, r)
		}
	}()
	return !o.DoesNotHave(hash), nil
}
