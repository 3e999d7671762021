package kv

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"techo/internal/atomicfile"
	"techo/internal/private"
)

// # Replacing the records of a store
//
// A restore and a repair fill a fresh store beside the old one, and then replace
// the old records by the fresh ones. Before that, the old store is copied beside
// itself, with links to its tables, because tables never change.
//
// In a sound store two compactions follow. The first one empties the journal, and
// its new generation makes other processes close the tables that they have open.
// The second one takes the records of the fresh store instead of the old ones. Like
// in each compaction, the renaming of its manifest is the moment that counts: a
// process that is killed before leaves the old records, and one that is killed later
// the new ones. After an error the manifest gets the old tables back, which are removed
// last. So a replacement that fails has changed nothing.
//
// In a damaged store the new tables are written and MANIFEST.copy lists them. Then
// an empty journal of a later generation is renamed to journal, and at last the
// manifest is replaced. A process that is killed between the two leaves a store
// that is still damaged, and another repair uses MANIFEST.copy.
//
// The folder stays, with its lock and its id. So it may be a mount point, and
// other processes that have it open continue.

// replacement is one replacement of records. The caller has the store's lock.
type replacement struct {
	dir, fresh string
	lock       *fileLock
	aside      string // the copy of the old store, "" without one
	changed    bool   // the store may have changed

	before    [][]tableInfo // the runs of a sound store
	installed *builder      // of the tables that replace them; nil before the manifest may list them
}

// replaceRecords replaces the records of the store in dir by the records of a fresh
// store. With why, the old store is kept beside it under a name with why. An error
// means that nothing has changed, unless aside is returned.
func replaceRecords(ctx context.Context, dir, fresh, why string, lock *fileLock) (aside string, err error) {
	p := &replacement{dir: dir, fresh: fresh, lock: lock}
	damaged := false
	if why != "" {
		if p.aside, damaged, err = copyAside(dir, why); err != nil {
			return "", err
		}
	}
	if !damaged { // otherwise the copy may have the same journal, which must not change
		err = p.inSound(ctx)
		damaged = p.installed == nil && (isCorruption(err) || errors.As(err, new(*VersionError)))
	}
	if damaged {
		err = p.inDamaged(ctx)
	}
	if err != nil && !p.changed && p.aside != "" {
		removeStore(p.aside)
		return "", err
	}
	return p.aside, err
}

// inSound replaces the records of a sound store.
func (p *replacement) inSound(ctx context.Context) error {
	l, err := Open(p.dir, Options{Write: true})
	if err != nil {
		return err
	}
	defer l.Close()
	if _, err := l.present(); err != nil {
		return err
	}
	if err := l.refresh(p.lock, true); err != nil {
		return err
	}
	defer l.leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal.generation == 0 {
		if err := l.journal.begin(1); err != nil {
			return err
		}
		if err := disk.syncFolder(l.journal.path); err != nil {
			return err
		}
	}
	generation := l.journal.generation
	if err := l.merge(false); err != nil {
		return err
	}
	if l.journal.generation == generation { // it was put off
		return ErrNoSpace
	}
	l.mergeTables = func(old *tables, _ layer, _ bool, verify func() error) (m manifest, err error) {
		defer old.close()
		w, err := newBuilder(old)
		if err != nil {
			return m, err
		}
		p.before = old.list()
		return p.install(ctx, w, verify)
	}
	err = l.merge(true)
	if err != nil && p.installed != nil && p.putBack(l.lockLost) == nil {
		p.changed = false
		p.installed.remove()
	}
	return err
}

// putBack lists the old tables in the manifest again, durably. The journal has no
// transactions, and its generation is at most the one of the new tables.
func (p *replacement) putBack(lockLost func() bool) error {
	in, err := openTablesFolder(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	unlock, err := lockDatabase(in.Path())
	if err != nil {
		return err
	}
	defer unlock()
	old := manifest{generation: p.installed.generation, runs: p.before}
	return old.install(in, func() error {
		if lockLost() {
			return ErrGone
		}
		return nil
	})
}

// install writes the records of the fresh store to new tables, and the manifest.
func (p *replacement) install(ctx context.Context, w *builder, verify func() error) (m manifest, err error) {
	defer func() {
		if !p.changed {
			w.remove()
		}
	}()
	if err := addStore(ctx, w, p.fresh); err != nil {
		return m, err
	}
	m.generation = w.generation
	if len(w.run) > 0 {
		m.runs = [][]tableInfo{w.run}
	}
	in, err := openTablesFolder(p.dir)
	if err != nil {
		return m, err
	}
	defer in.Close()
	if err := disk.syncFolder(filepath.Join(w.dir, manifestName)); err != nil {
		return m, err
	}
	return m, m.install(in, func() error {
		err := verify()
		if err == nil {
			p.changed, p.installed = true, w
		}
		return err
	})
}

// inDamaged replaces the records of a damaged store.
func (p *replacement) inDamaged(ctx context.Context) error {
	if err := p.moveMisplaced(); err != nil {
		return err
	}
	in, err := makeTables(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := disk.syncFolder(in.Path()); err != nil {
		return err
	}
	unlock, err := lockDatabase(in.Path())
	if errors.Is(err, errWouldBlock) {
		return errBadgerHolds
	}
	if err != nil {
		return err
	}
	defer unlock()
	w := &builder{dir: in.Path(), generation: lastGeneration(p.dir) + 1}
	if w.id, err = nextTable(in); err != nil {
		return err
	}
	m, err := p.install(ctx, w, func() error {
		if err := disk.syncFolder(filepath.Join(w.dir, manifestCopy)); err != nil {
			return err
		}
		return p.writeJournal(w.generation)
	})
	if err == nil {
		sweepTables(in, m.runs)
	}
	return err
}

// moveMisplaced moves what is not a file in the place of the journal, or not a
// folder in the place of the tables, into the copy of the old store.
func (p *replacement) moveMisplaced() error {
	for name, folder := range map[string]bool{journalName: false, tablesName: true} {
		path := filepath.Join(p.dir, name)
		st, err := os.Lstat(path)
		if err != nil || p.aside == "" || st.IsDir() == folder && (folder || st.Mode().IsRegular()) {
			continue
		}
		if err := os.Rename(path, filepath.Join(p.aside, name)); err != nil {
			return err
		}
		p.changed = true
	}
	return nil
}

// addStore adds all records of another store.
func addStore(ctx context.Context, w *builder, dir string) error {
	l, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer l.Close()
	return l.View(ctx, func(tx Tx) error {
		for p, err := range Pairs(tx, Range{}) {
			if err != nil {
				return err
			}
			if err := w.add(p.Key, p.Value, false); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		return w.flush()
	})
}

// writeJournal replaces the journal by one without transactions.
func (p *replacement) writeJournal(generation uint64) error {
	in, err := private.OpenFolder(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	atomicfile.Sweep(in.Root(), atomicfile.TempPrefix(journalName), 0)
	f, err := disk.createTemp(in, journalName)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(emptyJournal(generation)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if p.lock.stale(filepath.Join(p.dir, lockName)) {
		return ErrGone
	}
	if err := f.Replace(); err != nil {
		return err
	}
	p.changed = true
	_ = in.Remove(journalKeysName) // of the old journal
	return disk.syncFolder(filepath.Join(p.dir, journalName))
}

// lastGeneration returns the latest generation in the readable files of a store.
func lastGeneration(dir string) (last uint64) {
	last = max(1, journalGeneration(dir))
	for _, name := range []string{manifestName, manifestCopy} {
		if m, err := readManifestFile(dir, name); err == nil {
			last = max(last, m.generation)
		}
	}
	return last
}
