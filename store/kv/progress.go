package kv

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// progress describes the files that change when a process works on a store: a
// writer signs lock, appends to journal, or merges into tables. Two different
// values mean that the store made progress between them.
type progress [3]struct {
	size    int64
	changed int64 // nanoseconds since 1970
}

// observe returns the progress of the store in a folder.
func observe(dir string) (p progress) {
	for i, name := range []string{lockName, journalName, tablesName} {
		if st, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			p[i].size, p[i].changed = st.Size(), st.ModTime().UnixNano()
		}
	}
	return p
}

// Mark returns a value that differs from earlier ones after a process has written to the
// store in a folder. Reading does not change it.
func Mark(dir string) any { return observe(dir) }

// A patience ends a wait when the store has made no progress for the limit of its
// waits. So a call waits for any number of others, but not for a process that
// hangs.
type patience struct {
	*waits
	dir string
	end context.CancelCauseFunc

	mu    sync.Mutex
	seen  progress
	since time.Time   // when seen was new
	timer *time.Timer // of the next look; nil before the wait
	ended bool
}

// withPatience returns a context that ends with errWouldBlock as its cause when
// patience ends. The caller calls stop.
func (w *waits) withPatience(ctx context.Context, dir string) (_ context.Context, p *patience, stop func()) {
	p = &patience{waits: w, dir: dir, since: w.now()}
	ctx, p.end = context.WithCancelCause(ctx)
	return ctx, p, p.stop
}

// start starts the looks, because a lock is held by others. Most locks are free:
// then no timer is needed, for which the runtime would start a thread.
func (p *patience) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil && !p.ended {
		// Most waits are over before the first look, and cost no call of the system.
		p.timer = time.AfterFunc(p.every/10, p.look)
	}
}

// stop ends the looks.
func (p *patience) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.ended = true
	p.end(nil)
}

// look compares the store with the last look.
func (p *patience) look() {
	now := p.now() // first: what has changed by then is seen
	seen := observe(p.dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if seen != p.seen {
		p.seen, p.since = seen, now
	}
	left := p.limit - now.Sub(p.since)
	if left <= 0 {
		p.end(errWouldBlock)
		return
	}
	p.timer.Reset(min(left, p.every))
}

// stalled returns the time since the last progress.
func (p *patience) stalled() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Sub(p.since)
}
