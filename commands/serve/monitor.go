package serve

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
)

// Limits of the check of the store.
const (
	checkEvery = time.Second     // the result of a check is valid so long
	checkTime  = 2 * time.Second // a store that does not answer in this time is not ready
)

// readiness determines whether a server accepts requests and can read its store. Requests
// without a token use it, so it checks the store at most once in checkEvery.
type readiness struct {
	stopping atomic.Bool

	mu      sync.Mutex
	checked time.Time
	fault   *tools.Error
}

// ready answers GET /ready, for load balancers. It needs no token.
func (srv *Server) ready(w http.ResponseWriter, r *http.Request) {
	env := srv.envFor(r)
	if srv.state.stopping.Load() {
		srv.fail(w, env.Fail(tools.Busy, "The server is stopping"))
		return
	}
	if srv.state.storeFault(r.Context(), env, srv.Log) != nil {
		// Its text may name a path, which is not for clients without a token.
		srv.fail(w, env.Fail(tools.Busy, "The store cannot be read").
			WithHint(env.Hint("See %s on the server", tools.Use("store info"))))
		return
	}
	srv.writeState(w, env, "techo is ready")
}

// storeFault returns the error with which the store was read last, or nil. It logs when the
// store becomes unreadable, and when it can be read again.
func (s *readiness) storeFault(ctx context.Context, env *tools.Env, log *slog.Logger) *tools.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.checked) < checkEvery {
		return s.fault
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer stop()
	st, err := env.Store(ctx, tools.Reads)
	if err == nil {
		err = st.Ledger.Ping(ctx)
	}
	before := s.fault
	s.checked, s.fault = time.Now(), nil
	if err != nil {
		s.fault = tools.AsError(env, err)
	}
	switch {
	case log == nil:
	case before == nil && err != nil:
		log.Error("not ready", "error", err)
	case before != nil && err == nil:
		log.Info("ready")
	}
	return s.fault
}

// health answers GET /health, for monitoring. It needs no token.
func (srv *Server) health(w http.ResponseWriter, r *http.Request) {
	srv.writeState(w, srv.envFor(r), "techo is running")
}

func (srv *Server) writeState(w http.ResponseWriter, env *tools.Env, message tools.Text) {
	srv.answerWith(w, env, struct {
		OK      bool   `json:"ok"`
		Version string `json:"version"`
		Message string `json:"message"`
	}{true, system.Version, env.Localize(message)})
}

// metrics answers GET /metrics in the text format of Prometheus. The owner of the
// server may read it, and tokens for it alone.
func (srv *Server) metrics(w http.ResponseWriter, r *http.Request) {
	token := server.TokenOf(r.Context())
	if token != nil && !slices.Contains(token.Only, server.MetricsOnly) {
		env := srv.envFor(r)
		srv.fail(w, env.Fail(tools.Forbidden, "This token is not for /metrics").WithHint(
			env.Hint("Create one: %s",
				tools.Use("token add", tools.Flag("user", tools.Placeholder("NAME")), tools.Flag("only", "metrics")))))
		return
	}
	_, _ = srv.host.Metrics.WriteTo(begin(w, http.StatusOK, metricsType))
}

// logged counts each request and writes a line for it to the access log. The line
// contains nothing of the body or of the answer.
func (srv *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counted := &countingWriter{ResponseWriter: w}
		next.ServeHTTP(counted, r)
		srv.host.Metrics.Request(cmp.Or(counted.route, "none"), counted.status)
		if srv.Log == nil {
			return
		}
		level := slog.LevelInfo
		if isRoutine(counted) {
			level = slog.LevelDebug
		}
		srv.Log.LogAttrs(context.WithoutCancel(r.Context()), level, "request",
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
