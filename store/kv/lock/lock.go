// Package lock has the lock of a store and the queue of the processes that wait for it.
package lock

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"techo/store/kv/disk"
	"techo/store/kv/fault"
)

// Two files lock a store. Neither is ever removed, because two processes could
// then hold locks on different files of the same name.
//
//   - lock: shared by readers, exclusive for a writer.
//   - queue: admits the waiting processes one by one, so
//     that a stream of readers cannot starve a writer.
//
// A writer leaves its pid and command in lock, for the error of a process that
// waits too long. Each lock has its own open file, so that goroutines exclude each
// other as processes do.

// Limit is how long a call waits for a store that makes no progress before it
// fails with a BusyError.
const Limit = 10 * time.Second

// ErrHeld is returned for a lock that another open file holds.
var ErrHeld = errors.New("lock: held")

// Lock is an acquired lock. It keeps the *os.File reachable: the finalizer of
// a file closes it, which would free the lock.
type Lock struct {
	File  *os.File
	size  int64  // of the file, when stale was called
	After func() // runs after the lock is freed
}

// Unlock frees the lock. Closing the file alone would not free it while a forked
// child that has not yet called exec shares the open file.
func (h *Lock) Unlock() {
	if h != nil && h.File != nil {
		_ = freeLock(h.File) // closing frees it as well in the other cases
		h.File.Close()
		h.File = nil
	}
}

// Release frees the lock and runs after.
func (h *Lock) Release() {
	if h == nil {
		return
	}
	h.Unlock()
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
	kernel chan struct{} // held by each wait in the kernel, also by an abandoned one

	// Tests replace these.
	Limit time.Duration // of a wait without progress
	Every time.Duration // between two looks at the progress
	Now   func() time.Time
}

const (
	MaxKernelWaits = 2                     // each blocks a thread
	Poll           = 10 * time.Millisecond // interval of polling
)

func NewWaits() *Waits {
	return &Waits{
		waiter: make(chan struct{}, 1), kernel: make(chan struct{}, MaxKernelWaits),
		Limit: Limit, Every: Limit / 20, Now: time.Now,
	}
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

// await takes a lock; it tries or waits until ctx ends. When it fails, h is
// released. Waits in the kernel have no deadline: an abandoned one ends when the
// lock is free, and releases h then. To limit the threads that abandoned waits
// block, only a few waits block in the kernel and the others poll.
func (p *watchdog) await(ctx context.Context, h releaser, path string, try, wait func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrHeld) {
			h.Release()
			return &os.PathError{Op: "lock", Path: path, Err: err}
		}
		p.Start()
		select {
		case p.kernel <- struct{}{}:
			return p.block(ctx, h, path, wait)
		default:
		}
		select {
		case <-ctx.Done():
			h.Release()
			return context.Cause(ctx)
		case <-time.After(Poll):
		}
	}
}

// block waits in the kernel. The caller has a slot in w.kernel.
func (w *Waits) block(ctx context.Context, h releaser, path string, wait func() error) error {
	done := make(chan error, 1)
	go func() {
		done <- wait()
		<-w.kernel
	}()
	select {
	case err := <-done:
		if err != nil {
			h.Release()
			return &os.PathError{Op: "lock", Path: path, Err: err}
		}
		return nil
	case <-ctx.Done():
		go func() { <-done; h.Release() }()
		return context.Cause(ctx)
	}
}

// MaxExchanges limits how often the store's folder may be exchanged while a call
// waits for its lock.
const MaxExchanges = 100

// Acquire takes the store's lock, shared or exclusive. w is nil when no other
// goroutine waits. The error wraps fs.ErrNotExist when the folder is missing.
func Acquire(ctx context.Context, dir string, exclusive bool, holder string, w *Waits) (*Lock, error) {
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
	for range MaxExchanges {
		place, err := Enqueue(ctx, filepath.Join(dir, disk.QueueName), !exclusive, holder, p)
		if err != nil {
			return nil, Busy(err, dir, p.Stalled())
		}
		got, err := lockFile(ctx, filepath.Join(dir, disk.LockName), exclusive, !exclusive, p)
		place.Release()
		if err != nil {
			return nil, Busy(err, dir, p.Stalled())
		}
		if !got.Stale(filepath.Join(dir, disk.LockName)) {
			if exclusive {
				got.sign(holder)
			}
			return got, nil
		}
		got.Release() // the folder was exchanged during the wait: this is the old store's lock
	}
	return nil, fault.ErrGone
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

// lockFile takes one lock and waits until ctx ends. A reader without permission to
// create the file needs no lock when the file is missing: there are no writers
// then.
func lockFile(ctx context.Context, path string, exclusive, reader bool, p *watchdog) (*Lock, error) {
	dir, name := filepath.Split(path)
	f, err := disk.OpenEntry(dir, name, os.O_RDWR|os.O_CREATE)
	if err != nil && reader {
		before := err
		if f, err = disk.OpenEntry(dir, name, os.O_RDONLY); errors.Is(err, os.ErrNotExist) &&
			!errors.Is(before, os.ErrNotExist) {
			return &Lock{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	h := &Lock{File: f}
	err = p.await(ctx, h, path, func() error { return Try(f, exclusive) },
		func() error { return waitLock(f, exclusive) })
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Busy turns the end of a wait into a BusyError with the process that holds the
// lock.
func Busy(err error, dir string, stalled time.Duration) error {
	if !errors.Is(err, ErrHeld) {
		return err
	}
	e := &fault.BusyError{Waited: stalled}
	lock, queue := filepath.Join(dir, disk.LockName), filepath.Join(dir, disk.QueueName)
	if e.PID, e.Command = LockOwner(lock); e.PID != 0 {
		if said := commandInQueue(queue, e.PID); said != "" {
			e.Command = said
		}
		return e
	}
	if !writing(dir) {
		e.PID, e.Command = FirstInQueue(queue) // a process that hangs before it has the lock
		return e
	}
	note := readNoteOf(dir)
	pid, command, _ := bytes.Cut(bytes.TrimSpace(note), []byte(" "))
	e.PID, _ = strconv.Atoi(string(pid))
	e.Command = string(command)
	return e
}

// readNoteOf returns the note that a writer left in the lock file.
func readNoteOf(dir string) []byte {
	f, err := disk.OpenEntry(dir, disk.LockName, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer f.Close()
	note, _ := io.ReadAll(io.LimitReader(f, 1<<10))
	return note
}

// writing reports whether a writer holds the lock.
func writing(dir string) bool {
	f, err := disk.OpenEntry(dir, disk.LockName, os.O_RDWR)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(Try(f, false), ErrHeld)
}

// releaser is a lock or a place in the queue.
type releaser interface{ Release() }
