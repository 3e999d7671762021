// Package folder implements kv.Engine in a folder of one machine: a Badger database with a
// write-ahead log in front, the journal, that admits any number of processes. Every write is
// appended to the journal; a compaction moves the journal's records into the database's tables.
//
// Only a writer takes the store's lock, for one transaction: it reads the frames that other
// processes have appended since, runs its function, and appends and syncs one frame. A reader takes
// no lock. So a long-lived process does not block others, and a one-shot process opens tables only
// when the journal does not hold the key.
package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
	"techo/store/kv/sst"
)

// Engine is a store in a folder.
type Engine struct {
	dir  string
	opts Options

	// beside is called by a compaction that lets others write, before it takes the lock again. Only tests set it.
	beside func()

	// mergeTables is replaced by tests.
	mergeTables func(old *sst.Tables, add sst.Layer, all bool, verify func() error) (sst.Manifest, error)

	waits  *lock.Waits   // for the store's lock
	merger chan struct{} // has an element while this process merges runs beside writers

	mu      sync.Mutex // guards the fields below, for moments only
	active  int        // running transactions; Close waits for them
	idle    *sync.Cond // of mu: active became 0
	state              // the last one that was seen, all of it durable
	writing *writing   // the running writer's; nil without one
	retired []disk.File
	closed  bool
	wrote   bool
	batch   *batch      // waits for the store's lock; nil without one
	timer   *time.Timer // of a scheduled compaction
	due     time.Time   // when that became due
	written time.Time   // the last commit since
}

// Options are the options of Open.
type Options struct {
	Write  bool   // creates the folder when it is missing, and allows Update
	Holder string // name of this process in the errors of processes that wait for it
}

// Open opens the store in a folder. Without Write a missing folder is an empty
// store, and nothing is created.
func Open(dir string, opts Options) (*Engine, error) {
	if err := disk.CheckLocal(dir, disk.NetworkKind); err != nil {
		return nil, err
	}
	if opts.Write {
		if err := makeFolder(dir); err != nil {
			return nil, err
		}
	}
	if err := disk.CheckOwner(dir); err != nil && !errors.Is(err, syscall.ENOTDIR) { // reported below
		return nil, err
	}
	if runtime.GOOS == "windows" { // which calls a file in a file missing
		if st, err := os.Stat(dir); err == nil && !st.IsDir() {
			return nil, &kv.NotFolderError{Path: dir}
		}
	}
	l := &Engine{dir: dir, opts: opts, mergeTables: sst.Merge, waits: lock.NewWaits(),
		merger: make(chan struct{}, 1)}
	l.idle = sync.NewCond(&l.mu)
	var err error
	l.journal, err = journal.Open(filepath.Join(dir, disk.JournalName), opts.Write)
	if err != nil {
		if st, e := os.Stat(dir); e == nil && !st.IsDir() {
			err = &kv.NotFolderError{Path: dir}
		}
		return nil, disk.NoSpace(err)
	}
	if opts.Write {
		st, err := os.Lstat(filepath.Join(dir, disk.IDName))
		if errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() == 0 {
			_, _ = makeID(dir, false, 0) // not needed before the store is trusted, which tries again
		}
	}
	return l, nil
}

// makeFolder creates a private folder and its parents.
func makeFolder(dir string) error {
	st, err := os.Stat(dir)
	if err == nil && !st.IsDir() {
		return &kv.NotFolderError{Path: dir}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if to, err := os.Readlink(dir); err == nil { // a dangling link: create its target
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(dir), to)
		}
		return makeFolder(to)
	}
	return disk.NoSpace(makeFolders(dir, 0o700))
}

// makeFolders creates a folder and its parents durably.
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
	return disk.Current.SyncFolder(dir)
}

// View runs fn on a consistent state. It runs it again if the state's files were merged
// before they were opened.
func (l *Engine) View(ctx context.Context, fn func(kv.Tx) error) error {
	for eager := false; ; eager = true {
		tx, err := l.reading(ctx, eager)
		if err != nil {
			return err
		}
		err = tx.run(fn)
		if eager || !tx.outdated() && !kv.IsCorrupt(err) {
			return err
		}
	}
}

// Snapshot runs fn once, on a state whose files are all open.
func (l *Engine) Snapshot(ctx context.Context, fn func(kv.Tx) error) error {
	tx, err := l.reading(ctx, true)
	if err != nil {
		return err
	}
	return tx.run(fn)
}

// reading begins a transaction that reads: what its Group has written, or what is durable.
func (l *Engine) reading(ctx context.Context, eager bool) (*localTx, error) {
	if groupOf(ctx, l) == nil {
		return l.observe(ctx, eager)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.writing == nil {
		return nil, kv.ErrClosed
	}
	l.active++
	return l.writing.begin(ctx, l), nil
}

// Update runs fn and makes its writes durable.
func (l *Engine) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if kv.IsUpdating(ctx, l) {
		return kv.ErrNested
	}
	if g := groupOf(ctx, l); g != nil {
		return g.update(ctx, fn)
	}
	return l.updateInBatch(ctx, fn)
}

