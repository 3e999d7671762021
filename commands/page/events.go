package page

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"techo/store"
)

// Intervals of the stream of events.
const (
	lookEvery = 250 * time.Millisecond // between two looks at the store's files
	askEvery  = 2 * time.Second        // between two questions to its database, of all streams
	beatEvery = 20 * time.Second       // shows that the connection works
)

// events answers GET /page/events with a stream of server-sent events: "change" after
// any process has changed the store, and comments in between. The page then repeats its
// own calls, so an event needs no content.
func (s *Site) events(w http.ResponseWriter, r *http.Request, stop context.Context) {
	setHeaders(w)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(message string) bool {
		_, err := fmt.Fprint(w, message)
		return err == nil && control.Flush() == nil
	}
	// The path is resolved once: a store that appears later at the same path is noticed.
	path, err := s.run.StorePath()
	seen := s.mark(r.Context(), path)
	if !send("retry: 1000\n\n") || err != nil {
		return
	}
	look, beat := time.NewTicker(lookEvery), time.NewTicker(beatEvery)
	defer look.Stop()
	defer beat.Stop()
	for {
		select {
		case <-look.C:
			now := s.mark(r.Context(), path)
			if now == seen {
				continue
			}
			if seen = now; !send("event: change\ndata: {}\n\n") {
				return
			}
		case <-beat.C:
			if !send(": the connection works\n\n") {
				return
			}
		case <-r.Context().Done():
			return
		case <-stop.Done():
			return
		}
	}
}

// databaseMark is the mark of a store in a database, which all streams share.
type databaseMark struct {
	mu    sync.Mutex
	asked time.Time
	mark  any // nil before the first answer
}

// mark returns a value that differs from earlier ones after the store has changed.
func (s *Site) mark(ctx context.Context, path string) any {
	if !store.InDatabase(path) {
		return store.Mark(path)
	}
	d := &s.database
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(d.asked) < askEvery {
		return d.mark
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), askEvery)
	defer stop()
	st, err := s.run.Open(ctx, false)
	mark := ""
	if err == nil {
		mark, err = store.DatabaseMark(ctx, st)
	}
	if err == nil { // a database that does not answer now may have changed when it does
		d.mark = mark
	}
	d.asked = time.Now()
	return d.mark
}
