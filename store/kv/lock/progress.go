package lock

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"techo/store/kv/disk"
)

// progress describes the files that change when a process works on a store: a
// writer signs lock, appends to journal, or merges into tables. Two different
// values mean that the store made progress between them.
type progress [3]struct {
	size    int64
	changed int64 // nanoseconds since 1970
}

func observe(dir string) (p progress) {
	for i, name := range []string{disk.LockName, disk.JournalName, disk.TablesName} {
		if st, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			p[i].size, p[i].changed = st.Size(), st.ModTime().UnixNano()
		}
	}
	return p
}

// Mark returns a value that differs from earlier ones after a process has written to the
// store in a folder. Reading does not change it.
func Mark(dir string) any { return observe(dir) }

// A watchdog ends a wait when the store has made no progress for the limit of its
// waits. So a call waits for any number of others, but not for a process that
// hangs.
type watchdog struct {
	*Waits
	dir string
	end context.CancelCauseFunc

	mu    sync.Mutex
	seen  progress
	since time.Time   // when seen was new
	timer *time.Timer // of the next look; nil before the wait
	ended bool
}

// Watch returns a context that ends with ErrHeld as its cause when the store makes no
// progress for too long. The caller calls stop.
func (w *Waits) Watch(ctx context.Context, dir string) (_ context.Context, p *watchdog, stop func()) {
	p = &watchdog{Waits: w, dir: dir, since: w.Now()}
	ctx, p.end = context.WithCancelCause(ctx)
	return ctx, p, p.stop
}

// Start starts the looks, because a lock is held by others. Most locks are free:
// then no timer is needed, for which the runtime would start a thread.
func (p *watchdog) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil && !p.ended {
		// Most waits are over before the first look, and cost no call of the system.
		p.timer = time.AfterFunc(p.Every/10, p.Look)
	}
}

func (p *watchdog) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.ended = true
	p.end(nil)
}

// Look compares the store with the last look.
func (p *watchdog) Look() {
	now := p.Now() // first: what has changed by then is seen
	seen := observe(p.dir)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if seen != p.seen || p.merging.Load() > 0 {
		p.seen, p.since = seen, now
	}
	left := p.Limit - now.Sub(p.since)
	if left <= 0 {
		p.end(ErrHeld)
		return
	}
	p.timer.Reset(min(left, p.Every))
}

// Stalled returns the time since the last progress.
func (p *watchdog) Stalled() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Now().Sub(p.since)
}
