package kv

import (
	"context"
	"sync/atomic"
	"time"
)

// Waiting is the time that a transaction has waited: for a connection, or for others. An engine
// may begin a transaction only when its function reads, so the time before does not tell.
type Waiting struct{ nanoseconds atomic.Int64 }

// Take returns the time since the last call.
func (w *Waiting) Take() time.Duration { return time.Duration(w.nanoseconds.Swap(0)) }

type waitingKey struct{}

// WithWaiting returns a context with which engines add to w.
func WithWaiting(ctx context.Context, w *Waiting) context.Context {
	return context.WithValue(ctx, waitingKey{}, w)
}

// AddWaiting adds the time since a moment to the Waiting of a context, if it has one.
func AddWaiting(ctx context.Context, since time.Time) {
	if w, ok := ctx.Value(waitingKey{}).(*Waiting); ok {
		w.nanoseconds.Add(int64(time.Since(since)))
	}
}
