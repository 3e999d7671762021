package pg

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"techo/store/kv"
)

// begin waits until no other batch or Group of this engine writes.
func (e *Engine) begin(ctx context.Context) error {
	defer kv.AddWaiting(ctx, time.Now())
	return e.take(ctx, e.writing)
}

// take puts an element into turn, which has room for one, and waits for a while until it can.
func (e *Engine) take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(e.limits.wait)
	defer timer.Stop()
	select {
	case turn <- struct{}{}:
		return nil
	case <-timer.C:
		return &kv.ContentionError{Waited: e.limits.wait, Err: errProcess}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish lets the next batch or Group write.
func (e *Engine) finish() { <-e.writing }

var errProcess = errors.New("other transactions of this process take too long")

// Times between attempts.
const (
	shortestWait = 2 * time.Millisecond
	longestWait  = 500 * time.Millisecond
)

// retry makes attempts until one succeeds or fails for good, or they take too long.
func (e *Engine) retry(ctx context.Context, attempt func() error) error {
	started, wait := time.Now(), shortestWait
	for {
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
		class, shown := explain(e.server, err)
		most := e.limits.wait
		if e.looked.Load() == nil { // there may be no such server
			most /= 3
		}
		over := time.Since(started) > most
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
		case errors.Is(err, errNextBatch):
			continue
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
		wait = min(2*wait, longestWait)
	}
}

// pause waits for half to all of a time, at random, so that transactions that were in
// conflict are not so again.
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
