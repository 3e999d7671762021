// Package serve answers tool calls over HTTP: routes, tokens, limits, and the
// unix socket of the user.
package serve

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"techo/commands/page"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"
)

// Server answers requests over HTTP.
type Server struct {
	Options
	host   *server.Host
	guard  guard
	access access
	intake intake
	state  readiness
	links  linkGiver
	stop   context.Context // ends when the server stops
}

// Options are the options of a Server.
type Options struct {
	Hosts   []string     // host names of this server, besides its address and localhost
	MCP     http.Handler // answers /mcp; nil: not served
	Log     *slog.Logger // access log; nil: none
	MCPOnly bool         // serve MCP, /health, /ready and /metrics only

	// Drain is how long the server still takes requests after a signal to stop. It is
	// not ready meanwhile, so that a load balancer sends new requests elsewhere.
	Drain time.Duration

	// Page is served to the person, whose calls Person runs. nil: no page. Later commands
	// of the user find it by its Kind.
	Page   *page.Site
	Person *server.Host
	Kind   PageKind

	// Transfers are tools for the imports and exports of clients, which are not listed.
	Transfers []*tools.Tool

	Listening func(address string) // is called when the server listens at http://HOST:PORT; may be nil
}

// New returns a server for the tools of a host.
func New(h *server.Host, o Options) *Server {
	h.Log = o.Log
	return &Server{Options: o, host: h, guard: guard{names: o.Hosts}, links: linkGiver{site: o.Page, kind: o.Kind},
		stop: context.Background()}
}

// handler returns the handler for all requests. It authenticates a request
// before it reads the body.
func (srv *Server) handler() http.Handler {
	srv.intake = newIntake()
	return srv.logged(withWriteDeadlines(srv.guarded(srv.routed(srv.routes()))))
}

// guarded passes authenticated requests on, with the whole body in memory. The
// checks of monitors and the files of the page need no token, and take neither a slot nor
// memory.
func (srv *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 { // net/http hides a Content-Length beside it, after which RFC 9112 6.1 wants an end
			w.Header().Set("Connection", "close")
		}
		malformed := remote.Decode(r.Header)
		env, ctx := srv.envFor(r), r.Context()
		e := srv.guard.check(env, r)
		if e == nil && malformed != nil {
			e = env.Fail(tools.InvalidInput, "A header of the request is not percent-encoded, as %s says: %v",
				remote.EncodedHeader, malformed)
		}
		if open := srv.public(next, r); e == nil && open != nil {
			closeAfter(w, r)
			open.ServeHTTP(w, r)
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
		if server.TokenOf(ctx) != nil && r.ContentLength != 0 { // it may have been removed before the body was there
			if ctx, e = srv.authenticate(env, w, r); e != nil {
				srv.fail(w, e)
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// public returns the handler of a request that needs no authentication, or nil: the checks
// of monitors and the files of the page, which contain no data.
func (srv *Server) public(next http.Handler, r *http.Request) http.Handler {
	switch {
	case r.URL.Path == "/health", r.URL.Path == "/ready":
		return next
	case srv.Page != nil:
		return srv.Page.Public(r)
	}
	return nil
}

// authenticate returns a context for the caller of a request.
func (srv *Server) authenticate(
	env *tools.Env, w http.ResponseWriter, r *http.Request,
) (context.Context, *tools.Error) {
	if srv.Page != nil && srv.Page.Claims(r) {
		session, e := srv.Page.Check(env, r)
		if e != nil {
			return nil, e
		}
		return srv.Person.WithCaller(r.Context(), server.Caller{Address: r.RemoteAddr, Page: true, Secret: session.Unlocked}), nil
	}
	caller, e := srv.access.identify(env, r)
	if e != nil {
		if e.Code == tools.Unavailable {
			challenge := `Bearer realm="techo"`
			if r.Header.Get("Authorization") != "" { // RFC 6750, 3.1
				challenge += `, error="invalid_token"`
			}
			w.Header().Set("WWW-Authenticate", challenge)
		}
		return nil, e
	}
	caller.Address = r.RemoteAddr
	return srv.host.WithCaller(r.Context(), caller), caller.CheckUser(env, r)
}

// runFor returns the run that answers an authenticated request.
func (srv *Server) runFor(r *http.Request) (*run.Run, []tools.Detail) {
	s, problems := srv.host.Of(r.Context()).ForRequest(r.Header)
	s.Served = isModel(srv.Page, r)
	return s, problems
}

// isModel reports whether hints have the names of tools. A person at a shell or the page reads
// commands, as the page and its documentation teach them.
func isModel(site *page.Site, r *http.Request) bool {
	return r.Header.Get(remote.ShellHeader) == "" && (site == nil || !site.Claims(r))
}

// envFor returns an environment in the language of a request, for messages of
// the server itself. It leaves the other settings of the request to runFor.
func (srv *Server) envFor(r *http.Request) *tools.Env {
	s := srv.host.Run.InLanguage(r.Header)
	s.Served = isModel(srv.Page, r)
	return s.Env()
}

// The routes of monitors.
const (
	routeHealth  = "GET /health"
	routeReady   = "GET /ready"
	routeMetrics = "GET /metrics"
)

// routes returns the routes of the server. A pattern with GET matches HEAD too.
func (srv *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc(routeHealth, srv.health)
	mux.HandleFunc(routeReady, srv.ready)
	mux.HandleFunc(routeMetrics, srv.metrics)
	if srv.MCP != nil {
		protocol := srv.host.Requests.Number(srv.MCP)
		mux.Handle("/mcp", protocol)
		if srv.MCPOnly {
			mux.Handle("/{$}", protocol)
			return mux
		}
	}
	mux.HandleFunc("GET /tools", srv.catalogue)
	mux.HandleFunc("GET /tools/{name}", srv.catalogue)
	mux.HandleFunc("POST /tools/{name}", srv.callTool)
	mux.HandleFunc("POST /transfer/{name}", srv.transfer)
	mux.HandleFunc("GET /memories/full", srv.fullMemories)
	if srv.Page != nil {
		srv.Page.Handle(mux, srv.stop)
		mux.HandleFunc("POST "+page.SecretPath, srv.pageSecret)
	}
	mux.HandleFunc("GET /whoami", srv.whoami)
	return mux
}

// routed answers requests by their route. Unlike the mux itself it answers an
// unknown path or method with an error as JSON.
func (srv *Server) routed(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse, pattern := mux.Handler(r)
		noteRoute(w, pattern)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		refused := recorder{header: http.Header{}}
		refuse.ServeHTTP(&refused, r)
		env := srv.envFor(r)
		if refused.status != http.StatusMethodNotAllowed {
			srv.fail(w, env.Fail(tools.NotFound, "There is no route %s", r.URL.Path).WithHint(env.Hint(
				"The routes are POST /tools/{name}, GET /tools, /mcp, GET /memories/full, GET /whoami, GET /health, "+
					"GET /ready and GET /metrics")))
			return
		}
		allowed := refused.header.Get("Allow")
		w.Header().Set("Allow", allowed)
		e := env.Fail(tools.InvalidInput, "%s accepts %s, not %s", r.URL.Path, allowed, r.Method)
		write(w, http.StatusMethodNotAllowed, run.Document(srv.host.Bound(e)))
	})
}

// recorder records the status and the header with which a mux refuses a request.
type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return len(b), nil }
