package kv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

	mergeTables func(dir string, generation uint64, add *tree, all bool) error // another in tests

	gate gate // to the store's lock

	mu      sync.Mutex // guards the fields below; the store's lock is taken first
	active  int        // transactions that have entered; Close waits for them
	idle    *sync.Cond // of mu: active fell to 0
	journal *journal
	over    tree    // what the journal holds
	tables  *tables // opened at the first need; see at
	at      uint64  // the generation whose tables were looked for; 0 is none yet
	closed  bool
	wrote   bool
	later   *time.Timer // of a merge that is due, in a process that stays
}

// Options tell Open how a store is to be opened.
type Options struct {
	Write  bool   // the folder is made when it is not there, and Update is allowed
	Holder string // what this process calls itself to those who wait for it
	Leaves bool   // the process ends after Close, which leaves to it what costs time to free
}

// Open opens the store in a folder. Without Write a folder that is not there
// is an empty store, and nothing is created.
func Open(dir string, opts Options) (*Local, error) {
	if err := localPlace(dir, networkKind); err != nil {
		return nil, err
	}
	if opts.Write {
		if err := makeFolder(dir); err != nil {
			return nil, err
		}
	}
	l := &Local{dir: dir, opts: opts, mergeTables: mergeTables, gate: make(gate, 1)}
	l.idle = sync.NewCond(&l.mu)
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
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		return &NotFolderError{dir}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if to, err := os.Readlink(dir); err == nil { // a link to what is not there yet
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(dir), to)
		}
		return makeFolder(to)
	}
	return noSpace(makeFolders(dir, 0o700))
}

// makeFolders makes a folder and those around it, each durably.
func makeFolders(dir string, mode os.FileMode) error {
	err := os.Mkdir(dir, mode)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir {
		if err = makeFolders(filepath.Dir(dir), 0o755); err == nil {
			err = os.Mkdir(dir, mode)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
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

// Snapshot runs fn on one state, which stays as it is while others write: the
// store's lock is held only until all that the state is made of is open.
func (l *Local) Snapshot(ctx context.Context, fn func(Tx) error) error {
	h, err := l.enter(ctx, false)
	if err != nil {
		return err
	}
	defer h.release()
	tx, err := l.begin(false)
	if err != nil {
		return err
	}
	if tx.base, err = l.base(); err != nil {
		return err
	}
	if err := tx.base.openAll(); err != nil {
		return err
	}
	tx.pinned = true
	h.unlock()
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
		l.tidyLater()
	}
	return nil
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
			l.forget(1)
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
		if err := l.commit(bytes.Join(g.payloads, nil)); err != nil {
			return err
		}
	}
	kept = true
	l.relieve()
	l.tidyLater()
	return nil
}

// commit makes a payload durable, wholly or not at all. The caller has both
// locks.
func (l *Local) commit(payload []byte) error {
	if len(payload) > maxPayload {
		return &TooLargeError{What: "transaction", Size: len(payload), Most: maxPayload}
	}
	l.wrote = true
	if err := l.journal.append(payload); err != nil {
		l.forget(1)
		return noSpace(err)
	}
	return nil
}

// forget drops all that is known of the store, so that it is read anew.
//
// mine is how many of the active transactions are the caller's own.
func (l *Local) forget(mine int) {
	l.over = tree{}
	l.dropTables(mine)
	l.journal.generation = 0
}

// dropTables closes the tables, unless others are reading them: then they stay
// open until the process ends.
func (l *Local) dropTables(mine int) {
	if l.active <= mine {
		l.tables.close()
	}
	l.tables, l.at = nil, 0
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
	h, err := lockFolder(ctx, l.dir, alone, l.opts.Holder, l.gate)
	if errors.Is(err, fs.ErrNotExist) {
		if err := l.vanish(); err != nil || !alone {
			return nil, err
		}
		return l.enter(ctx, alone)
	}
	if err != nil {
		return nil, noSpace(err)
	}
	if err := l.refresh(alone); err != nil {
		h.release()
		return nil, noSpace(err)
	}
	h.after = l.leave
	return h, nil
}

// vanish makes the store empty for a reader whose folder was removed.
func (l *Local) vanish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.forget(0)
	l.journal.close()
	return nil
}

// refresh counts a transaction in, and reads what others have written.
func (l *Local) refresh(alone bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if l.journal.replaced() {
		// The folder was removed or exchanged: what is open is nobody's store.
		l.forget(0)
		l.journal.close()
		j, err := openJournal(l.journal.path, l.opts.Write)
		if err != nil {
			return err
		}
		l.journal = j
	}
	err := l.journal.refresh(func() { l.forget(0) }, l.over.apply)
	if err == nil && alone {
		err = l.journal.settle()
	}
	if err != nil {
		l.forget(0)
		return err
	}
	l.active++
	return nil
}

// leave counts a transaction out.
func (l *Local) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active--; l.active == 0 {
		l.idle.Broadcast()
	}
}

// missing reports whether there is no journal yet. Another process may have
// made it since.
func (l *Local) missing() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.journal.file != nil || l.closed {
		return false, nil
	}
	if l.opts.Write { // its folder was removed while it was open
		if err := makeFolder(l.dir); err != nil {
			return true, err
		}
	}
	j, err := openJournal(l.journal.path, l.opts.Write)
	if err != nil {
		return true, err
	}
	l.journal = j
	if j.file == nil {
		return true, j.unborn()
	}
	return false, nil
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

// Close tidies up, if this process wrote and nobody else is at work, and
// closes. What was acknowledged is durable before: an error here loses nothing.
func (l *Local) Close() error {
	err := l.tidy()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.later != nil {
		l.later.Stop() // one that has begun is waited for below, or finds the store closed
	}
	for l.active > 0 {
		l.idle.Wait()
	}
	if !l.opts.Leaves {
		l.tables.close()
	}
	l.tables = nil
	l.journal.close()
	return err
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
