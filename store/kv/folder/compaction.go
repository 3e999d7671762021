package folder

import (
	"context"
	"errors"
	"time"

	"techo/internal/private"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
	"techo/store/kv/sst"
)

// A compaction is due when the journal exceeds these limits. A process that is
// about to end keeps the journal small, because the next process has to read it. A
// long-lived process compacts when it has written nothing for a moment, so that a
// burst of writes causes one compaction, or at the latest after compactionLatest.
const (
	leaveTxns  = 128
	leaveBytes = 192 << 10
	stayBytes  = 8 << 20

	compactionWait   = time.Second            // for the lock
	compactionDelay  = 250 * time.Millisecond // after the last write, in a process that stays
	compactionLatest = 2 * time.Second        // after the write that made it due
)

// errBadgerHolds is returned when another program has opened the tables with
// Badger, and so no others may be written.
var errBadgerHolds = &kv.BusyError{Command: "a program that has opened the tables with Badger"}

// compactIfLarge compacts when the memtable uses too much memory. It runs after a
// commit, so that a failure here does not affect the commit. rest says that runs are to be merged
// without the lock.
func (l *Engine) compactIfLarge() (rest bool) {
	if l.writing.memtable.bytes <= stayBytes {
		return false
	}
	if l.rewritesMuch(false) {
		return l.mergeWith(sst.Add, false, 0) == nil
	}
	_ = l.mergeWith(l.mergeTables, false, 0)
	return false
}

// scheduleCompaction starts a compaction after a delay when one is due. The caller
// has written.
func (l *Engine) scheduleCompaction() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = time.Now()
	if l.timer == nil && l.compactionDue() {
		l.due = l.written
		l.timer = time.AfterFunc(compactionDelay, l.compactAfterWrites)
	}
}

// compactAfterWrites runs the scheduled compaction, or delays it while writes go on.
func (l *Engine) compactAfterWrites() {
	if l.delayCompaction() {
		return
	}
	_ = l.compactIfDue() // a failed compaction is tried again after a later write
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = nil
}

// delayCompaction starts the timer again if the last write is too recent.
func (l *Engine) delayCompaction() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	rest := compactionDelay - time.Since(l.written)
	if l.closed || rest <= 0 || time.Since(l.due) >= compactionLatest {
		return false
	}
	l.timer.Reset(rest)
	return true
}

// compactionDue reports whether the journal exceeds its limits.
func (s *state) compactionDue() bool {
	return s.journal.Number > leaveTxns || s.journal.End > leaveBytes
}

// compactIfDue compacts when this process has written and a compaction is due.
func (l *Engine) compactIfDue() error {
	l.mu.Lock()
	due := !l.closed && l.wrote && l.compactionDue()
	if due {
		l.active++ // for which Close waits: a compaction makes files before it begins a transaction
	}
	l.mu.Unlock()
	if !due {
		return nil
	}
	defer l.leave()
	if l.rewritesMuch(false) {
		return l.mergeBeside(context.Background(), false)
	}
	// A process that is about to end waits only briefly for the lock; the next writer
	// compacts instead.
	ctx, stop := context.WithTimeout(context.Background(), compactionWait)
	defer stop()
	h, err := l.attach(ctx)
	if err != nil {
		return err
	}
	defer h.Release()
	if !l.writing.compactionDue() {
		return nil // another process has compacted
	}
	return l.mergeWith(l.mergeTables, false, 0)
}

// Compact moves the journal's records into the tables and rewrites all tables as
// one run. What others write meanwhile is a run of its own.
func (l *Engine) Compact(ctx context.Context) error {
	if groupOf(ctx, l) != nil {
		return errInGroup
	}
	if l.opts.Write && l.rewritesMuch(true) {
		if err := l.mergeBeside(ctx, true); !errors.Is(err, errOvertaken) {
			return err
		}
	}
	h, err := l.attach(ctx)
	if err != nil {
		return err
	}
	defer h.Release()
	if l.writing.journal.Generation == 0 {
		return nil
	}
	return l.merge(true)
}

// fewBytes is the size of runs up to which they are merged while writers wait: it takes a few hundredths of a second.
const fewBytes = 4 << 20

// errOvertaken is returned when another writer has changed the tables meanwhile.
var errOvertaken = errors.New("store: the tables changed meanwhile")

// rewritesMuch reports whether a compaction merges so many bytes that it should let others write.
func (l *Engine) rewritesMuch(all bool) bool {
	m, err := sst.ReadManifest(l.dir)
	if err != nil || !lock.DatabaseExcludes {
		return false // the compaction reports it
	}
	sizes, much := sst.RunSizes(m.Runs), int64(0)
	for _, size := range sizes[:sst.PlanCompaction(sizes, 0, all)] {
		much += size
	}
	return much > fewBytes
}

