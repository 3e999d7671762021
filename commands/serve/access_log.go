package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// logged writes one line for each request to the access log. The line contains
// nothing of the body or of the answer.
func (srv *Server) logged(next http.Handler) http.Handler {
	if srv.log == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counted := &countingWriter{ResponseWriter: w}
		next.ServeHTTP(counted, r)
		srv.log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request",
			slog.String("from", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", counted.status), slog.Int64("bytes", counted.bytes),
			slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))
	})
}

// countingWriter records the status and the size of an answer.
type countingWriter struct {
	http.ResponseWriter
	status int
	bytes  int64
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
