package kv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
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
// waitLimit is how long a call waits for a store that makes no progress before it
// fails with a BusyError.
const waitLimit = 10 * time.Second

// errWouldBlock is returned for a lock that another open file holds.
var errWouldBlock = errors.New("lock: held")

// fileLock is an acquired lock. It keeps the *os.File reachable: the finalizer of
// a file closes it, which would free the lock.
type fileLock struct {
	file  *os.File
	size  int64  // of the file, when stale was called
	after func() // runs after the lock is freed
}

// unlock frees the lock. Closing the file alone would not free it while a forked
// child that has not yet called exec shares the open file.
func (h *fileLock) unlock() {
	if h != nil && h.file != nil {
		_ = freeLock(h.file) // closing frees it as well in the other cases
		h.file.Close()
		h.file = nil
	}
}

// release frees the lock and runs after.
func (h *fileLock) release() {
	if h == nil {
		return
	}
	h.unlock()
	if h.after != nil {
		h.after()
		h.after = nil
	}
}

// stale reports whether the locked file is no longer the file at its path.
func (h *fileLock) stale(path string) bool {
	if h.file == nil {
		return false // a reader without a lock file
	}
	mine, err := h.file.Stat()
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

// waits coordinates the goroutines of one engine that wait for the store's lock.
type waits struct {
	turn   chan struct{} // held by the goroutine that waits
	kernel chan struct{} // held by each wait in the kernel, also by an abandoned one

	// Tests replace these.
	limit time.Duration // of a wait without progress
	every time.Duration // between two looks at the progress
	now   func() time.Time
}

const (
	maxKernelWaits = 2                     // each blocks a thread
	pollLock       = 10 * time.Millisecond // interval of polling
)

func newWaits() *waits {
	return &waits{
		turn: make(chan struct{}, 1), kernel: make(chan struct{}, maxKernelWaits),
		limit: waitLimit, every: waitLimit / 20, now: time.Now,
	}
}

// enter waits until no other goroutine waits for the lock. leave ends the turn.
func (p *patience) enter(ctx context.Context) (leave func(), err error) {
	leave = func() { <-p.turn }
	select {
	case p.turn <- struct{}{}:
		return leave, nil
	default:
	}
	p.start()
	select {
	case p.turn <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// await takes a lock; it tries or waits until ctx ends. When it fails, h is
// released. Waits in the kernel have no deadline: an abandoned one ends when the
// lock is free, and releases h then. To limit the threads that abandoned waits
// block, only a few waits block in the kernel and the others poll.
func (p *patience) await(ctx context.Context, h interface{ release() }, path string, try, wait func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		if !errors.Is(err, errWouldBlock) {
			h.release()
			return &os.PathError{Op: "lock", Path: path, Err: err}
		}
		p.start()
		select {
		case p.kernel <- struct{}{}:
			return p.block(ctx, h, path, wait)
		default:
		}
		select {
		case <-ctx.Done():
			h.release()
			return context.Cause(ctx)
		case <-time.After(pollLock):
		}
	}
}

// block waits in the kernel. The caller has a slot in w.kernel.
func (w *waits) block(ctx context.Context, h interface{ release() }, path string, wait func() error) error {
	done := make(chan error, 1)
	go func() {
		done <- wait()
		<-w.kernel
	}()
	select {
	case err := <-done:
		if err != nil {
			h.release()
			return &os.PathError{Op: "lock", Path: path, Err: err}
		}
		return nil
	case <-ctx.Done():
		go func() { <-done; h.release() }()
		return context.Cause(ctx)
	}
}

// maxExchanges limits how often the store's folder may be exchanged while a call
// waits for its lock.
const maxExchanges = 100

// lockStore takes the store's lock, shared or exclusive. w is nil when no other
// goroutine waits. The error wraps fs.ErrNotExist when the folder is missing.
func lockStore(ctx context.Context, dir string, exclusive bool, holder string, w *waits) (*fileLock, error) {
	if w == nil {
		w = newWaits()
	}
	ctx, p, stop := w.withPatience(ctx, dir)
	defer stop()
	leave, err := p.enter(ctx)
	if err != nil {
		return nil, busy(err, dir, p.stalled())
	}
	defer leave()
	for range maxExchanges {
		turn, err := enqueue(ctx, filepath.Join(dir, queueName), !exclusive, holder, p)
		if err != nil {
			return nil, busy(err, dir, p.stalled())
		}
		got, err := lockFile(ctx, filepath.Join(dir, lockName), exclusive, !exclusive, p)
		turn.release()
		if err != nil {
			return nil, busy(err, dir, p.stalled())
		}
		if !got.stale(filepath.Join(dir, lockName)) {
			if exclusive {
				got.sign(holder)
			}
			return got, nil
		}
		got.release() // the folder was exchanged during the wait: this is the old store's lock
	}
	return nil, ErrGone
}

// sign writes pid and holder into the lock file, for BusyError. Errors are
// ignored.
func (h *fileLock) sign(holder string) {
	note := strconv.AppendInt(nil, int64(os.Getpid()), 10)
	note = append(append(append(note, ' '), holder...), '\n')
	_, _ = h.file.WriteAt(note, 0)
	if h.size > int64(len(note)) {
		_ = h.file.Truncate(int64(len(note)))
	}
}

// lockFile takes one lock and waits until ctx ends. A reader without permission to
// create the file needs no lock when the file is missing: there are no writers
// then.
func lockFile(ctx context.Context, path string, exclusive, reader bool, p *patience) (*fileLock, error) {
	dir, name := filepath.Split(path)
	f, err := openEntry(dir, name, os.O_RDWR|os.O_CREATE)
	if err != nil && reader {
		before := err
		if f, err = openEntry(dir, name, os.O_RDONLY); errors.Is(err, os.ErrNotExist) &&
			!errors.Is(before, os.ErrNotExist) {
			return &fileLock{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	h := &fileLock{file: f}
	err = p.await(ctx, h, path, func() error { return tryLock(f, exclusive) },
		func() error { return waitLock(f, exclusive) })
	if err != nil {
		return nil, err
	}
	return h, nil
}

// busy turns the end of patience into a BusyError with the process that holds the
// lock.
func busy(err error, dir string, stalled time.Duration) error {
	if !errors.Is(err, errWouldBlock) {
		return err
	}
	e := &BusyError{Waited: stalled}
	lock, queue := filepath.Join(dir, lockName), filepath.Join(dir, queueName)
	if e.PID, e.Command = lockOwner(lock); e.PID != 0 {
		if said := commandInQueue(queue, e.PID); said != "" {
			e.Command = said
		}
		return e
	}
	if !writing(dir) {
		e.PID, e.Command = firstInQueue(queue) // a process that hangs before it has the lock
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
	f, err := openEntry(dir, lockName, os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer f.Close()
	note, _ := io.ReadAll(io.LimitReader(f, 1<<10))
	return note
}

// writing reports whether a writer holds the lock.
func writing(dir string) bool {
	f, err := openEntry(dir, lockName, os.O_RDWR)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(tryLock(f, false), errWouldBlock)
}
