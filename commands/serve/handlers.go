package serve

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"techo/commands/catalogue"
	"techo/commands/remote"
	"techo/commands/run"
	"techo/commands/server"
	"techo/commands/system"
	"techo/store/ledger"
	"techo/store/question"
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
	purge, problem, e := srv.purges(env, r, t)
	if e != nil {
		srv.fail(w, t.AsError(env, e))
		return
	}
	env.Purge, call.Problems = purge, append(call.Problems, problem...)
	call.SkipWhen = r.Header.Get(remote.ShellHeader) == remote.ShellCommand && srv.offers(t)
	result, e := srv.host.Of(r.Context()).Call(r.Context(), env, t, call)
	if purge && e == nil {
		env.Purge = false
		run.NotePurge(r.Context(), env, t, question.None) // a token shows no person
	}
	srv.answerFor(w, r, result, e)
}

// offers reports whether neither --only nor a token switched a tool off. Its own condition
// (tools.Tool.When) is about prompts of models: it does not apply to the command of the tool
// and to GET /memories/full, with which whoever names ids has the references.
func (srv *Server) offers(t *tools.Tool) bool { return slices.Contains(srv.host.All, t) }

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
	c := catalogue.Tool(s.Offered, run.Naming(s), func() bool { return s.Options.Compact(false) })
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
	srv.answerWith(w, env, me)
}

// investigate is the name of the tool that reads memories in full.
const investigate = "investigate_memory"

// fullMemories answers GET /memories/full?user_id=U&ids=a,b, the memory service
// for agents on other machines. The conditions of investigate_memory do not
// apply, and turns are not counted: the client of the service does both.
func (srv *Server) fullMemories(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	env := s.Env()
	t, e := s.Tool(investigate)
	if e != nil {
		srv.fail(w, env.Fail(tools.Unavailable, "This server has no memories"))
		return
	}
	env.Caller.MaxPerTurn = 0
	query, malformed := parseQuery(env, r)
	problems = append(problems, malformed...)
	user, ids, wrong := memoryQuery(env, query)
	if problems = append(problems, wrong...); len(problems) > 0 {
		e := env.Fail(tools.InvalidInput, "GET /memories/full?user_id=U&ids=a,b: a parameter is missing or invalid")
		e.Details = problems
		srv.fail(w, e)
		return
	}
	env.User = ledger.NormalUser(user)
	var list [][]byte
	for _, id := range ids {
		list = append(list, jsontree.AppendText(nil, id))
	}
	input := jsontree.AppendObject(nil, []jsontree.Field{{Name: "memory_ids", Value: jsontree.AppendList(nil, list)}})
	result, e := srv.host.Call(r.Context(), env, t, tools.Call{
		Input: input, Timeout: s.Options.Timeout, SkipWhen: srv.offers(t),
		Fields: []string{"memories.id", "memories.caption", "memories.created_at", "memories.full_text", "memories.space",
			"missing"},
	})
	srv.answer(w, result, e)
}

// memoryQuery returns the parameters of the memory service. A repeated user_id
// is a problem, because either value could be meant.
func memoryQuery(env *tools.Env, query url.Values) (user string, ids []string, problems []tools.Detail) {
	wrong := func(name string, why tools.Text) {
		problems = append(problems, tools.Detail{Path: "/" + name, Message: env.Localize(why)})
	}
	required := tools.Text("is required")
	switch users := query["user_id"]; {
	case len(users) > 1:
		wrong("user_id", "is given twice")
	case len(users) == 0 || users[0] == "":
		wrong("user_id", required)
	case !ledger.UserName(users[0]):
		wrong("user_id", "must be 1 to 256 bytes of UTF-8, with a visible character and no control characters")
	default:
		user = users[0]
	}
	known := []string{"user_id", "ids"}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			problems = append(problems, schema.UnknownField(env, "/"+name, name, known))
		}
	}
	named := strings.Join(query["ids"], ",")
	if named == "" {
		wrong("ids", required)
	}
	return user, strings.FieldsFunc(named, func(r rune) bool { return r == ',' || r == ' ' }), problems
}

// purges reports whether a call has --purge. A server cannot ask the person, who has confirmed
// it for requests with a token. Only a server for persons takes it, and only for the tools whose
// commands have it.
func (srv *Server) purges(env *tools.Env, r *http.Request, t *tools.Tool) (bool, []tools.Detail, *tools.Error) {
	setting := run.FindSetting("purge")
	problem := func(named bool, message tools.Text, args ...any) (bool, []tools.Detail, *tools.Error) {
		detail := tools.Detail{Path: "/" + setting.Name, Message: env.Localize(message, args...), Named: named}
		return false, []tools.Detail{detail}, nil
	}
	switch v := r.Header.Get(remote.PurgeHeader); {
	case v == "" || v == "false":
		return false, nil, nil
	case v != "true":
		return problem(false, "must be true or false, not %q", v)
	case !setting.Fits(t.Command):
		return problem(true, "%s is not a flag of techo %s", "--purge", t.Command)
	case srv.host.Audience != tools.Persons:
		return false, nil, env.Fail(tools.Unavailable, "This server does not take --purge").
			WithHint(env.Hint("The server must be started with %s", tools.Flag("audience", tools.Persons)))
	case srv.host.Of(r.Context()).Audience != tools.Persons:
		return false, nil, env.Fail(tools.Unavailable, "This token cannot have --purge").
			WithHint(env.Hint("It needs a token that the person made with %s",
				tools.Flag("audience", tools.Persons)))
	case !srv.host.Run.Options.ServePurge || len(r.Header.Values("Authorization")) == 0:
		return false, nil, env.Fail(tools.Unavailable, "This server does not take --purge").
			WithHint(env.Hint("The server's owner lets requests with a token purge: %s",
				tools.Use("config set", "serve-purge", "token")))
	}
	return true, nil, nil
}

