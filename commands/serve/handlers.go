package serve

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"techo/commands/catalogue"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/tools"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// callTool answers POST /tools/{name}. The body is the input of the tool, and
// the answer is the document that `techo call` prints.
func (srv *Server) callTool(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		srv.fail(w, tools.AsError(s.Env(), err))
		return
	}
	body = bytes.TrimSpace(body)
	t, body, e := s.ToolFor(r.PathValue("name"), body)
	if e != nil {
		srv.fail(w, e)
		return
	}
	env, call := s.Env(), s.Call(body)
	call.Problems = append(problems, refuseQuery(env, r)...)
	purge, problem, e := purges(srv, env, r, t)
	if e != nil {
		srv.fail(w, t.AsError(env, e))
		return
	}
	env.Purge, call.Problems = purge, append(call.Problems, problem...)
	call.SkipWhen = r.Header.Get(remote.ShellHeader) == remote.ShellCommand && offers(srv, t)
	result, e := srv.host.Of(r.Context()).Call(r.Context(), env, t, call)
	answerFor(srv, w, r, result, e)
}

// offers reports whether neither --only nor a token switched a tool off. Its own condition
// (tools.Tool.When) is about prompts of models: it does not apply to the command of the tool
// and to GET /memories/full, with which whoever names ids has the references.
func offers(srv *Server, t *tools.Tool) bool { return slices.Contains(srv.host.All, t) }

// parseQuery parses the query of a URL. Package url skips malformed parts; here
// they are problems.
func parseQuery(env *tools.Env, r *http.Request) (url.Values, []tools.Detail) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		return query, nil
	}
	why := env.Localize("; does not separate parameters")
	if escape := url.EscapeError(""); errors.As(err, &escape) {
		why = env.Localize("%q is not percent-encoded", string(escape))
	}
	return query, []tools.Detail{{
		Message: env.Localize("the query of the URL cannot be read: %s", why),
		Hint:    env.Hint("Join the parameters with & and percent-encode special characters"),
	}}
}

// refuseQuery returns a problem for each parameter in the URL of a tool call,
// which takes its input from the body only.
func refuseQuery(env *tools.Env, r *http.Request) []tools.Detail {
	query, problems := parseQuery(env, r)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		problems = append(problems, tools.Detail{
			Path: "/" + name, Message: env.Localize("is in the URL"),
			Hint: env.Hint("Send the input of the tool as JSON in the body"),
		})
	}
	return problems
}

// catalogue answers GET /tools and GET /tools/{name} with the document that
// `techo tools` prints. The query sets the flags of that command, as in
// ?format=openai.
func (srv *Server) catalogue(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	c := catalogue.Tool(s.Offered, run.Naming(s))
	b := run.NewInput(s.Env(), c)
	if name := r.PathValue("name"); name != "" {
		b.Add("names", name)
	}
	query, malformed := parseQuery(s.Env(), r)
	problems = append(problems, malformed...)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if c.Field(name) == nil {
			problems = append(problems, schema.UnknownField(s.Env(), "/"+name, name, c.Input().Names()))
			continue
		}
		for _, value := range query[name] {
			b.Add(name, value)
		}
	}
	if !b.Has("audience") { // tools that the server does not offer stay switched off
		b.Add("audience", string(srv.host.Of(r.Context()).Audience))
	}
	if l := srv.host.Listing; l.Profile != "" && !b.Has("profile") {
		b.Add("profile", string(l.Profile))
	}
	if srv.host.Listing.ResultSchemas && !b.Has("result_schemas") {
		b.Add("result_schemas", "true")
	}
	document := b.JSON()
	call := tools.Call{Input: document, Problems: append(problems, b.Problems...), MaxBytes: s.Out.MaxBytes}
	result, e := c.Invoke(r.Context(), s.Env(), call)
	srv.answer(w, result, e)
}

// whoami answers GET /whoami with the user of the request and what a token allows.
func (srv *Server) whoami(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	env := s.Env()
	if len(problems) > 0 {
		srv.fail(w, tools.InvalidError(env, problems))
		return
	}
	me := remote.Identity{Version: system.Version, User: env.User,
		Audience: srv.host.Of(r.Context()).Audience, Owner: true, Only: []string{},
		Spaces: []string{}}
	if t := server.TokenOf(r.Context()); t != nil {
		me.Owner, me.ReadOnly, me.Only = false, t.ReadOnly, append(me.Only, t.Only...)
		me.Spaces = append(me.Spaces, t.Spaces...)
	}
	me.Message = env.Localize("Requests are those of %s", me.User)
	document, err := jsontree.Marshal(me)
	if err != nil {
		srv.fail(w, tools.AsError(env, err))
		return
	}
	write(w, http.StatusOK, document)
}
