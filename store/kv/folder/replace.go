package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"techo/internal/atomicfile"
	"techo/internal/private"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
	"techo/store/kv/sst"
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
	lock       *lock.Lock
	aside      string // the copy of the old store, "" without one
	changed    bool   // the store may have changed

	before    [][]sst.Info // the runs of a sound store
	installed *sst.Builder // of the tables that replace them; nil before the manifest may list them
}

// replaceRecords replaces the records of the store in dir by the records of a fresh
// store. With why, the old store is kept beside it under a name with why. An error
// means that nothing has changed, unless aside is returned.
func replaceRecords(ctx context.Context, dir, fresh, why string, lock *lock.Lock) (aside string, err error) {
	p := &replacement{dir: dir, fresh: fresh, lock: lock}
	damaged := false
	if why != "" {
		if p.aside, damaged, err = copyAside(dir, why); err != nil {
			return "", err
		}
	}
	if !damaged { // otherwise the copy may have the same journal, which must not change
		err = p.inSound(ctx)
		damaged = p.installed == nil && (kv.IsCorrupt(err) || errors.As(err, new(*kv.VersionError)))
	}
	if damaged {
		err = p.inDamaged(ctx)
	}
	if err != nil && !p.changed && p.aside != "" {
		disk.RemoveStore(p.aside)
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
	var w *writing
	err = l.refresh(p.lock, func(h *lock.Lock) (err error) {
		w, err = l.beginWriting(h)
		return err
	})
	if err != nil {
		return err
	}
	defer l.endWriting(w)
	j := w.journal
	if j.Generation == 0 {
		if err := j.Begin(1); err != nil {
			return err
		}
	}
	generation := j.Generation
	if err := l.merge(false); err != nil {
		return err
	}
	if j.Generation == generation { // it was put off
		return kv.ErrNoSpace
	}
	l.mergeTables = func(old *sst.Tables, _ sst.Layer, _ bool, verify func() error) (m sst.Manifest, err error) {
		defer old.Close()
		w, err := sst.NewBuilder(old)
		if err != nil {
			return m, err
		}
		p.before = old.List()
		return p.install(ctx, w, verify)
	}
	if err = l.merge(true); err == nil || p.installed == nil {
		return err
	}
	if p.putBack(l.lockLost) == nil {
		p.changed = false
		p.installed.Remove()
		return err
	}
	if !l.lockLost() { // otherwise another writer has taken the journal
		err = errors.Join(err, j.Unmark()) // perhaps no manifest is durable
	}
	return err
}

// putBack lists the old tables in the manifest again, durably. The journal has no
// transactions, and its generation is at most the one of the new tables.
func (p *replacement) putBack(lockLost func() bool) error {
	in, err := sst.OpenFolder(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	unlock, err := lock.Database(in.Path(), lock.Moment)
	if err != nil {
		return err
	}
	defer unlock()
	old := sst.Manifest{Generation: p.installed.Generation, Runs: p.before}
	return old.Install(in, func() error {
		if lockLost() {
			return kv.ErrGone
		}
		return nil
	})
}

// install writes the records of the fresh store to new tables, and the manifest.
func (p *replacement) install(ctx context.Context, w *sst.Builder, verify func() error) (m sst.Manifest, err error) {
	defer func() {
		if !p.changed {
			w.Remove()
		}
	}()
	if err := addStore(ctx, w, p.fresh); err != nil {
		return m, err
	}
	m.Generation = w.Generation
	if len(w.Run) > 0 {
		m.Runs = [][]sst.Info{w.Run}
	}
	in, err := sst.OpenFolder(p.dir)
	if err != nil {
		return m, err
	}
	defer in.Close()
	if err := disk.Current.SyncFolder(filepath.Join(w.Dir, disk.ManifestName)); err != nil {
		return m, err
	}
	return m, m.Install(in, func() error {
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
	in, err := sst.MakeFolder(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := disk.Current.SyncFolder(in.Path()); err != nil {
		return err
	}
	unlock, err := lockDatabase(in, true, lock.Moment)
	if err != nil {
		return err
	}
	defer unlock()
	w := &sst.Builder{Dir: in.Path(), Generation: lastGeneration(p.dir) + 1}
	if w.ID, err = sst.NextTable(in); err != nil {
		return err
	}
	m, err := p.install(ctx, w, func() error {
		if err := disk.Current.SyncFolder(filepath.Join(w.Dir, disk.ManifestCopy)); err != nil {
			return err
		}
		return p.writeJournal(w.Generation)
	})
	if err == nil {
		sst.Sweep(in, m.Runs)
	}
	return err
}

// moveMisplaced moves what is not a file in the place of the journal, or not a
// folder in the place of the tables, into the copy of the old store.
func (p *replacement) moveMisplaced() error {
	for name, folder := range map[string]bool{disk.JournalName: false, disk.TablesName: true} {
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

func addStore(ctx context.Context, w *sst.Builder, dir string) error {
	l, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Snapshot(ctx, func(tx kv.Tx) error {
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			if err := w.Add(p.Key, p.Value, false); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		return w.Flush()
	})
}

// writeJournal replaces the journal by one without transactions.
func (p *replacement) writeJournal(generation uint64) error {
	in, err := private.OpenFolder(p.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	atomicfile.Sweep(in.Root(), atomicfile.TempPrefix(disk.JournalName), 0)
	f, err := disk.Current.CreateTemp(in, disk.JournalName)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(journal.Empty(generation)); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if p.lock.Stale(filepath.Join(p.dir, disk.LockName)) {
		return kv.ErrGone
	}
	if err := f.Replace(); err != nil {
		return err
	}
	p.changed = true
	_ = in.Remove(disk.JournalKeysName) // of the old journal
	return disk.Current.SyncFolder(filepath.Join(p.dir, disk.JournalName))
}

// lastGeneration returns the latest generation in the readable files of a store.
func lastGeneration(dir string) (last uint64) {
	last = max(1, journal.GenerationIn(dir))
	for _, name := range []string{disk.ManifestName, disk.ManifestCopy} {
		if m, err := sst.ReadManifestFile(dir, name); err == nil {
			last = max(last, m.Generation)
		}
	}
	return last
}
