package pg

import (
	"context"
	"errors"
	"sync"
	"time"

	"techo/store/kv"
)

// batch is a set of concurrent Updates of one engine that run in one transaction.
//
// The first Update leads: it waits for other writers, first of this process and then of others,
// and runs its function. Updates that begin meanwhile join its batch. Their functions run one
// after the other, each in its own goroutine and on the state that the last one left, and the
// leader commits. No Update of a batch returns before: what it read may be another one's write.
// If the commit fails, each of them makes another attempt.
type batch struct {
	group   group
	members sync.WaitGroup // followers that may still run

	ready  chan struct{} // closed when followers may run, or the leader has failed
	failed bool          // the leader could not begin; set before ready is closed
	done   chan struct{} // closed after the commit
	err    error         // of the commit; set before done is closed
}

// maxBatch is the number of writes from which a batch takes no more Updates.
const maxBatch = 4000

// errNextBatch is returned for an Update that has to join another batch.
var errNextBatch = errors.New("the batch has ended")

// batches lead from one batch to the next one.
type batches struct {
	mu   sync.Mutex
	next *batch // whose leader waits, or runs its function; nil without one
}

// join returns the batch that takes Updates, or a new one to lead.
func (all *batches) join() (b *batch, leads bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.next != nil {
		all.next.members.Add(1)
		return all.next, false
	}
	all.next = &batch{group: group{turn: make(chan struct{}, 1)}, ready: make(chan struct{}), done: make(chan struct{})}
	return all.next, true
}

// close lets later Updates begin another batch.
func (all *batches) close() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.next = nil
}

// leave lets later Updates begin another batch than b.
func (all *batches) leave(b *batch) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.next == b {
		all.next = nil
	}
}

// updateInBatch makes an attempt of an Update in a batch.
func (e *Engine) updateInBatch(ctx context.Context, fn func(kv.Tx) error) error {
	b, leads := e.batches.join()
	if leads {
		return b.lead(ctx, e, fn)
	}
	ran, err := b.follow(ctx, e, fn)
	if !ran {
		return err
	}
	<-b.done
	if b.err != nil {
		return b.err
	}
	return final(err)
}

// lead waits for other writers, runs fn and commits the batch.
func (b *batch) lead(ctx context.Context, e *Engine, fn func(kv.Tx) error) (err error) {
	finish, err := e.begin(ctx)
	if b.failed = err != nil; b.failed {
		e.batches.close()
		close(b.ready)
		return final(err)
	}
	defer finish()
	b.group.tx = &tx{ctx: ctx, engine: e, mode: modeUpdate}
	defer func() { // also when fn panics
		e.batches.close()
		close(b.ready)
		b.members.Wait()
		b.err = b.commit(e)
		if b.err != nil && ctx.Err() != nil && !errors.As(b.err, new(*finalError)) {
			b.err = errNextBatch // the other calls go on without the leader
		}
		b.group.tx.end()
		close(b.done)
		if b.err != nil {
			err = b.err
		}
	}()
	return final(b.group.run(ctx, fn))
}

// commit commits the writes of a batch, if its reads have succeeded.
func (b *batch) commit(e *Engine) error {
	if b.group.tx.err != nil {
		return b.group.tx.err
	}
	return e.commit(b.group.tx)
}

// follow runs fn after the leader's function, unless that takes long.
func (b *batch) follow(ctx context.Context, e *Engine, fn func(kv.Tx) error) (ran bool, err error) {
	defer b.members.Done()
	began := time.Now()
	timer := time.NewTimer(e.patience())
	defer timer.Stop()
	select {
	case <-b.ready:
		kv.AddWaiting(ctx, began)
	case <-timer.C:
		kv.AddWaiting(ctx, began)
		e.batches.leave(b)
		return false, errNextBatch
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if b.failed {
		return false, errNextBatch
	}
	err = b.group.run(ctx, func(tx kv.Tx) error {
		if b.group.tx.writes.Len() >= maxBatch {
			return errNextBatch
		}
		ran = true
		return fn(tx)
	})
	return ran, err
}
