package commands

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"techo/tools"
)

// Limits of a request.
const (
	maxBody     = 32 << 20 // bytes; what the store takes of one value, escaped, fits
	maxHeader   = 64 << 10 // bytes
	bodyTime    = time.Minute
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
	maxRequests = 512 // that are read, wait or run; more are told to come back
)

// statuses say which HTTP status a failure has. What is not here is 500.
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
	tools.Cancelled:     499, // as nginx calls a client that went away
}

func status(c tools.Code) int {
	if n, ok := statuses[c]; ok {
		return n
	}
	return http.StatusInternalServerError
}

// httpFace is what answers over HTTP.
type httpFace struct {
	*host
	guard
	log      *slog.Logger // nil: no access log
	requests chan struct{}
	mcp      http.Handler
	bare     bool // MCP alone
}

// handler answers all requests: who may not ask is refused before anything of
// the request is read.
func (f *httpFace) handler() http.Handler {
	f.requests = make(chan struct{}, maxRequests)
	mux := http.NewServeMux()
	mux.Handle("/health", f.methods("GET", f.health))
	mux.Handle("/mcp", f.mcp)
	if f.bare {
		mux.Handle("/{$}", f.mcp)
		mux.HandleFunc("/", f.nowhere)
		return f.logged(f.guarded(mux))
	}
	mux.Handle("/tools", f.methods("GET", f.catalogue))
	mux.Handle("/tools/{name}", f.methods("GET", f.catalogue, "POST", f.callTool))
	mux.Handle("/memories/full", f.methods("GET", f.fullMemories))
	mux.HandleFunc("/", f.nowhere)
	return f.logged(f.guarded(mux))
}

// methods answers a route by method. The arguments are pairs of a method and
// its handler.
func (f *httpFace) methods(pairs ...any) http.Handler {
	handlers := map[string]func(http.ResponseWriter, *http.Request){}
	var names []string
	for i := 0; i < len(pairs); i += 2 {
		name := pairs[i].(string)
		handlers[name] = pairs[i+1].(func(http.ResponseWriter, *http.Request))
		names = append(names, name)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead { // as GET, and the server leaves the body out
			method = http.MethodGet
		}
		if do := handlers[method]; do != nil {
			do(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(names, ", "))
		e := f.speaks(r).Fail(tools.InvalidInput, tools.Say{EN: "%s takes %s, not %s", JA: "%s で使えるのは %s です（%s は不可）"}, r.URL.Path, strings.Join(names, ", "), r.Method)
		write(w, http.StatusMethodNotAllowed, errorDocument(e))
	})
}

