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
	stayBytes  = 16 << 20

	compactionWait   = time.Second            // for the lock
	compactionDelay  = 250 * time.Millisecond // after the last write, in a process that stays
	compactionLatest = 2 * time.Second        // after the write that made it due
)

// errBadgerHolds is returned when another program has opened the tables with
// Badger, and so no others may be written.
var errBadgerHolds = &kv.BusyError{Command: "a program that has opened the tables with Badger"}

// compactIfLarge compacts when the memtable uses too much memory. It runs after a
// commit, so that a failure here does not affect the commit.
func (l *Engine) compactIfLarge() {
	if l.writing.memtable.bytes > stayBytes {
		_ = l.merge(false)
	}
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
	l.mu.Unlock()
	if !due {
		return nil
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
	return l.merge(false)
}

// Compact moves the journal's records into the tables and rewrites all tables as
// one run.
func (l *Engine) Compact(ctx context.Context) error {
	if groupOf(ctx, l) != nil {
		return errInGroup
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

// merge moves the journal's records into the tables. The caller is the writer. Readers go on:
// they have the tables open, or notice that others have taken their place.
func (l *Engine) merge(all bool) error {
	w := l.writing
	old, err := sst.Open(l.dir, w.journal.Generation)
	if err != nil {
		return err
	}
	// When the disk is nearly full, the journal may use the remaining space: a
	// compaction needs room for new tables first.
	need := sst.MergeNeeds(old.List(), int64(w.memtable.bytes), all)
	if free := disk.FreeBytes(l.dir); free >= 0 && free < need {
		if all {
			return kv.ErrNoSpace
		}
		return nil
	}
	in, err := makeTables(l.dir, w.journal)
	if err != nil {
		return disk.NoSpace(err)
	}
	defer in.Close()
	unlock, err := lock.Database(in.Path())
	switch {
	case errors.Is(err, lock.ErrHeld) && !all:
		return nil // a later write tries again
	case errors.Is(err, lock.ErrHeld):
		return errBadgerHolds
	case err != nil:
		return err
	}
	defer unlock()
	m, err := l.mergeTables(old, &w.memtable, all, func() error { return w.journal.Verify(l.lockLost) })
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
