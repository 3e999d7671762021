package serve

import (
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
	"techo/tools/jsontree"
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
	if srv.state.storeFault(r.Context(), env, srv.log) != nil {
		// Its text may name a path, which is not for clients without a token.
		srv.fail(w, env.Fail(tools.Busy, "The store cannot be read").
			WithHint(env.Hint("See techo store info on the server")))
		return
	}
	writeState(w, env, "techo is ready")
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
	writeState(w, srv.envFor(r), "techo is running")
}

// writeState answers a monitor.
func writeState(w http.ResponseWriter, env *tools.Env, message tools.Text) {
	document := jsontree.AppendObject(nil, []jsontree.Field{
		{Name: "ok", Value: []byte("true")},
		{Name: "version", Value: jsontree.AppendText(nil, system.Version)},
		{Name: "message", Value: jsontree.AppendText(nil, env.Localize(message))},
	})
	write(w, http.StatusOK, document)
}

// metrics answers GET /metrics in the text format of Prometheus. The owner of the
// server may read it, and tokens for it alone.
func (srv *Server) metrics(w http.ResponseWriter, r *http.Request) {
	token := server.TokenOf(r.Context())
	if token != nil && !slices.Contains(token.Only, server.MetricsOnly) {
		env := srv.envFor(r)
		srv.fail(w, env.Fail(tools.Forbidden, "This token is not for /metrics").WithHint(
			env.Hint("Create one: techo token add --user NAME --only metrics")))
		return
	}
	_, _ = srv.host.Metrics.WriteTo(begin(w, http.StatusOK, metricsType))
}
