// Package lock has the lock of a store, which its writers take in turn.
package lock

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// The file lock is locked by the process that writes. It is never removed, because two
// processes could then hold locks on different files of the same name. The system admits
// those that wait in their order, and passes over one that is stopped. Each lock has its
// own open file, so that goroutines exclude each other as processes do.
//
// A second lock says that the holder has settled the journal: all that was acknowledged
// before lies below the watermark. Nobody waits for it; readers ask whether it is held.
//
// A writer leaves its pid and command in the file, for the error of a process that waits
// too long.

// Limit is how long a call waits for a store that makes no progress before it
// fails with a BusyError.
const Limit = 10 * time.Second

// Moment is how long a lock may be held yet by a process that was killed.
const Moment = 50 * time.Millisecond

// ErrHeld is returned for a lock that another open file holds.
var ErrHeld = errors.New("lock: held")

// Lock is an acquired lock. It keeps the *os.File reachable: the finalizer of
// a file closes it, which would free the lock.
type Lock struct {
	File  *os.File
	size  int64  // of the file, when Stale was called
	After func() // runs after the lock is freed

	unsettle func() // takes back what Settle said; nil before
}

// Release frees the lock and runs After. Closing the file alone would not free it while a forked
// child that has not yet called exec shares the open file.
func (h *Lock) Release() {
	if h == nil {
		return
	}
	if h.File != nil {
		if h.unsettle != nil {
			h.unsettle()
			h.unsettle = nil
		}
		_ = freeLock(h.File) // closing frees it as well in the other cases
		h.File.Close()
		h.File = nil
	}
	if h.After != nil {
		h.After()
		h.After = nil
	}
}

// Stale reports whether the locked file is no longer the file at its path.
func (h *Lock) Stale(path string) bool {
	if h.File == nil {
		return false // a reader without a lock file
	}
	mine, err := h.File.Stat()
	if err != nil {
		return false
	}
	h.size = mine.Size()
	there, err := os.Lstat(path)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	return !os.SameFile(mine, there)
}

// Waits coordinates the goroutines of one engine that wait for the store's lock.
type Waits struct {
	waiter chan struct{} // held by the goroutine that waits

	merging atomic.Int32 // merges of this process, which hold the lock

	mu   sync.Mutex
	left *wait // a wait that was given up and goes on, or nil

	// Tests replace these.
	Limit time.Duration // of a wait without progress
	Every time.Duration // between two looks at the progress
	Now   func() time.Time
}

func NewWaits() *Waits {
	return &Waits{waiter: make(chan struct{}, 1), Limit: Limit, Every: Limit / 20, Now: time.Now}
}

// Merging notes that this process holds the lock and merges tables until done is called. That is progress, even if
// none of the files changes for a while beside other programs.
func (w *Waits) Merging() (done func()) {
	w.merging.Add(1)
	return func() { w.merging.Add(-1) }
}

