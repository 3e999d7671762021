package folder

import (
	"cmp"
	"os"
	"sync"
	"sync/atomic"

	"techo/store/kv"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// sharedTables holds the tables of one generation for several transactions. They
// are opened at the first use and unmapped after the last one.
//
// A merge may replace and remove them before. So the journal is looked at after each file
// was opened by its name: in the same generation, no file of it was removed.
type sharedTables struct {
	dir     string
	journal journal.Log // as it was first seen
	file    os.FileInfo // of the journal
	stale   atomic.Bool // another generation has begun before the tables were open

	mu     sync.Mutex
	refs   int
	opened bool
	tables *sst.Tables // nil for a generation without tables
	merged uint64      // the tables have at most so many transactions of the journal
}

// newSharedTables returns the tables of the journal's generation with one
// reference.
func newSharedTables(dir string, j *journal.Log) *sharedTables {
	b := &sharedTables{dir: dir, journal: *j, refs: 1}
	if j.File != nil {
		b.file, _ = j.File.Stat()
	}
	return b
}

// outdated reports whether transactions that have not opened all tables have to run again.
func (b *sharedTables) outdated() bool { return b != nil && b.stale.Load() }

func (b *sharedTables) acquire() *sharedTables {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refs++
	return b
}

func (b *sharedTables) release() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refs--; b.refs == 0 {
		b.tables.Close()
		b.tables = nil
	}
}

// open returns the tables for a transaction, or nil for a generation without tables.
func (b *sharedTables) open(tx *localTx) (*sst.Tables, error) {
	if b == nil || b.journal.Generation <= 1 {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.opened {
		t, err := sst.Open(b.dir, b.journal.Generation)
		if e := b.current(); e != nil {
			return nil, e
		}
		if err == nil && t.Generation > b.journal.Generation {
			err = b.settle(tx)
		}
		if err != nil {
			return nil, err
		}
		t.Current = b.current
		b.tables, b.opened = t, true
	}
	if tx.number < b.merged {
		tx.early = true
		return nil, kv.ErrGone
	}
	return b.tables, nil
}

// settle notes how many of the journal's transactions the tables may have: a merge has
// written the manifest, but not the journal's header. If it ended there, the journal may have
// more by now. Tables for a journal without transactions may come from a restore, and count
// when that has ended.
func (b *sharedTables) settle(tx *localTx) error {
	if tx.locked {
		b.merged = tx.number
		return nil
	}
	at, ok := b.journal.Look()
	if !ok || at.Generation != b.journal.Generation || at.Number == 0 {
		b.stale.Store(true)
		return kv.ErrGone
	}
	b.merged = at.Number
	return nil
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

// current fails when the journal has another generation, or the store's folder was replaced:
// files opened by name would then belong to another state or store.
func (b *sharedTables) current() error {
	generation, err := b.journal.Now()
	if err != nil || generation != b.journal.Generation {
		b.stale.Store(true)
		return cmp.Or(err, kv.ErrGone)
	}
	there, err := os.Lstat(b.journal.Path)
	if err != nil || b.file == nil || !os.SameFile(b.file, there) {
		return kv.ErrGone
	}
	return nil
}
