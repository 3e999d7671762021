// Package serve answers tool calls over HTTP: routes, tokens, limits, and the
// unix socket of the user.
package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"
)

// Server answers requests over HTTP.
type Server struct {
	host    *server.Host
	guard   guard
	access  access
	intake  intake
	log     *slog.Logger // access log; nil: none
	mcp     http.Handler
	mcpOnly bool
	drain   time.Duration
	state   readiness
}

// Options are the options of a Server.
type Options struct {
	Hosts   []string     // host names of this server, besides its address and localhost
	MCP     http.Handler // answers /mcp
	Log     *slog.Logger // access log; nil: none
	MCPOnly bool         // serve MCP, /health, /ready and /metrics only

	// Drain is how long the server still takes requests after a signal to stop. It is
	// not ready meanwhile, so that a load balancer sends new requests elsewhere.
	Drain time.Duration
}

// New returns a server for the tools of a host.
func New(h *server.Host, o Options) *Server {
	h.Log = o.Log
	return &Server{host: h, guard: guard{names: o.Hosts}, mcp: o.MCP, log: o.Log, mcpOnly: o.MCPOnly, drain: o.Drain}
}

// handler returns the handler for all requests. It authenticates a request
// before it reads the body.
func (srv *Server) handler() http.Handler {
	srv.intake = newIntake()
	return srv.logged(withWriteDeadlines(srv.guarded(srv.routed(srv.routes()))))
}

// guarded passes authenticated requests on, with the whole body in memory. The
// checks of monitors need no token, and take neither a slot nor memory.
func (srv *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		env, ctx := srv.envFor(r), r.Context()
		e := srv.guard.check(env, r)
		if e == nil && (r.URL.Path == "/health" || r.URL.Path == "/ready") {
			closeAfter(w, r)
			next.ServeHTTP(w, r)
			return
		}
		if e == nil {
			ctx, e = srv.authenticate(env, w, r)
		}
		if e != nil {
			closeAfter(w, r)
			srv.fail(w, e)
			return
		}
		leave, e := srv.intake.admit(env, w, r)
		if e != nil {
			srv.fail(w, e)
			return
		}
		defer leave()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// authenticate returns a context for the caller of a request.
func (srv *Server) authenticate(
	env *tools.Env, w http.ResponseWriter, r *http.Request,
) (context.Context, *tools.Error) {
	caller, e := srv.access.identify(env, r)
	if e != nil {
		if e.Code == tools.Unavailable {
			w.Header().Set("WWW-Authenticate", `Bearer realm="techo"`)
		}
		return nil, e
	}
	caller.Address = r.RemoteAddr
	return srv.host.WithCaller(r.Context(), caller), caller.CheckUser(env, r)
}

// runFor returns the run that answers an authenticated request.
func (srv *Server) runFor(r *http.Request) (*run.Run, []tools.Detail) {
	return srv.host.Of(r.Context()).ForRequest(r.Header)
}

// envFor returns an environment in the language of a request, for messages of
// the server itself.
func (srv *Server) envFor(r *http.Request) *tools.Env {
	s, _ := srv.host.ForRequest(r.Header)
	return s.Env()
}
