package kv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Local is the engine of one machine: a folder with a journal, which takes
// every write, over Badger's tables, which hold the bulk.
//
// Nothing is locked between transactions. Each takes the store's lock, reads
// what other processes have appended to the journal since, runs, and for an
// Update appends and syncs; so a process that lives long stands in nobody's
// way, and one that comes for a single call opens Badger only when the journal
// does not know the answer.
type Local struct {
	dir  string
	opts Options

	active sync.RWMutex // shared by what has entered; Close waits for it

	mu      sync.Mutex // guards the fields below; the store's lock is taken first
	journal *journal
	over    tree    // what the journal holds
	tables  *tables // opened at the first need; see at
	at      uint64  // the generation whose tables were looked for; 0 is none yet
	closed  bool
	wrote   bool
}

// Options tell Open how a store is to be opened.
type Options struct {
	Write  bool   // the folder is made when it is not there, and Update is allowed
	Holder string // what this process calls itself to those who wait for it
	Leaves bool   // the process ends after Close, which leaves to it what costs time to free
}

// Merging starts when the journal holds this much. A process that leaves keeps
// it low, since the next one has to read it; one that goes on writing merges
// seldom, since each merge costs some 15 ms.
const (
	leaveTxns  = 192
	leaveBytes = 192 << 10
	stayBytes  = 16 << 20

	tidyWait = time.Second
)

// Open opens the store in a folder. Without Write a folder that is not there
// is an empty store, and nothing is created.
func Open(dir string, opts Options) (*Local, error) {
	if opts.Write {
		if err := makeFolder(dir); err != nil {
			return nil, err
		}
	}
	l := &Local{dir: dir, opts: opts}
	var err error
	l.journal, err = openJournal(filepath.Join(dir, journalName), opts.Write)
	if err != nil {
		if st, e := os.Stat(dir); e == nil && !st.IsDir() {
			err = &NotFolderError{dir}
		}
		return nil, noSpace(err)
	}
	return l, nil
}

// makeFolder makes the folder, private, and its parents.
func makeFolder(dir string) error {
	if st, err := os.Stat(dir); err == nil {
		if !st.IsDir() {
			return &NotFolderError{dir}
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return noSpace(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return noSpace(err)
	}
	return syncFolder(dir)
}

// noSpace names a full disk by its sentinel.
func noSpace(err error) error {
	if err != nil && isNoSpace(err) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}

// groupKey marks the context of a Group.
type groupKey struct{}

type group struct {
	engine   *Local
	mu       sync.Mutex // its Updates come one after the other
	payloads [][]byte
}

func (l *Local) group(ctx context.Context) *group {
	if g, _ := ctx.Value(groupKey{}).(*group); g != nil && g.engine == l {
		return g
	}
	return nil
}

// View runs fn on one consistent state.
func (l *Local) View(ctx context.Context, fn func(Tx) error) error {
	if l.group(ctx) == nil {
		h, err := l.enter(ctx, false)
		if err != nil {
			return err
		}
		defer h.release()
	}
	tx, err := l.begin(false)
	if err != nil {
		return err
	}
	return tx.finish(fn(tx))
}

// Update runs fn and makes what it wrote durable.
func (l *Local) Update(ctx context.Context, fn func(Tx) error) error {
	g := l.group(ctx)
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
	} else {
		h, err := l.enter(ctx, true)
		if err != nil {
			return err
		}
		defer h.release()
	}
	tx, err := l.begin(true)
	if err != nil {
		return err
	}
	if err := tx.finish(fn(tx)); err != nil {
		return err
	}
	payload := tx.payload()
	if len(payload) == 0 {
		return nil
	}
	if len(payload) > maxPayload {
		return &TooLargeError{What: "transaction", Size: len(payload), Most: maxPayload}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if g != nil {
		g.payloads = append(g.payloads, payload)
	} else if err := l.commit(payload); err != nil {
		return err
	}
	operations(payload, l.over.apply)
	if g == nil {
		l.relieve()
	}
	return nil
}

// relieve merges when this process has written so much that it weighs on its
// memory. It comes after the commit, which no failure here can take back.
func (l *Local) relieve() {
	if l.over.bytes > stayBytes {
		_ = l.merge(false)
	}
}

// Group runs fn, whose Updates are made durable by one sync.
func (l *Local) Group(ctx context.Context, fn func(context.Context) error) error {
	if l.group(ctx) != nil {
		return fn(ctx)
	}
	h, err := l.enter(ctx, true)
	if err != nil {
		return err
	}
	g := &group{engine: l}
	kept := false
	defer func() {
		if !kept && len(g.payloads) > 0 { // also when fn panicked
			l.mu.Lock()
			l.forget()
			l.mu.Unlock()
		}
		h.release()
	}()
	if err := fn(context.WithValue(ctx, groupKey{}, g)); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(g.payloads) > 0 {
		if err := l.commit(g.payloads...); err != nil {
			return err
		}
	}
	kept = true
	l.relieve()
	return nil
}

// commit makes payloads durable. The caller has both locks.
func (l *Local) commit(payloads ...[]byte) error {
	l.wrote = true
	if err := l.journal.append(payloads...); err != nil {
		l.forget()
		return noSpace(err)
	}
	return nil
}

// forget drops all that is known of the store, so that it is read anew.
func (l *Local) forget() {
	l.over = tree{}
	l.tables.close()
	l.tables, l.at = nil, 0
	l.journal.generation = 0
}

// enter takes the store's lock and brings what is known of the store up to date.
func (l *Local) enter(ctx context.Context, alone bool) (*held, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if alone && !l.opts.Write {
		return nil, errors.New("store: opened to be read only")
	}
	if missing, err := l.missing(); missing || err != nil {
		return nil, err // nothing was ever written: there is nothing to lock
	}
	h, err := lockFolder(ctx, l.dir, alone, l.opts.Holder)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && !alone {
			return nil, nil // a journal without lock files on a read-only medium
		}
		return nil, noSpace(err)
	}
	l.active.RLock()
	h.after = l.active.RUnlock
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		h.release()
		return nil, ErrClosed
	}
	restart := func() error { l.forget(); return nil }
	if err := l.journal.refresh(restart, l.over.apply); err != nil {
		l.forget()
		h.release()
		return nil, err
	}
	return h, nil
}

