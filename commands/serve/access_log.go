package serve

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"
)

// logged counts each request and writes a line for it to the access log. The line
// contains nothing of the body or of the answer.
func (srv *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counted := &countingWriter{ResponseWriter: w}
		next.ServeHTTP(counted, r)
		srv.host.Metrics.Request(cmp.Or(counted.route, "none"), counted.status)
		if srv.log == nil {
			return
		}
		level := slog.LevelInfo
		if isRoutine(counted) {
			level = slog.LevelDebug
		}
		srv.log.LogAttrs(context.WithoutCancel(r.Context()), level, "request",
			slog.String("from", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", counted.status), slog.Int64("bytes", counted.bytes),
			slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))
	})
}

// isRoutine reports whether a request is one that monitors repeat each second. Such lines would
// hide all others; that a server is not ready is logged once. A monitor that is refused is not
// routine.
func isRoutine(w *countingWriter) bool {
	switch w.route {
	case routeHealth, routeMetrics:
		return w.status == http.StatusOK
	case routeReady:
		return w.status == http.StatusOK || w.status == http.StatusServiceUnavailable
	}
	return false
}

// countingWriter records the route, the status and the size of an answer.
type countingWriter struct {
	http.ResponseWriter
	route  string // the pattern that matched; "" if none did
	status int
	bytes  int64
}

// noteRoute records the route of a request in its countingWriter.
func noteRoute(w http.ResponseWriter, route string) {
	for w != nil {
		if counted, ok := w.(*countingWriter); ok {
			counted.route = route
			return
		}
		inner, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = inner.Unwrap()
	}
}

func (w *countingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends a part of a stream of events. Its error is ignored: not every
// connection can flush.
func (w *countingWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
