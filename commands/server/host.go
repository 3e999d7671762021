// Package server runs the tool calls of a server. The packages serve (HTTP) and
// mcp (Model Context Protocol) share it.
package server

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/internal/membudget"
	"techo/tools"
	"techo/tools/files"
)

// Host runs tool calls for the life of a server. It keeps nothing between
// calls, and locks the store only for a transaction, so that commands and other
// servers can use the same store meanwhile.
type Host struct {
	Run      *run.Run
	All      []*tools.Tool     // also the ones that are switched off
	Audience tools.Audience    // for which the server was started, and not beyond the token of the caller
	Listing  catalogue.Listing // unless a request names another
	Work     context.Context   // ends all calls when it ends; nil: each call ends with its own context
	Stop     context.Context   // ends what clients listen to when the server stops; nil: never
	Requests *openRequests
	Metrics  *Metrics     // nil: none
	Log      *slog.Logger // of calls; nil: none
	MaxBytes int          // bytes of an answer, unless the call limits them

	// PageLink returns a link that opens the page once. nil: the client is not the person's own.
	PageLink func(context.Context) (string, error)

	limits  *tokenLimits
	pool    *pool
	waiting chan struct{}     // slots for questions to the person
	room    *membudget.Budget // memory for large documents
	caller  Caller
}

// defaultBytes bounds the result of a call, in bytes, unless --max-bytes is given: a
// model cannot read more at once.
const defaultBytes = 64 << 10

// maxCall is how long a call may run.
const maxCall = 15 * time.Minute

// New returns the host of a server that offers a choice of the tools.
func New(r *run.Run, choice catalogue.Choice) (*Host, *tools.Error) {
	offered, e := catalogue.NarrowServed(r.Env(), r.Offered, choice)
	if e != nil {
		return nil, e
	}
	served := *r
	served.Offered, served.Served = offered, true
	served.System.StderrTerminal = false // concurrent calls cannot share one progress line
	served.System.Terminal = nil         // the person may be on another machine
	served.StdinTaken = true
	served.ClientName = Caller{}.client()
	BoundMemory()
	shareProcessors()
	return &Host{
		Run: &served, All: r.Offered, Audience: choice.Audience,
		Requests: new(openRequests),
		limits:   newTokenLimits(), pool: newPool(), waiting: make(chan struct{}, maxWaiting),
		room:     membudget.New(documentRoom),
		MaxBytes: defaultBytes,
	}, nil
}

// List sets what catalogues and hints show; without it, all tools are listed.
func (h *Host) List(l catalogue.Listing) { h.Listing, h.Run.Profile = l, l.Profile }

// ForRequest returns the run that answers one request: with the settings of the
// server, the settings in the headers of the request, and the user of the token.
func (h *Host) ForRequest(header http.Header) (*run.Run, []tools.Detail) {
	settings := maps.Clone(h.Run.Given.Settings)
	if settings == nil {
		settings = map[string]string{}
	}
	changed := false
	for _, setting := range run.Settings {
		if setting.Header == "" {
			continue
		}
		if v := header.Get(setting.Header); v != "" {
			settings[setting.Name], changed = v, true
		}
	}
	if h.caller.Token != nil {
		settings["user"], changed = h.caller.Token.User, true
	}
	r := *h.Run
	if !changed {
		return &r, nil
	}
	var problems []tools.Detail
	given := h.Run.Given
	given.Settings = settings
	r.Options, problems = run.Parse(h.Run.System, given)
	r.Options.Roots = h.Run.Options.Roots // the open folders: a path may lead elsewhere by now
	return &r, problems
}

// Call runs a call within the limits of its token, counts it, and logs it.
func (h *Host) Call(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	began := time.Now()
	leave, e := h.limits.enter(env, TokenOf(ctx), began)
	var result *tools.Result
	if e == nil {
		result, e = h.run(ctx, env, t, call)
		leave()
	}
	h.record(ctx, env, t, time.Since(began), e)
	return result, e
}

// run runs a call when it gets a slot. A question to the person does not take a slot
// for calls, which the call that answers it needs.
func (h *Host) run(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	if h.Work != nil {
		own, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(h.Work, func() { cancel(context.Cause(h.Work)) })()
		ctx = own
	}
	if call.MaxBytes == 0 {
		call.MaxBytes = h.MaxBytes
	}
	env.Room, env.Abandoned = h.room, h.pool.abandoned(t.Name)
	if h.pool.hangs(t.Name) {
		return nil, hangsError(env, t)
	}
	if t.Effect == tools.Asks {
		return h.ask(ctx, env, t, call)
	}
	leave, err := h.pool.enter(ctx)
	if err != nil {
		return nil, slotError(env, t, err)
	}
	defer leave()
	ctx, stop := context.WithTimeoutCause(ctx, maxCall, tools.ErrTimeout)
	defer stop()
	return t.Invoke(ctx, env, call)
}

func (h *Host) ask(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	select {
	case h.waiting <- struct{}{}:
		defer func() { <-h.waiting }()
		return t.Invoke(ctx, env, call)
	default:
		return nil, t.AsError(env, RetryLater(env, "Too many questions wait at once: at most %d", maxWaiting))
	}
}

// Bound shortens an error to --max-bytes.
func (h *Host) Bound(e *tools.Error) *tools.Error { return e.Shorten(h.Run.Out.MaxBytes) }

// NewRemote returns the host of a server over HTTP. The file tools are switched
// off unless --root names the folders that they may use.
func NewRemote(r *run.Run, choice catalogue.Choice) (*Host, *tools.Error) {
	h, e := New(r, choice)
	if e != nil {
		return nil, e
	}
	h.Run.Remote = true
	h.Metrics = h.newMetrics()
	h.Run.Observe = h.Metrics.transaction
	r.Observe = h.Run.Observe // it may open the store first, to look for tokens
	if len(h.Run.Options.Roots) == 0 {
		h.Run.Offered = catalogue.SwitchOff(h.Run.Offered, func(t *tools.Tool) tools.Advice {
			if slices.ContainsFunc(files.Tools(), func(f *tools.Tool) bool { return f.Name == t.Name }) {
				return run.RootHint()
			}
			return tools.Advice{}
		})
	}
	return h, nil
}
