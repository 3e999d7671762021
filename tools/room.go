package tools

import (
	"context"
	"sync"
)

// Room is a memory budget in bytes that the calls of a process share. Work that
// needs much memory reserves its estimate first and returns it at the end. A nil
// *Room is unlimited.
type Room struct {
	size int64

	mu      sync.Mutex
	used    int64
	waiting []*reservation // in order of arrival
}

type reservation struct {
	bytes int64
	given chan struct{} // closed when the reservation is granted
}

// NewRoom returns a budget of size bytes.
func NewRoom(size int64) *Room { return &Room{size: size} }

// Take reserves bytes if they are free and no other call waits. It reports whether
// it did.
func (r *Room) Take(bytes int64) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.waiting) > 0 || r.used+bytes > r.size {
		return false
	}
	r.used += bytes
	return true
}

// Wait reserves bytes, in order of arrival. If the context ends first it returns
// the context's cause. A request for more than the whole budget reserves all of
// it. The caller must call release; further calls of release have no effect.
func (r *Room) Wait(ctx context.Context, bytes int64) (release func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	bytes = min(bytes, r.size)
	w := &reservation{bytes, make(chan struct{})}
	r.mu.Lock()
	r.waiting = append(r.waiting, w)
	r.serve()
	r.mu.Unlock()
	select {
	case <-w.given:
	case <-ctx.Done():
		r.leave(w)
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { r.Return(bytes) }), nil
}

// Return gives bytes back.
func (r *Room) Return(bytes int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= bytes
	r.serve()
}

// serve grants waiting reservations in order. The caller holds the lock.
func (r *Room) serve() {
	for len(r.waiting) > 0 && r.used+r.waiting[0].bytes <= r.size {
		w := r.waiting[0]
		r.waiting = r.waiting[1:]
		r.used += w.bytes
		close(w.given)
	}
}

// leave cancels a reservation, or returns its bytes if it was granted meanwhile.
func (r *Room) leave(w *reservation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, other := range r.waiting {
		if other == w {
			r.waiting = append(r.waiting[:i:i], r.waiting[i+1:]...)
			r.serve()
			return
		}
	}
	r.used -= w.bytes
	r.serve()
}