// enter waits until no other goroutine waits for the lock. leave lets the next one wait.
func (p *watchdog) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-p.waiter }
	select {
	case p.waiter <- struct{}{}:
		return leave, nil
	default:
	}
	p.Start()
	select {
	case p.waiter <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// wait is a wait for a lock in the kernel, which has no deadline. One that is given up
// goes on: the next goroutine takes it over, so that it keeps its place and no second
// thread waits. If the lock comes before, it is freed.
type wait struct {
	lock *Lock
	done chan error
}

// await takes a lock; it tries or waits until ctx ends. When it fails, h is released.
func (p *watchdog) await(ctx context.Context, h *Lock, path string) (*Lock, error) {
	err := Try(h.File)
	if err == nil {
		return h, nil
	}
	if !errors.Is(err, ErrHeld) {
		h.Release()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	p.Start()
	w := p.resume(h, path)
	select {
	case err = <-w.done:
		if err != nil {
			w.lock.Release()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		return w.lock, nil
	case <-ctx.Done():
		p.giveUp(w)
		return nil, context.Cause(ctx)
	}
}

// resume returns the wait that was given up before, or a new one for h.
func (w *Waits) resume(h *Lock, path string) *wait {
	w.mu.Lock()
	defer w.mu.Unlock()
	if left := w.left; left != nil && !left.lock.Stale(path) {
		w.left = nil
		h.Release()
		return left
	}
	next := &wait{h, make(chan error, 1)}
	go func() {
		err := waitLock(h.File)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.left == next {
			w.left = nil
			h.Release()
		} else {
			next.done <- err
		}
	}()
	return next
}

// giveUp leaves a wait to the next goroutine, or to itself.
func (w *Waits) giveUp(old *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-old.done: // it has just ended
		old.lock.Release()
		return
	default:
	}
	if other := w.left; other != nil { // it waits for the lock of a folder that was exchanged
		go func() { <-other.done; other.lock.Release() }()
	}
	w.left = old
}

// MaxExchanges limits how often the store's folder may be exchanged while a call
// waits for its lock.
const MaxExchanges = 100

// Acquire takes the store's lock. w is nil when no other goroutine waits. A reader, which
// needs the lock only where it cannot settle without, leaves no note. The error wraps
// fs.ErrNotExist when the folder is missing.
func Acquire(ctx context.Context, dir string, reader bool, holder string, w *Waits) (*Lock, error) {
	if w == nil {
		w = NewWaits()
	}
	ctx, p, stop := w.Watch(ctx, dir)
	defer stop()
	leave, err := p.enter(ctx)
	if err != nil {
		return nil, Busy(err, dir, p.Stalled())
	}
	defer leave()
	path := filepath.Join(dir, disk.LockName)
	for range MaxExchanges {
		h, err := open(dir, reader)
		if err == nil && h.File != nil {
			h, err = p.await(ctx, h, path)
		}
		if err != nil {
			return nil, Busy(err, dir, p.Stalled())
		}
		if !h.Stale(path) {
			if !reader {
				h.sign(holder)
			}
			return h, nil
		}
		h.Release() // the folder was exchanged during the wait: this is the old store's lock
	}
	return nil, kv.ErrGone
}

// TryRead takes the lock for a reader, or fails with ErrHeld.
func TryRead(dir string) (*Lock, error) {
	h, err := open(dir, true)
	if err != nil || h.File == nil {
		return h, err
	}
	if err := Try(h.File); err != nil {
		h.File.Close()
		return nil, err
	}
	return h, nil
}

// sign writes pid and holder into the lock file, for BusyError. Errors are
// ignored.
func (h *Lock) sign(holder string) {
	note := strconv.AppendInt(nil, int64(os.Getpid()), 10)
	note = append(append(append(note, ' '), holder...), '\n')
	_, _ = h.File.WriteAt(note, 0)
	if h.size > int64(len(note)) {
		_ = h.File.Truncate(int64(len(note)))
	}
}

// open opens the lock file. A reader without permission to create it needs no lock when
// it is missing: there are no writers then.
func open(dir string, reader bool) (*Lock, error) {
	f, err := disk.OpenEntry(os.O_RDWR|os.O_CREATE, dir, disk.LockName)
	if err != nil && reader {
		before := err
		if f, err = disk.OpenEntry(os.O_RDONLY, dir, disk.LockName); errors.Is(err, os.ErrNotExist) &&
			!errors.Is(before, os.ErrNotExist) {
			return &Lock{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return &Lock{File: f}, nil
}

// Busy turns the end of a wait into a BusyError with the process that holds the lock: as the
// system says or, where it does not, as the note says.
func Busy(err error, dir string, stalled time.Duration) error {
	if !errors.Is(err, ErrHeld) {
		return err
	}
	e := &kv.BusyError{Waited: stalled}
	e.PID, e.Command = lockOwner(filepath.Join(dir, disk.LockName))
	note, command, _ := bytes.Cut(bytes.TrimSpace(readNoteOf(dir)), []byte(" "))
	if pid, _ := strconv.Atoi(string(note)); e.PID == 0 || e.PID == pid {
		e.PID, e.Command = pid, string(command)
	}
	return e
}

// readNoteOf returns the note that a writer left in the lock file.
func readNoteOf(dir string) []byte {
	f, err := disk.OpenEntry(os.O_RDONLY, dir, disk.LockName)
	if err != nil {
		return nil
	}
	defer f.Close()
	note, _ := io.ReadAll(io.LimitReader(f, 1<<10))
	return note
}
