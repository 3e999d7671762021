package kv

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Two files lock a store, and neither is ever removed: who removes a lock file
// lets in two owners at once.
//
//   - lock: readers share it, a writer has it alone.
//   - queue: held while waiting for lock, so that those who ask are let in one
//     after the other and a stream of readers cannot starve a writer.
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

// lockFolder takes the store's lock, shared or alone.
func lockFolder(ctx context.Context, dir string, alone bool, holder string) (*held, error) {
	started := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, lockWait, errWouldBlock)
	defer stop()
	turn, err := lockFile(ctx, filepath.Join(dir, queueName), true, !alone)
	if err != nil {
		return nil, busy(ctx, err, dir, started)
	}
	defer turn.release()
	got, err := lockFile(ctx, filepath.Join(dir, lockName), alone, !alone)
	if err != nil {
		return nil, busy(ctx, err, dir, started)
	}
	if got.stale(filepath.Join(dir, lockName)) {
		// The folder was exchanged while we waited: this is the old one's lock.
		got.release()
		turn.release()
		return lockFolder(ctx, dir, alone, holder)
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
// able to write there; where the file is not even there, nobody writes.
func lockFile(ctx context.Context, path string, alone, reader bool) (*held, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil && reader {
		failed := err
		if f, err = os.Open(path); errors.Is(err, os.ErrNotExist) && !errors.Is(failed, os.ErrNotExist) {
			return &held{}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	h := &held{file: f}
	err = tryLock(f, alone)
	if err == nil {
		return h, nil
	}
	if !errors.Is(err, errWouldBlock) {
		h.release()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	// The kernel has no lock with a deadline, so a goroutine waits for it. One
	// that was given up closes the file as soon as it wakes.
	done := make(chan error, 1)
	go func() { done <- waitLock(f, alone) }()
	select {
	case err := <-done:
		if err != nil {
			h.release()
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		return h, nil
	case <-ctx.Done():
		go func() { <-done; h.release() }()
		return nil, context.Cause(ctx)
	}
}

// busy turns a wait that ran out into a BusyError that names the holder.
func busy(ctx context.Context, err error, dir string, started time.Time) error {
	if !errors.Is(err, errWouldBlock) {
		return err
	}
	e := &BusyError{Waited: time.Since(started)}
	for _, name := range []string{lockName, queueName} { // one that hangs may be first in the queue
		if e.PID, e.Command = lockOwner(filepath.Join(dir, name)); e.PID != 0 {
			return e
		}
	}
	note, _ := os.ReadFile(filepath.Join(dir, lockName))
	pid, command, _ := bytes.Cut(bytes.TrimSpace(note), []byte(" "))
	e.PID, _ = strconv.Atoi(string(pid))
	e.Command = string(command)
	return e
}
