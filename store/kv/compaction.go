package kv

import (
	"context"
	"errors"
	"time"
)

// A compaction is due when the journal exceeds these limits. A process that is
// about to end keeps the journal small, because the next process has to read it. A
// long-lived process compacts a moment later, so that a burst of writes causes one
// compaction.
const (
	leaveTxns  = 128
	leaveBytes = 192 << 10
	stayBytes  = 16 << 20

	compactionWait  = time.Second            // for the lock
	compactionDelay = 250 * time.Millisecond // after the write that made it due, in a process that stays
)

// errBadgerHolds is returned when another program has opened the tables with
// Badger, and so no others may be written.
var errBadgerHolds = &BusyError{Command: "a program that has opened the tables with Badger"}

// compactIfLarge compacts when the memtable uses too much memory. It runs after a
// commit, so that a failure here does not affect the commit.
func (l *Local) compactIfLarge() {
	if l.memtable.bytes > stayBytes {
		_ = l.merge(false)
	}
}

// scheduleCompaction starts a compaction after a delay when one is due. The caller
// has l.mu.
func (l *Local) scheduleCompaction() {
	if l.timer == nil && l.compactionDue() {
		l.timer = time.AfterFunc(compactionDelay, func() {
			_ = l.compactIfDue() // a failed compaction is tried again after a later write
			l.mu.Lock()
			defer l.mu.Unlock()
			l.timer = nil
		})
	}
}

// compactionDue reports whether the journal exceeds its limits. The caller has
// l.mu.
//
// A store of format 1 is migrated by its next compaction, and so at the first
// write.
func (l *Local) compactionDue() bool {
	if l.journal.generation > 1 && l.journal.format < formatVersion {
		return true
	}
	return l.journal.number > leaveTxns || l.journal.end > leaveBytes
}

// compactIfDue compacts when this process has written and a compaction is due.
func (l *Local) compactIfDue() error {
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
	return exclusively(ctx, l, func() error {
		if !l.compactionDue() {
			return nil // another process has compacted
		}
		return l.merge(false)
	})
}

// Compact moves the journal's records into the tables and rewrites all tables as
// one run.
func (l *Local) Compact(ctx context.Context) error {
	if groupOf(ctx, l) != nil {
		return errInGroup
	}
	return exclusively(ctx, l, func() error {
		if l.journal.generation == 0 {
			return nil
		}
		return l.merge(true)
	})
}

// exclusively runs fn with the lock of the store and l.mu.
func exclusively(ctx context.Context, l *Local, fn func() error) error {
	h, err := l.attach(ctx, true)
	if err != nil {
		return err
	}
	defer h.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	return fn()
}

// merge moves the journal's records into the tables. The caller has the store's
// lock and l.mu.
func (l *Local) merge(all bool) error {
	old, err := openTables(l.dir, l.journal.generation, l.journal.format)
	if err != nil {
		return err
	}
	// When the disk is nearly full, the journal may use the remaining space: a
	// compaction needs room for new tables first.
	need := mergeNeeds(old.list(), int64(l.memtable.bytes), all || old.sealed)
	if free := freeBytes(l.dir); free >= 0 && free < need {
		if all {
			return ErrNoSpace
		}
		return nil
	}
	in, err := makeTables(l.dir)
	if err != nil {
		return noSpace(err)
	}
	defer in.Close()
	unlock, err := lockDatabase(in.Path())
	switch {
	case errors.Is(err, errWouldBlock) && !all:
		return nil // a later write tries again
	case errors.Is(err, errWouldBlock):
		return errBadgerHolds
	case err != nil:
		return err
	}
	defer unlock()
	l.dropTables()
	m, err := l.mergeTables(old, &l.memtable, all, func() error { return l.journal.verify(l.lockLost) })
	if err != nil {
		return noSpace(err)
	}
	merged := l.journal.generation
	if err := l.journal.next(m.generation, l.lockLost); err != nil {
		l.reset()
		return noSpace(err)
	}
	if all { // otherwise the next transaction clears them
		err = l.journal.clearKeys(merged)
	}
	l.memtable = memtable{}
	sweepTables(in, m.runs)
	return noSpace(err)
}
