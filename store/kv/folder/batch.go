package folder

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"techo/store/kv"
	"techo/store/kv/journal"
)

// batch is a set of concurrent Updates of one engine that share the store's
// lock and one sync.
//
// The first Update leads: it waits for the lock, and Updates that begin meanwhile
// join its batch. Then their functions run one after the other, each in its own
// goroutine and on the state that the last one left, and the leader commits all
// writes as one frame. No Update of a batch returns before: what it read may be
// another one's write.
type batch struct {
	engine *Engine

	ready   chan struct{}  // closed when followers may run, or the leader has failed
	done    chan struct{}  // closed after the commit
	members sync.WaitGroup // followers that may still write

	lockErr error // why the leader has no lock; set before ready is closed
	err     error // of the commit; set before done is closed

	running  sync.Mutex // held by the Update whose function runs
	payloads [][]byte
	bytes    int // of payloads
}

// maxBatch limits the payload of a batch in bytes. One transaction may be larger.
const maxBatch = 16 << 20

// errBatchFull is returned for an Update that has to join another batch.
var errBatchFull = errors.New("store: batch full")

// leaderError is returned for a follower whose leader got no lock.
type leaderError struct {
	err    error
	gaveUp bool // its context has ended
}

func (e *leaderError) Error() string { return e.err.Error() }

// mayRetry reports whether the leader failed for a reason that may not apply to
// its followers.
func (e *leaderError) mayRetry() bool {
	return e.gaveUp || errors.As(e.err, new(*kv.BusyError))
}

// updateInBatch is Update outside of a Group.
func (l *Engine) updateInBatch(ctx context.Context, fn func(kv.Tx) error) error {
	started := time.Now()
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b, leads := l.joinBatch()
		run := b.follow
		if leads {
			run = b.lead
		}
		err := run(ctx, fn)
		failed := new(leaderError)
		switch {
		case errors.Is(err, errBatchFull):
		case !errors.As(err, &failed):
			return err
		case !failed.mayRetry() || time.Since(started) >= l.waits.Limit:
			return failed.err
		}
	}
}

// joinBatch returns the batch that waits for the lock, or a new one to lead.
func (l *Engine) joinBatch() (b *batch, leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.batch != nil {
		l.batch.members.Add(1)
		return l.batch, false
	}
	l.batch = &batch{engine: l, ready: make(chan struct{}), done: make(chan struct{})}
	return l.batch, true
}

// lead waits for the lock, runs fn and commits the batch.
func (b *batch) lead(ctx context.Context, fn func(kv.Tx) error) (err error) {
	l := b.engine
	h, err := l.attach(ctx)
	l.mu.Lock()
	l.batch = nil // later Updates, also those within fn, begin another batch
	l.mu.Unlock()
	if err != nil {
		b.lockErr = &leaderError{err, ctx.Err() != nil}
		close(b.ready)
		return err
	}
	defer func() { // also when fn panics
		close(b.ready)
		b.members.Wait()
		rest := false
		rest, b.err = b.commit()
		h.Release()
		close(b.done)
		if b.err != nil {
			err = b.err
		}
		if rest {
			_ = l.mergeBeside(context.Background(), false)
		}
	}()
	return b.run(ctx, fn)
}

// follow waits for the leader, runs fn and waits for the commit.
func (b *batch) follow(ctx context.Context, fn func(kv.Tx) error) error {
	ran, err := b.runWhenReady(ctx, fn)
	if !ran {
		return err
	}
	<-b.done
	if b.err != nil {
		return b.err
	}
	return err
}

// runWhenReady runs fn when the leader has the lock.
func (b *batch) runWhenReady(ctx context.Context, fn func(kv.Tx) error) (ran bool, err error) {
	defer b.members.Done()
	select {
	case <-b.ready:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if b.lockErr != nil {
		return false, b.lockErr
	}
	err = b.run(ctx, fn)
	return !errors.Is(err, errBatchFull), err
}

// run runs fn on the state that the batch has left so far.
func (b *batch) run(ctx context.Context, fn func(kv.Tx) error) error {
	b.running.Lock()
	defer b.running.Unlock()
	if b.bytes >= maxBatch {
		return errBatchFull
	}
	payload, err := b.engine.write(ctx, fn)
	switch {
	case err != nil || len(payload) == 0:
		return err
	case len(payload) > journal.MaxPayload:
		return &kv.TooLargeError{What: "transaction", Size: len(payload), Max: journal.MaxPayload}
	case b.bytes+len(payload) > journal.MaxPayload:
		return errBatchFull
	}
	b.payloads = append(b.payloads, payload)
	b.bytes += len(payload)
	journal.Operations(payload, b.engine.writing.memtable.apply)
	return nil
}

// commit makes the writes of the batch durable. Its members have returned from their
// functions. rest is what compactIfLarge returns.
func (b *batch) commit() (rest bool, err error) {
	if len(b.payloads) == 0 {
		return false, nil
	}
	payload := b.payloads[0]
	if len(b.payloads) > 1 {
		payload = bytes.Join(b.payloads, nil)
	}
	if err := b.engine.commit(payload); err != nil {
		return false, err
	}
	rest = b.engine.compactIfLarge()
	b.engine.scheduleCompaction()
	return rest, nil
}
