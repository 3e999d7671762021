package kv

import (
	"os"
	"sync"

	"techo/store/kv/fault"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// sharedTables holds the tables of one generation for several transactions. They
// are opened at the first use and unmapped after the last one.
type sharedTables struct {
	dir        string
	generation uint64
	path       string      // of the journal
	file       os.FileInfo // of the journal
	keep       bool        // do not unmap: the process is about to exit

	mu     sync.Mutex
	refs   int
	opened bool
	tables *sst.Tables // nil for a generation without tables
}

// newSharedTables returns the tables of the journal's generation with one
// reference.
func newSharedTables(dir string, j *journal.Log) *sharedTables {
	b := &sharedTables{dir: dir, generation: j.Generation, path: j.Path, refs: 1}
	if j.File != nil {
		b.file, _ = j.File.Stat()
	}
	return b
}

// acquire adds a reference.
func (b *sharedTables) acquire() *sharedTables {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refs++
	return b
}

// leave keeps the tables mapped until the process exits, which is faster than
// unmapping them.
func (b *sharedTables) leave() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.keep = true
}

// release removes a reference.
func (b *sharedTables) release() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refs--; b.refs == 0 && !b.keep {
		b.tables.Close()
		b.tables = nil
	}
}

// open returns the tables, or nil for a generation without tables.
func (b *sharedTables) open() (*sst.Tables, error) {
	if b == nil || b.generation <= 1 {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.opened {
		return b.tables, nil
	}
	t, err := sst.Open(b.dir, b.generation)
	if e := b.current(); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	t.Current = b.current
	b.tables, b.opened = t, true
	return t, nil
}

// mapping returns the path of the table whose mapped file has an address, or "".
func (b *sharedTables) mapping(address uintptr) string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	t := b.tables
	b.mu.Unlock()
	if t == nil {
		return ""
	}
	return t.Mapping(address)
}

// current fails when the store's folder was replaced: files opened by name would
// then belong to another store.
func (b *sharedTables) current() error {
	there, err := os.Lstat(b.path)
	if err != nil || b.file == nil || !os.SameFile(b.file, there) {
		return fault.ErrGone
	}
	return nil
}
