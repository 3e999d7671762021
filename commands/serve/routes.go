package serve

import (
	"net/http"

	"techo/commands/page"
	"techo/commands/run"
	"techo/tools"
)

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
	if srv.mcp != nil {
		protocol := srv.host.Requests.Number(srv.mcp)
		mux.Handle("/mcp", protocol)
		if srv.mcpOnly {
			mux.Handle("/{$}", protocol)
			return mux
		}
	}
	mux.HandleFunc("GET /tools", srv.catalogue)
	mux.HandleFunc("GET /tools/{name}", srv.catalogue)
	mux.HandleFunc("POST /tools/{name}", srv.callTool)
	mux.HandleFunc("POST /transfer/{name}", func(w http.ResponseWriter, r *http.Request) { transfer(srv, w, r) })
	mux.HandleFunc("GET /memories/full", srv.fullMemories)
	if srv.page != nil {
		srv.page.Handle(mux, srv.stop)
		mux.HandleFunc("POST "+page.SecretPath, func(w http.ResponseWriter, r *http.Request) { pageSecret(srv, w, r) })
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
