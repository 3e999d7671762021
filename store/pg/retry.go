package pg

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"techo/store/kv"
)

// turns lets transactions of one engine that write the same keys run one after the
// other: they would only meet again and again. As long as no two have met, all run at
// once.
type turns struct {
	turn    chan struct{} // holds one element while a transaction has its turn
	waiting atomic.Int64  // transactions that have a turn or wait for it
}

func newTurns() *turns { return &turns{turn: make(chan struct{}, 1)} }

// busy reports whether transactions take turns now.
func (t *turns) busy() bool { return t.waiting.Load() > 0 }

// take waits for a turn.
func (t *turns) take(ctx context.Context, patience time.Duration) error {
	t.waiting.Add(1)
	defer kv.AddWaiting(ctx, time.Now())
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case t.turn <- struct{}{}:
		return nil
	case <-timer.C:
		t.waiting.Add(-1)
		return &kv.ContentionError{Waited: patience, Err: errTurn}
	case <-ctx.Done():
		t.waiting.Add(-1)
		return context.Cause(ctx)
	}
}

// pass ends a turn.
func (t *turns) pass() {
	<-t.turn
	t.waiting.Add(-1)
}

var errTurn = errors.New("other transactions of this process take too long")

// Times between attempts.
const (
	shortestWait = 2 * time.Millisecond
	longestWait  = 500 * time.Millisecond
)

// leastAttempts is how often a transaction that meets others is attempted, however long
// the attempts take: an import needs seconds for each.
const leastAttempts = 5

// retry makes attempts until one succeeds or fails for good, or the patience ends.
func (e *Engine) retry(ctx context.Context, attempt func() error) error {
	return attempts(ctx, e, func() error { return nil }, attempt)
}

// retryInTurn is retry for a Group. Once it has met another transaction, or if others of
// this engine have, it takes its turn among these.
func retryInTurn(ctx context.Context, e *Engine, attempt func() error) error {
	queued := false
	queue := func() error {
		if queued {
			return nil
		}
		err := e.turns.take(ctx, e.limits.patience)
		queued = err == nil
		return err
	}
	if e.turns.busy() {
		if err := queue(); err != nil {
			return err
		}
	}
	defer func() {
		if queued {
			e.turns.pass()
		}
	}()
	return attempts(ctx, e, queue, attempt)
}

// attempts is retry. It calls met after each attempt that met another transaction.
func attempts(ctx context.Context, e *Engine, met, attempt func() error) error {
	started, wait := time.Now(), shortestWait
	for made := 1; ; made++ {
		switch {
		case e.isClosed():
			return kv.ErrClosed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		err := attempt()
		var own *finalError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &own):
			return own.err
		case e.isClosed():
			return kv.ErrClosed
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if (errors.Is(err, errNextBatch) || errors.Is(err, errAssumed)) && time.Since(started) <= e.limits.patience {
			continue
		}
		class, shown := explain(e.server, err)
		patience := e.limits.patience
		if e.looked.Load() == nil { // there may be no such server
			patience /= 3
		}
		over := time.Since(started) > patience && (class != faultConflict || made >= leastAttempts)
		switch {
		case class == faultFinal:
			return shown
		case class == faultLost:
			if e.pool.forget(); over {
				return shown
			}
			wait = max(wait, 20*time.Millisecond)
		case over:
			return &kv.ContentionError{Waited: time.Since(started), Err: err}
		default:
			e.conflicts.Add(1)
			if err := met(); err != nil {
				return err
			}
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		wait = min(2*wait, longestWait)
	}
}

// pause waits for half to all of a time, at random, so that transactions that met
// do not meet again.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Conflicts returns the number of attempts of transactions that met others.
func Conflicts(e *Engine) int64 { return e.conflicts.Load() }
