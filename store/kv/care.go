package kv

import (
	"context"
	"time"
)

// Merging starts when the journal holds this much. A process that leaves keeps
// it low, since the next one has to read it; one that stays does so a moment
// later, so that a long row of writes is merged seldom.
const (
	leaveTxns  = 192
	leaveBytes = 192 << 10
	stayBytes  = 16 << 20

	tidyWait  = time.Second            // for the lock
	tidyDelay = 250 * time.Millisecond // after the write that made it due, in a process that stays
)

// relieve merges when this process has written so much that it weighs on its
// memory. It comes after the commit, which no failure here can take back.
func (l *Local) relieve() {
	if l.over.bytes > stayBytes {
		_ = l.merge(false)
	}
}

// tidyLater sees to a journal that has grown in a process that stays: others
// have to read it in the meantime. The caller has l.mu.
func (l *Local) tidyLater() {
	if l.later == nil && l.grown() {
		l.later = time.AfterFunc(tidyDelay, func() {
			_ = l.tidy() // what could not be merged now is merged later
			l.mu.Lock()
			defer l.mu.Unlock()
			l.later = nil
		})
	}
}

// grown reports whether a merge is due. The caller has l.mu.
func (l *Local) grown() bool {
	return l.journal.number > leaveTxns || l.journal.end > leaveBytes
}

// tidy merges when this process wrote and the journal has grown.
func (l *Local) tidy() error {
	l.mu.Lock()
	due := !l.closed && l.wrote && l.grown()
	l.mu.Unlock()
	if !due {
		return nil
	}
	// Whoever leaves does not wait long for a holder that hangs; the next one
	// will see to it.
	ctx, stop := context.WithTimeout(context.Background(), tidyWait)
	defer stop()
	h, err := l.enter(ctx, true)
	if err != nil {
		return err
	}
	defer h.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.grown() {
		return nil // another process was first
	}
	return l.merge(false)
}

// Compact merges the journal and rewrites the tables in their smallest form.
func (l *Local) Compact(ctx context.Context) error {
	h, err := l.enter(ctx, true)
	if err != nil {
		return err
	}
	defer h.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal.generation == 0 {
		return nil
	}
	return l.merge(true)
}

// merge moves what the journal holds into the tables. The caller has both locks.
func (l *Local) merge(all bool) error {
	old, err := openTables(l.dir, l.journal.generation)
	if err != nil {
		return err
	}
	// On a full disk the journal grows instead, and says no_space when it
	// cannot: a merge would only take the last room that it has.
	need := mergeNeeds(old.list(), int64(l.over.bytes), all)
	if free := freeBytes(l.dir); free >= 0 && free < need {
		if all {
			return ErrNoSpace
		}
		return nil
	}
	generation := l.journal.generation
	l.dropTables(1)
	if err := l.mergeTables(l.dir, generation, &l.over, all); err != nil {
		return noSpace(err)
	}
	t, err := openTables(l.dir, generation+1)
	if err != nil {
		return err
	}
	if err := l.journal.begin(generation + 1); err != nil {
		t.close()
		l.forget(1)
		return noSpace(err)
	}
	l.over = tree{}
	l.tables, l.at = t, generation+1
	sweepTables(t.path, generation+1, t.list())
	return nil
}
