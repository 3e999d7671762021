// Package sst reads, writes and merges the tables of sorted keys of a store, which are a Badger
// database.
package sst

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/dgraph-io/ristretto/v2/z"

	"techo/internal/private"
	"techo/store/kv"
	"techo/store/kv/disk"
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
// All damage is detected: the manifest has a checksum, each block of a table has
// its own, and the index of a table is checked against the manifest before it
// shows that a key is absent or what comes next. A key that is found needs no such
// proof, because it is in a sound block.
const bitDelete = 1 // of a value's meta byte in a table

// Tables are the tables of one generation. Each is opened at its first use.
type Tables struct {
	dir        string
	Path       string
	generation uint64 // of the journal
	Generation uint64 // of the manifest
	Runs       []run  // the newest first

	Current func() error // fails when the files at path are others by now; may be nil

	resident atomic.Int64 // stretches that were read in the mappings since the last limitResident

	mu     sync.Mutex      // guards opening
	folder *private.Folder // of the tables; nil until the first use
}

// run is a sorted run: its tables in the order of their keys.
type run []*tableFile

type tableFile struct {
	Info
	mapped   *z.MmapFile   // nil until the first use
	indexed  *tableIndex   // likewise
	checked  bool          // the index was checked against the manifest
	resident *atomic.Int64 // of the Tables
	visited  []atomic.Bool // the stretches that were read since the last limitResident

	indexRead atomic.Bool // the index was read in the mapping since the last limitResident
}

// Open opens the tables of a generation of the journal. The first
// generation has none. The manifest has a later generation when a compaction
// ended before it could write the journal's header; then the journal's records
// are in the tables as well, which is harmless.
func Open(dir string, generation uint64) (*Tables, error) {
	t := newTables(dir, nil)
	t.generation = generation
	if generation <= 1 {
		return t, nil
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Generation < generation {
		path := filepath.Join(t.Path, disk.ManifestName)
		return nil, kv.Corrupt(path, kv.GenerationMismatch, m.Generation, generation)
	}
	t.Generation = m.Generation
	t.add(m.Runs)
	return t, nil
}

// newTables returns tables that are not in the manifest yet.
func newTables(dir string, runs [][]Info) *Tables {
	t := &Tables{dir: dir, Path: filepath.Join(dir, disk.TablesName)}
	t.add(runs)
	return t
}

func (t *Tables) add(runs [][]Info) {
	for _, infos := range runs {
		var r run
		for _, i := range infos {
			r = append(r, &tableFile{Info: i, resident: &t.resident})
		}
		t.Runs = append(t.Runs, r)
	}
}

func (t *Tables) Close() {
	if t == nil {
		return
	}
	if t.folder != nil {
		t.folder.Close()
		t.folder = nil
	}
	for _, r := range t.Runs {
		for _, f := range r {
			if f.mapped != nil {
				_ = f.mapped.Close(-1)
			}
		}
	}
}

// List returns the descriptions of the tables.
func (t *Tables) List() (runs [][]Info) {
	if t == nil {
		return nil
	}
	for _, r := range t.Runs {
		var infos []Info
		for _, f := range r {
			infos = append(infos, f.Info)
		}
		runs = append(runs, infos)
	}
	return runs
}

// OpenAll opens every table.
func (t *Tables) OpenAll() error {
	if t == nil {
		return nil
	}
	for _, r := range t.Runs {
		for _, f := range r {
			if err := t.index(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// index maps a table at its first use, and checks its index against the manifest.
func (t *Tables) index(f *tableFile) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.use(f); err != nil || f.checked {
		return err
	}
	if err := t.check(f); err != nil {
		return err
	}
	f.checked = true
	return nil
}

// unchecked maps a table at its first use. checked reports whether its index is known to
// be sound.
func (t *Tables) unchecked(f *tableFile) (x *tableIndex, checked bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err = t.use(f)
	return f.indexed, f.checked, err
}

// check compares the index of a mapped table with the manifest.
func (t *Tables) check(f *tableFile) (err error) {
	path := filepath.Join(t.Path, f.Name())
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer recovered(path, &err)
	f.countIndex()
	if disk.Checksum(f.mapped.Data[f.Tail:]) != f.Sum {
		return kv.Corrupt(path, kv.DamagedIndex)
	}
	return nil
}

// use maps a table at its first use. The caller has t.mu.
func (t *Tables) use(f *tableFile) error {
	if f.mapped != nil {
		return nil
	}
	mapped, x, err := t.mapTable(f.Info)
	if t.Current != nil {
		if e := t.Current(); e != nil {
			if err == nil {
				_ = mapped.Close(-1)
			}
			return e
		}
	}
	if err != nil {
		return err
	}
	f.mapped, f.indexed, f.visited = mapped, x, make([]atomic.Bool, f.Size/stretch+1)
	return nil
}

// mapTable maps a table. Its index may be damaged.
func (t *Tables) mapTable(i Info) (f *z.MmapFile, x *tableIndex, err error) {
	name := filepath.Join(t.Path, i.Name())
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if err != nil && f != nil {
			_ = f.Close(-1)
		}
	}()
	defer recovered(name, &err)
	file, err := t.openFile(i.Name())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
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
		return nil, nil, kv.Corrupt(name, kv.Missing)
	case err != nil:
		return nil, nil, err
	case st.Size() != i.Size:
		return nil, nil, kv.Corrupt(name, kv.WrongSize, st.Size(), i.Size)
	}
	if f, err = z.OpenMmapFileUsing(file, 0, false); err != nil {
		return nil, nil, err
	}
	if int64(len(f.Data)) != i.Size {
		return f, nil, kv.Corrupt(name, kv.WrongSize, int64(len(f.Data)), i.Size)
	}
	x, ok := readIndex(f.Data[i.Tail:])
	if !ok {
		return f, nil, kv.Corrupt(name, kv.DamagedIndex)
	}
	return f, x, nil
}

// openFile opens a file in the folder of the tables, which stays open for the next
// ones.
func (t *Tables) openFile(name string) (*os.File, error) {
	if t.folder == nil {
		in, err := OpenFolder(t.dir)
		if err != nil {
			return nil, err
		}
		t.folder = in
	}
	return disk.EntryOf(t.folder.Open(name, os.O_RDONLY))
}

// recovered turns a panic into a CorruptError: readers panic over some damaged blocks
// and, with debug.SetPanicOnFault, over a mapped page that cannot be read.
func recovered(path string, err *error) {
	if r := recover(); r != nil {
		*err = kv.Corrupt(path, kv.OtherDamage, r)
	}
}

// holding returns the index of the first table whose greatest key is not below
// key, or len(r).
func (r run) holding(key []byte) int {
	return sort.Search(len(r), func(i int) bool { return bytes.Compare(r[i].High, key) >= 0 })
}
