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
// The first Update leads: it waits for its turn, and Updates that begin meanwhile join
// its batch. Then their functions run one after the other, each in its own goroutine
// and on the state that the last one left, and the leader commits. No Update of a batch
// returns before: what it read may be another one's write. If the commit fails, each of
// them makes another attempt.
type batch struct {
	group   group
	members sync.WaitGroup // followers that may still run

	ready  chan struct{} // closed when followers may run, or the leader has failed
	failed bool          // the leader has no turn; set before ready is closed
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
	next *batch // waits for its turn; nil if none does
}

// join returns the batch that waits for its turn, or a new one to lead.
func (all *batches) join() (b *batch, leads bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.next != nil {
		all.next.members.Add(1)
		return all.next, false
	}
	all.next = &batch{ready: make(chan struct{}), done: make(chan struct{})}
	return all.next, true
}

// close lets later Updates begin another batch.
func (all *batches) close() {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.next = nil
}

// updateInBatch makes an attempt of an Update in a batch.
func updateInBatch(ctx context.Context, e *Engine, learnt caution, fn func(kv.Tx) error) error {
	fn = cautiously(learnt, fn)
	b, leads := e.batches.join()
	if leads {
		return b.lead(ctx, e, fn)
	}
	e.turns.waiting.Add(1)
	defer e.turns.waiting.Add(-1)
	ran, err := b.follow(ctx, fn)
	if !ran {
		return err
	}
	<-b.done
	if b.err != nil {
		return b.err
	}
	return final(err)
}

// cautiously returns a function that runs with a caution, unless it runs with a greater one.
func cautiously(learnt caution, fn func(kv.Tx) error) func(kv.Tx) error {
	return func(shared kv.Tx) error {
		t := shared.(*tx)
		before := t.caution
		defer func() { t.caution = before }()
		if !before.all {
			t.caution = learnt
		}
		return fn(t)
	}
}

// lead waits for a turn, runs fn and commits the batch.
func (b *batch) lead(ctx context.Context, e *Engine, fn func(kv.Tx) error) (err error) {
	err = e.turns.take(ctx, e.limits.patience)
	e.batches.close()
	if b.failed = err != nil; b.failed {
		close(b.ready)
		return final(err)
	}
	defer e.turns.pass()
	// The end of the leader's call does not end the attempts of the others.
	shared, stop := context.WithTimeout(context.WithoutCancel(ctx), e.limits.statement)
	defer stop()
	b.group.tx = &tx{ctx: shared, engine: e, mode: modeUpdate}
	defer func() { // also when fn panics
		close(b.ready)
		b.members.Wait()
		if b.err = b.group.tx.err; b.err == nil {
			b.err = e.commit(b.group.tx)
		}
		b.group.tx.end()
		close(b.done)
		if b.err != nil {
			err = b.err
		}
	}()
	return final(b.group.run(fn))
}

// follow runs fn when the leader has its turn.
func (b *batch) follow(ctx context.Context, fn func(kv.Tx) error) (ran bool, err error) {
	defer b.members.Done()
	began := time.Now()
	select {
	case <-b.ready:
		kv.AddWaiting(ctx, began)
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if b.failed {
		return false, errNextBatch
	}
	err = b.group.run(func(tx kv.Tx) error {
		if b.group.tx.writes.Len() >= maxBatch {
			return errNextBatch
		}
		ran = true
		return fn(tx)
	})
	return ran, err
}
