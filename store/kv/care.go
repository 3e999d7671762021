package kv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Merging starts when the journal holds this much. A process that leaves keeps
// it low, since the next one has to read it; one that goes on writing merges
// seldom, since each merge costs some 15 ms.
const (
	leaveTxns  = 192
	leaveBytes = 192 << 10
	stayBytes  = 16 << 20

	tidyWait = time.Second
)

// relieve merges when this process has written so much that it weighs on its
// memory. It comes after the commit, which no failure here can take back.
func (l *Local) relieve() {
	if l.over.bytes > stayBytes {
		_ = l.merge(false)
	}
}

// tidy merges when this process, which is about to leave, wrote and the journal
// has grown.
func (l *Local) tidy() error {
	l.mu.Lock()
	due := l.wrote && (l.journal.number > leaveTxns || l.journal.end > leaveBytes)
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
	if l.journal.number <= leaveTxns && l.journal.end <= leaveBytes {
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
	// A full disk would end Badger, which writes to mapped memory, by a
	// signal. The journal grows instead, and says no_space when it cannot.
	need, err := mergeNeeds(l.dir, l.journal.generation, &l.over, all)
	if err != nil {
		return err
	}
	if free := freeBytes(l.dir); free >= 0 && free < need {
		if all {
			return ErrNoSpace
		}
		return nil
	}
	generation := l.journal.generation
	l.dropTables(1)
	if err := mergeTables(l.dir, generation, &l.over, all); err != nil {
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
	l.sweep()
	return nil
}

// sweep removes the tables of other generations. What cannot be removed now,
// because it is in use on a system that minds, is removed after a later merge.
func (l *Local) sweep() {
	names, err := os.ReadDir(l.dir)
	if err != nil {
		return
	}
	current := filepath.Base(tablesPath(l.dir, l.journal.generation))
	for _, n := range names {
		if strings.HasPrefix(n.Name(), tablesName) && n.Name() != current {
			_ = os.RemoveAll(filepath.Join(l.dir, n.Name()))
		}
	}
}
