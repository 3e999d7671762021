package serve

import (
	"io"
	"net/http"
	"slices"

	"techo/commands/server"
	"techo/tools"
)

// transfer answers POST /transfer/{name}: the imports and exports of a client, and commands that
// are no tools, by tools that no catalogue lists. A token allows them as it allows the other tools of their family.
func transfer(srv *Server, w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		srv.fail(w, tools.AsError(s.Env(), err))
		return
	}
	name := r.PathValue("name")
	i := slices.IndexFunc(srv.transfers, func(t *tools.Tool) bool { return t.Name == name })
	if i < 0 {
		srv.fail(w, s.Env().Fail(tools.NotFound, "There is no route %s", r.URL.Path))
		return
	}
	t := srv.transfers[i]
	if token := server.TokenOf(r.Context()); token != nil {
		t = server.AllowedTo([]*tools.Tool{t}, token)[0]
	}
	call := s.Call(body)
	call.Problems = append(problems, refuseQuery(s.Env(), r)...)
	result, e := srv.host.Of(r.Context()).Call(r.Context(), s.Env(), t, call)
	answerFor(srv, w, r, result, e)
}
