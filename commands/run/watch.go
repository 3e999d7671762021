package run

import (
	"context"
	"sync"
	"time"

	"techo/store"
)

// Watch notices changes of the store of a run by any process.
type Watch struct {
	run *Run

	mu    sync.Mutex
	asked time.Time
	mark  any // of a database; nil before the first answer
}

// askEvery is the time between two questions to a database, of all who watch.
const askEvery = 2 * time.Second

// NewWatch returns a watch of the store of a run.
func NewWatch(s *Run) *Watch { return &Watch{run: s} }

// Mark returns a value that differs from earlier ones after the store at a path has changed.
// It may be called several times a second.
func (w *Watch) Mark(ctx context.Context, path string) any {
	if !store.InDatabase(path) {
		return store.Mark(path)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.asked) < askEvery {
		return w.mark
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), askEvery)
	defer stop()
	st, err := w.run.Open(ctx, false)
	mark := ""
	if err == nil {
		mark, err = store.DatabaseMark(ctx, st)
	}
	if err == nil { // a database that does not answer now may have changed when it does
		w.mark = mark
	}
	w.asked = time.Now()
	return w.mark
}