// guarded lets through what may ask, with its whole body read.
func (f *httpFace) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		env := f.speaks(r)
		if e := f.check(env, r); e != nil {
			fail(w, e)
			return
		}
		if !f.authorized(r) && r.URL.Path != "/health" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="techo"`)
			fail(w, f.refused(env))
			return
		}
		select {
		case f.requests <- struct{}{}:
			defer func() { <-f.requests }()
		default:
			w.Header().Set("Retry-After", "1")
			e := env.Fail(tools.RateLimited, tools.Say{EN: "Too many requests at once", JA: "同時のリクエストが多すぎます"})
			e.Details = []tools.Detail{{Message: env.Say(tools.Say{EN: "Come back in 1 second", JA: "1秒後に再試行してください"})}}
			fail(w, e)
			return
		}
		if e := f.readBody(env, w, r); e != nil {
			fail(w, e)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads the whole body, within its limits, and puts it back.
func (f *httpFace) readBody(env *tools.Env, w http.ResponseWriter, r *http.Request) *tools.Error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // not every connection has one
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	_ = control.SetReadDeadline(time.Time{})
	if large := new(http.MaxBytesError); errors.As(err, &large) {
		return env.Fail(tools.LimitExceeded, tools.Say{EN: "A request has at most %d bytes", JA: "リクエストは%dバイトまでです"}, large.Limit)
	} else if err != nil {
		return env.Fail(tools.InvalidInput, tools.Say{EN: "The request ended early: %v", JA: "リクエストが途中で終わりました: %v"}, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// speaks is the language of a request, for what is said outside of tools.
func (f *httpFace) speaks(r *http.Request) *tools.Env {
	s, _ := f.asks(r.Header)
	return s.env()
}

// callTool is POST /tools/{name}: the body is the input, the answer the
// document that `techo call` prints.
func (f *httpFace) callTool(w http.ResponseWriter, r *http.Request) {
	s, faults := f.asks(r.Header)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		fail(w, (&tools.Tool{}).Fault(s.env(), err))
		return
	}
	body = bytes.TrimSpace(body)
	t, e := s.toolFor(r.PathValue("name"), body)
	if e != nil {
		fail(w, e)
		return
	}
	call := s.call(body)
	call.Faults = append(faults, strayQuery(s.env(), r)...)
	result, e := f.call(r.Context(), s.env(), t, call)
	if e != nil {
		fail(w, e)
		return
	}
	write(w, http.StatusOK, result.JSON)
}

// strayQuery are the faults of a call that gives its input in the address,
// where nothing would read it.
func strayQuery(env *tools.Env, r *http.Request) (faults []tools.Detail) {
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		faults = append(faults, tools.Detail{
			Path: "/" + name, Message: env.Say(tools.Say{EN: "stands in the address", JA: "URL に指定されています"}),
			Hint: env.Say(tools.Say{EN: "The input of a tool is the body, as JSON", JA: "ツールの入力は本文の JSON で送ってください"}),
		})
	}
	return faults
}

// catalogue is GET /tools and GET /tools/{name}: what `techo tools` prints, in
// the form that ?format= names.
func (f *httpFace) catalogue(w http.ResponseWriter, r *http.Request) {
	s, faults := f.asks(r.Header)
	c := toolsCommand(s)
	b := inputBuilder{env: s.env(), schema: c.Input(), values: map[string][]string{}}
	if name := r.PathValue("name"); name != "" {
		b.add("names", name)
	}
	query := r.URL.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if c.Input().Property(name) == nil {
			faults = append(faults, tools.UnknownField(s.env(), "/"+name, name, c.Input().Names()))
			continue
		}
		for _, value := range query[name] {
			b.add(name, value)
		}
	}
	input := b.json()
	result, e := c.Invoke(r.Context(), s.env(), tools.Call{Input: input, Faults: append(faults, b.faults...)})
	if e != nil {
		fail(w, e)
		return
	}
	write(w, http.StatusOK, result.JSON)
}

// health is GET /health: the server answers. Who watches it needs no token.
func (f *httpFace) health(w http.ResponseWriter, r *http.Request) {
	env := f.speaks(r)
	document := tools.AppendObject(nil, []tools.Field{
		{Name: "ok", Value: []byte("true")},
		{Name: "version", Value: tools.AppendValue(nil, tools.String, version)},
		{Name: "message", Value: tools.AppendValue(nil, tools.String, env.Say(tools.Say{EN: "techo is here", JA: "techo は動いています"}))},
	})
	write(w, http.StatusOK, document)
}

// nowhere answers a path that leads nowhere.
func (f *httpFace) nowhere(w http.ResponseWriter, r *http.Request) {
	env := f.speaks(r)
	fail(w, env.Fail(tools.NotFound, tools.Say{EN: "There is nothing at %s", JA: "%s はありません"}, r.URL.Path).
		WithHint(env.Say(tools.Say{EN: "There are: POST /tools/{name}, GET /tools, /mcp, GET /memories/full, GET /health", JA: "使えるもの: POST /tools/{name}、GET /tools、/mcp、GET /memories/full、GET /health"})))
}

// fail answers with an error.
func fail(w http.ResponseWriter, e *tools.Error) { write(w, status(e.Code), errorDocument(e)) }

// write answers with a document. An error means that nobody listens any more.
func write(w http.ResponseWriter, status int, document []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(document, '\n'))
}

// logged writes a line for each request, with nothing in it of what was said.
func (f *httpFace) logged(next http.Handler) http.Handler {
	if f.log == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		counted := &countingWriter{ResponseWriter: w}
		next.ServeHTTP(counted, r)
		f.log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "request",
			slog.String("from", r.RemoteAddr), slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", counted.status), slog.Int64("bytes", counted.bytes),
			slog.Float64("ms", float64(time.Since(start).Microseconds())/1000))
	})
}

// countingWriter remembers what a request was answered with.
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

// Unwrap is what http.ResponseController asks.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush lets a stream of events through; the connection may not be able to.
func (w *countingWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