// mergeBeside compacts as merge does, with the store's lock at its begin and its end alone. The lock of the database
// keeps other compactions away meanwhile.
func (l *Engine) mergeBeside(ctx context.Context, all bool) error {
	if all {
		select {
		case l.merger <- struct{}{}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	} else {
		select {
		case l.merger <- struct{}{}:
		default:
			return nil
		}
	}
	defer func() { <-l.merger }()
	in, err := sst.OpenFolder(l.dir)
	if err != nil {
		return err
	}
	defer in.Close()
	patience := time.Duration(0)
	if all {
		patience = l.waits.Limit
	}
	unlock, err := lockDatabase(in, all, patience)
	if err != nil || unlock == nil {
		return err
	}
	defer unlock()
	r, from, err := l.beginRewrite(ctx, in, all)
	if err != nil || r == nil {
		return err
	}
	defer l.leave()
	h, err := (*lock.Lock)(nil), r.Merge()
	if l.beside != nil {
		l.beside()
	}
	if err == nil {
		h, err = l.attach(ctx)
	}
	if err == nil {
		defer h.Release()
		if w := l.writing; w.journal.File != from.File || w.journal.Generation != from.Generation {
			err = errOvertaken
		}
	}
	if err != nil {
		r.Cancel()
		if kv.IsCorrupt(err) && !all {
			return nil // the journal's records are in the tables; the damaged runs stay
		}
		return disk.NoSpace(err)
	}
	return l.install(in, all, func(verify func() error) (sst.Manifest, error) {
		return r.End(&l.writing.memtable, verify)
	})
}

// beginRewrite moves the journal's records into the tables, and begins to merge the runs that a compaction should. It
// returns nil if there are none. The engine has a transaction more afterwards, for which Close waits.
func (l *Engine) beginRewrite(ctx context.Context, in *private.Folder, all bool) (r *sst.Rewrite, from journal.Log,
	err error) {
	h, err := l.attach(ctx)
	if err != nil {
		return nil, from, err
	}
	defer h.Release()
	w := l.writing
	old, err := sst.Open(l.dir, w.journal.Generation)
	if err != nil {
		return nil, from, err
	}
	if ok, err := w.hasRoom(l.dir, old, all); !ok {
		old.Close()
		return nil, from, err
	}
	if w.memtable.bytes > 0 {
		err = l.install(in, all, func(verify func() error) (sst.Manifest, error) {
			return sst.Add(old, &w.memtable, all, verify)
		})
		if err == nil {
			old, err = sst.Open(l.dir, w.journal.Generation)
		}
		if err != nil {
			return nil, from, err
		}
	}
	n := sst.PlanCompaction(sst.RunSizes(old.List()), 0, all)
	if n == 0 {
		old.Close()
		return nil, from, nil
	}
	if r, err = sst.BeginRewrite(old, n); err != nil {
		return nil, from, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.active++
	return r, *w.journal, nil
}

// merge moves the journal's records into the tables. The caller is the writer. Readers go on:
// they have the tables open, or notice that others have taken their place.
func (l *Engine) merge(all bool) error { return l.mergeWith(l.mergeTables, all, lock.Moment) }

// mergeWith is merge in one of several ways. It waits so long for the lock of the database.
func (l *Engine) mergeWith(how func(*sst.Tables, sst.Layer, bool, func() error) (sst.Manifest, error), all bool,
	patience time.Duration) error {
	w := l.writing
	old, err := sst.Open(l.dir, w.journal.Generation)
	if err != nil {
		return err
	}
	if ok, err := w.hasRoom(l.dir, old, all); !ok {
		return err
	}
	in, err := makeTables(l.dir, w.journal)
	if err != nil {
		return disk.NoSpace(err)
	}
	defer in.Close()
	unlock, err := lockDatabase(in, all, patience)
	if err != nil || unlock == nil {
		return err
	}
	defer unlock()
	return l.install(in, all, func(verify func() error) (sst.Manifest, error) {
		return how(old, &w.memtable, all, verify)
	})
}

// hasRoom reports whether the disk has the space that a compaction needs for new tables. Without it the journal may
// use what is left, and a compaction of all fails.
func (s *state) hasRoom(dir string, old *sst.Tables, all bool) (ok bool, err error) {
	free := disk.FreeBytes(dir)
	ok = free < 0 || free >= sst.MergeNeeds(old.List(), int64(s.memtable.bytes), all)
	if !ok && all {
		err = kv.ErrNoSpace
	}
	return ok, err
}

// lockDatabase takes the lock of the database, for which it waits so long. If another program has it, a compaction of
// all fails; another one gets nil, and a later write tries again.
func lockDatabase(in *private.Folder, all bool, patience time.Duration) (unlock func(), err error) {
	unlock, err = lock.Database(in.Path(), patience)
	if errors.Is(err, lock.ErrHeld) {
		unlock, err = nil, nil
		if all {
			err = errBadgerHolds
		}
	}
	return unlock, err
}

// install makes tables with the journal's records the ones of the store.
func (l *Engine) install(in *private.Folder, all bool, make func(verify func() error) (sst.Manifest, error)) error {
	defer l.waits.Merging()()
	w := l.writing
	m, err := make(func() error { return w.journal.Verify(l.lockLost) })
	if err != nil {
		return disk.NoSpace(err)
	}
	merged := w.journal.Generation
	if err := w.journal.Next(m.Generation, l.lockLost); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reset()
		return disk.NoSpace(err)
	}
	w.memtable = memtable{}
	l.mu.Lock()
	w.tables.release()
	l.publish()
	w.tables = newSharedTables(l.dir, w.journal)
	l.mu.Unlock()
	if all { // otherwise the next transaction clears them
		if err := w.journal.ClearKeys(merged); err != nil {
			return disk.NoSpace(err)
		}
	}
	sst.Sweep(in, m.Runs) // last: after an error a caller may need the old tables
	return nil
}

// makeTables opens the folder of the tables, and creates it when it is missing.
func makeTables(dir string, j *journal.Log) (*private.Folder, error) {
	if j.Generation == 1 { // tables without a journal are damage
		if err := disk.Current.SyncFolder(j.Path); err != nil {
			return nil, err
		}
	}
	return sst.MakeFolder(dir)
}