// transfer answers POST /transfer/{name}: the imports and exports of a client, and commands that
// are no tools, by tools that no catalogue lists. A token allows them as it allows the other tools of their family.
func (srv *Server) transfer(w http.ResponseWriter, r *http.Request) {
	s, problems := srv.runFor(r)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		srv.fail(w, tools.AsError(s.Env(), err))
		return
	}
	name := r.PathValue("name")
	i := slices.IndexFunc(srv.Transfers, func(t *tools.Tool) bool { return t.Name == name })
	if i < 0 {
		srv.fail(w, s.Env().Fail(tools.NotFound, "There is no route %s", r.URL.Path))
		return
	}
	t := srv.Transfers[i]
	if token := server.TokenOf(r.Context()); token != nil {
		t = server.AllowedTo([]*tools.Tool{t}, token)[0]
	}
	call := s.Call(body)
	call.Problems = append(problems, refuseQuery(s.Env(), r)...)
	result, e := srv.host.Of(r.Context()).Call(r.Context(), s.Env(), t, call)
	srv.answerFor(w, r, result, e)
}

// Content types of answers.
const (
	jsonType = "application/json"
	textType = "text/plain; charset=utf-8"

	metricsType = "text/plain; version=0.0.4; charset=utf-8"
)

// statuses maps error codes to HTTP statuses. All others are 500.
var statuses = map[tools.Code]int{
	tools.InvalidInput:  http.StatusBadRequest,
	tools.NotFound:      http.StatusNotFound,
	tools.Unavailable:   http.StatusForbidden,
	tools.Forbidden:     http.StatusForbidden,
	tools.AlreadyExists: http.StatusConflict,
	tools.Conflict:      http.StatusConflict,
	tools.LimitExceeded: http.StatusUnprocessableEntity,
	tools.Busy:          http.StatusServiceUnavailable,
	tools.Upstream:      http.StatusBadGateway,
	tools.RateLimited:   http.StatusTooManyRequests,
	tools.NoSpace:       http.StatusInsufficientStorage,
	tools.Timeout:       http.StatusGatewayTimeout,
	tools.Cancelled:     499, // nginx uses it for clients that disconnected
}

func (srv *Server) fail(w http.ResponseWriter, e *tools.Error) {
	if e.Code == tools.RateLimited || e.Code == tools.Busy {
		seconds := max(1, int(math.Ceil(e.RetryAfter.Seconds())))
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	n := cmp.Or(statuses[e.Code], http.StatusInternalServerError)
	if w.Header().Get("WWW-Authenticate") != "" { // who asks is not known
		n = http.StatusUnauthorized
	}
	write(w, n, run.Document(srv.host.Bound(e)))
}

func (srv *Server) answer(w http.ResponseWriter, result *tools.Result, e *tools.Error) {
	srv.answerAs(w, jsonType, result, e)
}

func (srv *Server) answerWith(w http.ResponseWriter, env *tools.Env, v any) {
	document, err := jsontree.Marshal(v)
	if err != nil {
		srv.fail(w, tools.AsError(env, err))
		return
	}
	write(w, http.StatusOK, document)
}

// answerFor answers in the form that the request asks for.
func (srv *Server) answerFor(w http.ResponseWriter, r *http.Request, result *tools.Result, e *tools.Error) {
	contentType := jsonType
	if r.Header.Get(remote.OutputHeader) == "text" {
		contentType = textType
	}
	srv.answerAs(w, contentType, result, e)
}

// answerAs answers with the document or the text of a result, or with the error of the
// call, which is always a document.
func (srv *Server) answerAs(w http.ResponseWriter, contentType string, result *tools.Result, e *tools.Error) {
	if e != nil {
		srv.fail(w, e)
		return
	}
	if result.Outcome != "" {
		w.Header().Set(remote.OutcomeHeader, string(result.Outcome))
	}
	if contentType == textType {
		_, _ = io.WriteString(begin(w, http.StatusOK, textType), result.Text+"\n")
		return
	}
	write(w, http.StatusOK, result.JSON)
}

func write(w http.ResponseWriter, status int, document []byte) {
	_, _ = begin(w, status, jsonType).Write(append(document, '\n'))
}

// begin sends the status and the header that all answers have, and returns the writer of
// the content: browsers and proxies neither keep an answer nor take it for another type.
// Callers ignore the errors of the writer: the client has gone.
func begin(w http.ResponseWriter, status int, contentType string) io.Writer {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(remote.ProtocolHeader, remote.Protocol)
	w.WriteHeader(status)
	return w
}