// missing reports whether there is no journal yet. Another process may have
// made it since.
func (l *Local) missing() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal.file != nil || l.closed {
		return false, nil
	}
	j, err := openJournal(l.journal.path, false)
	if err != nil {
		return true, err
	}
	l.journal = j
	return j.file == nil, nil
}

// begin starts a transaction on the state that enter has read.
func (l *Local) begin(write bool) (*localTx, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	tx := &localTx{engine: l, write: write}
	tx.over.keys = *l.over.keys.Copy()
	return tx, nil
}

// base returns the tables, opened at the first need; nil when there are none.
func (l *Local) base() (*tables, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == l.journal.generation {
		return l.tables, nil
	}
	t, err := openTables(l.dir, l.journal.generation)
	if err != nil {
		return nil, err
	}
	l.tables, l.at = t, l.journal.generation
	return t, nil
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
	if free := freeBytes(l.dir); free >= 0 && free < int64(4*l.over.bytes)+memTableSize {
		if all {
			return ErrNoSpace
		}
		return nil
	}
	generation := l.journal.generation
	l.tables.close()
	l.tables, l.at = nil, 0
	if err := mergeTables(l.dir, generation, &l.over, all); err != nil {
		return noSpace(err)
	}
	t, err := openTables(l.dir, generation+1)
	if err != nil {
		return err
	}
	if err := l.journal.begin(generation + 1); err != nil {
		t.close()
		l.forget()
		return noSpace(err)
	}
	l.over = tree{}
	l.tables, l.at = t, generation+1
	return l.sweep()
}

// sweep removes the tables of other generations.
func (l *Local) sweep() error {
	names, err := os.ReadDir(l.dir)
	if err != nil {
		return err
	}
	current := filepath.Base(tablesPath(l.dir, l.journal.generation))
	for _, n := range names {
		if strings.HasPrefix(n.Name(), tablesName) && n.Name() != current {
			if err := os.RemoveAll(filepath.Join(l.dir, n.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close tidies up, if this process wrote and nobody else is at work, and
// closes. What was acknowledged is durable before: an error here loses nothing.
func (l *Local) Close() error {
	err := l.tidy()
	l.active.Lock()
	defer l.active.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if !l.opts.Leaves {
		l.tables.close()
	}
	l.tables = nil
	l.journal.close()
	return err
}

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

// Info tells what the folder holds.
func (l *Local) Info(ctx context.Context) (Info, error) {
	h, err := l.enter(ctx, false)
	if err != nil {
		return Info{}, err
	}
	defer h.release()
	l.mu.Lock()
	defer l.mu.Unlock()
	i := Info{
		Engine: "local", Path: l.dir, Format: formatVersion,
		Generation:   int64(max(l.journal.generation, 1) - 1),
		JournalBytes: l.journal.end, JournalTxns: int64(l.journal.number),
	}
	err = filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		i.Files++
		i.Bytes += st.Size()
		if filepath.Ext(path) == ".sst" {
			i.Tables++
			i.TableBytes += st.Size()
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // nothing was written yet
	}
	return i, err
}