// write runs fn on the writer's state and returns its writes as a payload.
func (l *Engine) write(ctx context.Context, fn func(kv.Tx) error) (payload []byte, err error) {
	l.mu.Lock()
	w := l.writing
	closed := l.closed
	l.mu.Unlock()
	if closed || w == nil {
		return nil, kv.ErrClosed
	}
	// Its writes are applied after its end; beside a copy, each would clone nodes.
	tx := &localTx{ctx: kv.Updating(ctx, l), write: true, locked: true, number: w.journal.Number, tables: w.tables.acquire()}
	tx.memtable.keys = w.memtable.keys
	if err := tx.run(fn); err != nil {
		return nil, err
	}
	return tx.payload(), nil
}

// commit makes a payload durable, completely or not at all. The caller is the writer.
func (l *Engine) commit(payload []byte) error {
	if len(payload) > journal.MaxPayload {
		return &kv.TooLargeError{What: "transaction", Size: len(payload), Max: journal.MaxPayload}
	}
	err := l.writing.journal.Append(payload, l.lockLost)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wrote = true
	if err != nil {
		l.reset()
		return disk.NoSpace(err)
	}
	l.publish()
	return nil
}

// publish makes the writer's state, which is durable, the one that was last seen. The caller
// has l.mu.
func (l *Engine) publish() {
	w := l.writing
	if l.journal.File != w.journal.File {
		return
	}
	if l.journal.Generation != w.journal.Generation {
		l.dropTables()
	}
	*l.journal = *w.journal
	l.memtable = w.memtable.copy()
}

// lockLost reports whether the writer's lock file was removed or replaced, so that
// it no longer excludes other writers.
func (l *Engine) lockLost() bool {
	return l.writing.lock.Stale(filepath.Join(l.dir, disk.LockName))
}

// begin begins a transaction that reads a state, which leaves l at its end. The caller has
// l.mu.
func (s *state) begin(ctx context.Context, l *Engine) *localTx {
	if s.tables == nil {
		s.tables = newSharedTables(l.dir, s.journal)
	}
	return &localTx{ctx: ctx, leave: l.leave, number: s.journal.Number, memtable: s.memtable.copy(),
		tables: s.tables.acquire()}
}

// beginWriting settles the journal and begins the writer's state. The caller has l.mu.
func (l *Engine) beginWriting(h *lock.Lock) (*writing, error) {
	if err := l.journal.Resync(); err != nil {
		return nil, err
	}
	h.Settle(l.dir)
	if l.tables == nil {
		l.tables = newSharedTables(l.dir, l.journal)
	}
	j := *l.journal
	l.writing = &writing{state{&j, l.memtable.copy(), l.tables.acquire()}, h}
	l.active++
	return l.writing, nil
}

// endWriting ends a writer's state. The next writer may have begun.
func (l *Engine) endWriting(w *writing) {
	l.mu.Lock()
	if l.writing == w {
		l.writing = nil
	}
	l.mu.Unlock()
	w.tables.release()
	l.leave()
}

// Close compacts if this process wrote and a compaction is due, and closes the
// store. Acknowledged writes are durable before: an error loses nothing.
func (l *Engine) Close() error {
	err := l.compactIfDue()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.timer != nil {
		l.timer.Stop() // a compaction that has begun is waited for below
	}
	for l.active > 0 {
		l.idle.Wait()
	}
	l.dropTables()
	l.journal.Close()
	return err
}

// Check reads the whole store from the disk: the journal and every entry of every
// table, also entries that newer ones hide.
func (l *Engine) Check(ctx context.Context, progress func(done int64)) (checked int, err error) {
	disk.ForgetCached(l.dir)
	fresh, err := Open(l.dir, Options{Holder: l.opts.Holder})
	if err != nil {
		return 0, err
	}
	defer fresh.Close()
	err = fresh.Snapshot(ctx, func(tx kv.Tx) error {
		t, err := tx.(*localTx).tables.open(tx.(*localTx))
		if err == nil && t != nil {
			checked, err = t.CheckAll(ctx, progress)
		}
		return err
	})
	return checked, err
}

// Folder returns the path of the store.
func (l *Engine) Folder() string { return l.dir }

// Info returns figures about the folder.
func (l *Engine) Info(ctx context.Context) (kv.Info, error) {
	tx, err := l.reading(ctx, false)
	if err != nil {
		return kv.Info{}, err
	}
	defer tx.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	i := kv.Info{
		Engine: "local", Path: l.dir, Format: journal.Format,
		Generation:   int64(max(l.journal.Generation, 1) - 1),
		JournalBytes: l.journal.End, JournalTxns: int64(l.journal.Number),
	}
	if i.ID, err = ReadID(l.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return i, err
	}
	return i, filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error { return count(&i, path, d, err) })
}

// count adds an entry of the store's folder.
func count(i *kv.Info, path string, d fs.DirEntry, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed meanwhile, or nothing was written yet
	}
	if err != nil || d.IsDir() {
		return err
	}
	st, err := d.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
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
}
