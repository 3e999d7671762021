package page

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Intervals of the stream of events.
const (
	lookEvery = 250 * time.Millisecond // between two looks at the store's files
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
	seen := s.watch.Mark(r.Context(), path)
	if !send("retry: 1000\n\n") || err != nil {
		return
	}
	look, beat := time.NewTicker(lookEvery), time.NewTicker(beatEvery)
	defer look.Stop()
	defer beat.Stop()
	for {
		select {
		case <-look.C:
			now := s.watch.Mark(r.Context(), path)
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
