package kv

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"techo/store/kv/disk"
	"techo/store/kv/fault"
	"techo/store/kv/journal"
	"techo/store/kv/lock"
)

// errMoved is returned when the open journal is no longer the file at the store's
// path.
var errMoved = errors.New("store: moved")

// attach takes the store's lock and reads what other processes have appended since
// the last call. For a reader of a store that was never written to it returns nil
// and no error.
//
// The folder may be removed, recreated or exchanged at any moment. attach starts
// over until the lock and the journal belong to the same store.
func (l *Local) attach(ctx context.Context, exclusive bool) (*lock.Lock, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if exclusive && !l.opts.Write {
		return nil, errors.New("store: opened to be read only")
	}
	for range lock.MaxExchanges {
		switch there, err := l.present(); {
		case errors.Is(err, fs.ErrNotExist):
			continue // the folder was removed while the journal was made in it
		case err != nil || !there:
			return nil, err
		}
		h, err := lock.Acquire(ctx, l.dir, exclusive, l.opts.Holder, l.waits)
		if errors.Is(err, fs.ErrNotExist) {
			if err := l.detach(); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, disk.NoSpace(err)
		}
		err = l.refresh(h, exclusive)
		if err == nil {
			h.After = l.leave
			return h, nil
		}
		h.Release()
		if !errors.Is(err, errMoved) {
			return nil, disk.NoSpace(err)
		}
	}
	return nil, fault.ErrGone
}

// present opens the journal; a writer creates it together with its folder. It
// returns false for a store that was never written to.
func (l *Local) present() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false, ErrClosed
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
func (l *Local) detach() error {
	for _, name := range []string{disk.LockName, disk.QueueName} {
		path := filepath.Join(l.dir, name)
		if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() {
			return fault.Corrupt(path, fault.NotFile)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	l.reset()
	l.journal.Close()
	return nil
}

// refresh reads what other processes have appended and counts the transaction as
// active. It returns errMoved when the open journal is no longer the store's.
func (l *Local) refresh(h *lock.Lock, exclusive bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return ErrClosed
	}
	if l.journal.Replaced() {
		l.reset()
		l.journal.Close()
		return errMoved
	}
	err := l.journal.Refresh(l.reset, l.memtable.apply)
	if err == nil {
		if exclusive {
			err = l.journal.Resync()
		} else {
			err = l.journal.SyncRead()
		}
	}
	if err != nil {
		l.reset()
		return err
	}
	if exclusive {
		l.lock = h
	}
	l.active++
	return nil
}

// leave ends an active transaction.
func (l *Local) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.active--; l.active == 0 {
		l.idle.Broadcast()
	}
}

// reset drops the cached state, so that the next transaction reads the store from
// the start. Running transactions keep the state that they began with.
func (l *Local) reset() {
	l.memtable = memtable{}
	l.dropTables()
	l.journal.Generation = 0
}

// dropTables releases the engine's reference to the open tables.
func (l *Local) dropTables() {
	l.tables.release()
	l.tables = nil
}
