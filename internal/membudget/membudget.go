// Package membudget limits the memory that concurrent work of a process takes.
package membudget

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Budget is a number of bytes that the calls of a process share. Work that needs much
// memory reserves its estimate first and returns it at the end. A nil *Budget is unlimited.
type Budget struct {
	size int64
	free *semaphore.Weighted
}

// New returns a budget of size bytes.
func New(size int64) *Budget { return &Budget{size, semaphore.NewWeighted(size)} }

// Take reserves bytes if they are free and no other call waits. It reports whether
// it did.
func (b *Budget) Take(bytes int64) bool { return b == nil || b.free.TryAcquire(bytes) }

// Wait reserves bytes, in order of arrival. If the context ends first it returns
// the context's cause. A request for more than the whole budget reserves all of
// it. The caller must call release; further calls of release have no effect.
func (b *Budget) Wait(ctx context.Context, bytes int64) (release func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	bytes = min(bytes, b.size)
	if b.free.Acquire(ctx, bytes) != nil {
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { b.free.Release(bytes) }), nil
}

// Return gives bytes back.
func (b *Budget) Return(bytes int64) {
	if b != nil {
		b.free.Release(bytes)
	}
}
