package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
)

// errMoved is returned when the open journal is no longer the file at the store's
// path.
var errMoved = errors.New("store: moved")

// state is a state of the store: the journal up to a transaction, and the tables below.
type state struct {
	journal  *journal.Log
	memtable memtable      // the journal's records
	tables   *sharedTables // nil until the first use
}

// writing is the state of the writer: the one that it found, and its own writes.
type writing struct {
	state
	lock *lock.Lock // of the store
}

// A reader looks at the store without its lock. It tries again if it found no settled
// state, then with the lock if that is free, and in the end it waits for the lock.
const (
	looksWithout = 3
	looksUnless  = 50 // a millisecond apart
)

// observe begins a transaction that reads. Unless it is eager, the transaction may be
// found outdated later; it has to run again then.
func (l *Engine) observe(ctx context.Context, eager bool) (*localTx, error) {
	for look := 0; ; look++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		tx, err := l.follow(ctx)
		if tx != nil && eager && tx.openAll() != nil {
			tx.end()
			tx = nil
		}
		if tx == nil && err == nil && look >= looksWithout {
			tx, err = l.observeLocked(ctx, look >= looksWithout+looksUnless)
		}
		switch {
		case tx != nil:
			return tx, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, lock.ErrHeld):
			return nil, disk.NoSpace(err)
		case look >= looksWithout:
			time.Sleep(time.Millisecond)
		}
	}
}

// follow begins a transaction on the present state, or returns nil if that is not settled. A
// store that was never written to is empty.
func (l *Engine) follow(ctx context.Context) (*localTx, error) {
	switch there, err := l.present(); {
	case err != nil:
		return nil, err
	case !there:
		return &localTx{ctx: ctx}, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, kv.ErrClosed
	}
	found := l.journal.Follow(l.reset, l.memtable.apply)
	if found == journal.Contended && l.settled() &&
		l.journal.Follow(l.reset, l.memtable.apply) != journal.Unsettled {
		found = journal.Settled
	}
	switch {
	case l.journal.Replaced():
		l.retire()
	case found == journal.Settled:
		l.active++
		return l.begin(ctx, l), nil
	}
	return nil, nil
}

// settled reports whether a writer, of this process or another one, has settled the journal. The
// caller has l.mu.
func (l *Engine) settled() bool {
	return l.writing != nil && l.writing.journal.File == l.journal.File || lock.Settled(l.dir)
}

// observeLocked is observe with the lock, which it waits for or not.
func (l *Engine) observeLocked(ctx context.Context, wait bool) (*localTx, error) {
	if !wait {
		return l.observeWith(ctx, func() (*lock.Lock, error) { return lock.TryRead(l.dir) })
	}
	return l.observeWith(ctx, func() (*lock.Lock, error) { return lock.Acquire(ctx, l.dir, true, l.opts.Holder, l.waits) })
}

// observeWith begins a transaction that reads, with a lock that is free again when the files
// of the state are open.
func (l *Engine) observeWith(ctx context.Context, acquire func() (*lock.Lock, error)) (*localTx, error) {
	var tx *localTx
	h, err := l.locked(acquire, func(*lock.Lock) error {
		if err := l.journal.SyncRead(); err != nil {
			return err
		}
		l.active++
		tx = l.begin(ctx, l)
		tx.locked = true
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case h == nil:
		return &localTx{ctx: ctx}, nil
	}
	defer h.Release()
	if err := tx.openAll(); err != nil {
		tx.end()
		return nil, err
	}
	return tx, nil
}

// attach takes the store's lock for a writer and reads what other processes have appended.
func (l *Engine) attach(ctx context.Context) (*lock.Lock, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if !l.opts.Write {
		return nil, errors.New("store: opened to be read only")
	}
	acquire := func() (*lock.Lock, error) { return lock.Acquire(ctx, l.dir, false, l.opts.Holder, l.waits) }
	var w *writing
	h, err := l.locked(acquire, func(h *lock.Lock) (err error) {
		w, err = l.beginWriting(h)
		return err
	})
	if err == nil {
		h.After = func() { l.endWriting(w) }
	}
	return h, err
}

// locked takes the store's lock, reads what other processes have appended, and calls begin.
// For a reader of a store that was never written to it returns nil and no error.
//
// The folder may be removed, recreated or exchanged at any moment. locked starts
// over until the lock and the journal belong to the same store.
func (l *Engine) locked(acquire func() (*lock.Lock, error), begin func(*lock.Lock) error) (*lock.Lock, error) {
	for range lock.MaxExchanges {
		switch there, err := l.present(); {
		case errors.Is(err, fs.ErrNotExist):
			continue // the folder was removed while the journal was made in it
		case err != nil || !there:
			return nil, err
		}
		h, err := acquire()
		if errors.Is(err, fs.ErrNotExist) {
			if err := l.detach(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, disk.NoSpace(err)
		}
		err = l.refresh(h, begin)
		if err == nil {
			return h, nil
		}
		h.Release()
		if !errors.Is(err, errMoved) {
			return nil, disk.NoSpace(err)
		}
	}
	return nil, kv.ErrGone
}

// present opens the journal; a writer creates it together with its folder. It
// returns false for a store that was never written to.
func (l *Engine) present() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false, kv.ErrClosed
	}
	if l.journal.File != nil {
		return true, nil
	}
	if l.opts.Write {
		if err := makeFolder(l.dir); err != nil {
			return false, err
		}
	}
	j, err := journal.Open(l.journal.Path, l.opts.Write)
	if err != nil {
		return false, disk.NoSpace(err)
	}
	l.journal = j
	if j.File == nil {
		return false, j.CheckMissing()
	}
	return true, nil
}

// detach closes the journal of a folder in which no lock could be opened or
// created. Usually the folder was removed. A lock that is a dangling link is
// damage instead.
func (l *Engine) detach() error {
	path := filepath.Join(l.dir, disk.LockName)
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
		return kv.Corrupt(path, kv.NotFile)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return kv.ErrClosed
	}
	l.retire()
	return nil
}

// refresh reads what other processes have appended, makes it durable, and calls begin. The
// caller has the lock. It returns errMoved when the open journal is no longer the store's.
func (l *Engine) refresh(h *lock.Lock, begin func(*lock.Lock) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return kv.ErrClosed
	}
	if l.journal.Replaced() {
		l.retire()
		return errMoved
	}
	err := l.journal.Refresh(l.reset, l.memtable.apply)
	if err == nil {
		err = begin(h)
	}
	if err != nil {
		l.reset()
		return err
	}
	return nil
}

// leave ends an active transaction.
func (l *Engine) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tables.outdated() {
		l.dropTables()
	}
	if l.active--; l.active > 0 {
		return
	}
	for _, f := range l.retired {
		f.Close()
	}
	l.retired = nil
	l.idle.Broadcast()
}

// reset drops the cached state, so that the next transaction reads the store from
// the start. Running transactions keep the state that they began with.
func (l *Engine) reset() {
	l.memtable = memtable{}
	l.dropTables()
	l.journal.Generation = 0
}

// retire closes the journal of a store that is gone, after the transactions that use it.
func (l *Engine) retire() {
	l.reset()
	if l.active == 0 {
		l.journal.Close()
	} else if l.journal.File != nil {
		l.retired = append(l.retired, l.journal.File)
		l.journal.File = nil
	}
}

// dropTables releases the engine's reference to the open tables.
func (l *Engine) dropTables() {
	l.tables.release()
	l.tables = nil
}
