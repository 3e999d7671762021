package kv

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Two files lock a store, and neither is ever removed: who removes a lock file
// lets in two owners at once.
//
//   - lock: readers share it, a writer has it alone.
//   - queue: where those who wait for lock are let in one after the other, so
//     that a stream of readers cannot starve a writer.
//
// A writer leaves its pid and command in lock for whoever waits in vain. Each
// holding has file descriptors of its own, so that goroutines exclude each
// other as processes do.
const (
	lockName  = "lock"
	queueName = "queue"
)

// lockWait is how long a call waits for the store before it answers busy.
const lockWait = 10 * time.Second

// errWouldBlock says that a lock is held by somebody else.
var errWouldBlock = errors.New("lock: held")

// held is a lock that was taken. It keeps the *os.File alive: a collected file
// closes its descriptor, and that would free the lock.
type held struct {
	file  *os.File
	after func() // runs once it is freed
}

// unlock frees the lock, and no more.
func (h *held) unlock() {
	if h != nil && h.file != nil {
		h.file.Close() // closing the only descriptor frees the lock
		h.file = nil
	}
}

// release frees the lock, and runs what comes after.
func (h *held) release() {
	if h == nil {
		return
	}
	h.unlock()
	if h.after != nil {
		h.after()
		h.after = nil
	}
}

// stale reports whether the lock's file is no longer the one at its path.
func (h *held) stale(path string) bool {
	if h.file == nil {
		return false
	}
	mine, err := h.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && !os.SameFile(mine, there)
}

// gate lets in one goroutine at a time that waits in the kernel, where a wait
// that was given up takes a thread until it ends. nil lets in all.
type gate chan struct{}

// enter waits its turn. leave is to be called once the kernel's wait is over.
func (g gate) enter(ctx context.Context) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	select {
	case g <- struct{}{}:
		return sync.OnceFunc(func() { <-g }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// lockFolder takes the store's lock, shared or alone.
func lockFolder(ctx context.Context, dir string, alone bool, holder string, g gate) (*held, error) {
	started := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, lockWait, errWouldBlock)
	defer stop()
	leave, err := g.enter(ctx)
	if err != nil {
		return nil, busy(err, dir, started)
	}
	turn, err := enqueue(ctx, filepath.Join(dir, queueName), !alone, holder, leave)
	if err != nil {
		return nil, busy(err, dir, started)
	}
	got, err := lockFile(ctx, filepath.Join(dir, lockName), alone, !alone, leave)
	turn.release()
	if err != nil {
		return nil, busy(err, dir, started)
	}
	leave()
	if got.stale(filepath.Join(dir, lockName)) {
		// The folder was exchanged while we waited: this is the old one's lock.
		got.release()
		return lockFolder(ctx, dir, alone, holder, g)
	}
	if alone {
		// A note for those who wait; nothing depends on it.
		note := strconv.AppendInt(nil, int64(os.Getpid()), 10)
		note = append(append(append(note, ' '), holder...), '\n')
		_, _ = got.file.WriteAt(note, 0)
		_ = got.file.Truncate(int64(len(note)))
	}
	return got, nil
}

// lockFile takes one lock, waiting as long as ctx allows. A reader may not be
// able to write there; where the file is not even there, nobody writes. failed
// runs when it was not taken and nobody waits for it any more.
func lockFile(ctx context.Context, path string, alone, reader bool, failed func()) (*held, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil && reader {
		before := err
		if f, err = os.Open(path); errors.Is(err, os.ErrNotExist) && !errors.Is(before, os.ErrNotExist) {
			return &held{}, nil
		}
	}
	if err != nil {
		failed()
		return nil, notFile(path, err)
	}
	h := &held{file: f, after: failed}
	err = await(ctx, h, path, func() error { return tryLock(f, alone) }, func() error { return waitLock(f, alone) })
	if err == nil {
		h.after = nil
	}
	return h, err
}

// await takes a lock, by trying or by waiting as long as ctx allows. When that
// fails, what was to hold it is released: at once, or as soon as the wait ends,
// since the kernel has no lock with a deadline and a goroutine waits for it.
func await(ctx context.Context, h interface{ release() }, path string, try, wait func() error) error {
	err := try()
	if err == nil {
		return nil
	}
	if !errors.Is(err, errWouldBlock) {
		h.release()
		return &os.PathError{Op: "lock", Path: path, Err: err}
	}
	done := make(chan error, 1)
	go func() { done <- wait() }()
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

// busy turns a wait that ran out into a BusyError that names the holder.
func busy(err error, dir string, started time.Time) error {
	if !errors.Is(err, errWouldBlock) {
		return err
	}
	e := &BusyError{Waited: time.Since(started)}
	lock, queue := filepath.Join(dir, lockName), filepath.Join(dir, queueName)
	if e.PID, e.Command = lockOwner(lock); e.PID != 0 {
		if said := commandInQueue(queue, e.PID); said != "" {
			e.Command = said
		}
		return e
	}
	if !writing(lock) {
		e.PID, e.Command = firstInQueue(queue) // one that hangs before it has the lock
		return e
	}
	note, _ := os.ReadFile(lock)
	pid, command, _ := bytes.Cut(bytes.TrimSpace(note), []byte(" "))
	e.PID, _ = strconv.Atoi(string(pid))
	e.Command = string(command)
	return e
}

// writing reports whether a writer has the lock.
func writing(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(tryLock(f, false), errWouldBlock)
}
