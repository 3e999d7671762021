package commands

import (
	"context"
	"maps"
	"net/http"
	"runtime/debug"

	"techo/tools"
)

// host answers calls for as long as it lives, over HTTP and MCP. It holds
// nothing between them: the store is locked for a transaction only, so that
// commands and other servers work beside it.
type host struct {
	*session
	all   []*tools.Tool   // also those that are switched off
	slots chan struct{}   // a call takes one while it runs
	work  context.Context // ends all calls when it ends; nil leaves that to their own
}

// maxCalls is how many calls run at once; others wait for their turn.
const maxCalls = 64

// enoughMemory is how many bytes a server takes before it collects more often
// than a command: with less on hand, half of what a call costs is collecting.
const enoughMemory = 1 << 30

// newHost makes the host of a server.
func newHost(s *session, in narrowIn) (*host, *tools.Error) {
	offered, e := narrow(s.env(), s.offered, in)
	if e != nil {
		return nil, e
	}
	served := *s
	served.offered = offered
	served.StderrTerminal = false // several calls at once have no line for their progress
	served.World.Terminal = nil   // whoever calls is elsewhere, and so is the person
	served.stdinTaken = true
	debug.SetMemoryLimit(enoughMemory)
	return &host{session: &served, all: s.offered, slots: make(chan struct{}, maxCalls)}, nil
}

// callerHeaders say who asks, and how; each is what a global flag is.
var callerHeaders = map[string]string{
	"user":            "Techo-User",
	"lang":            "Techo-Lang",
	"tz":              "Techo-Tz",
	"idempotency-key": "Idempotency-Key",
}

// asks is the session of one request: this server's settings, except for what
// the request's headers say.
func (h *host) asks(header http.Header) (*session, []tools.Detail) {
	said := maps.Clone(h.line.settings)
	if said == nil {
		said = map[string]string{}
	}
	own := true
	for setting, name := range callerHeaders {
		if v := header.Get(name); v != "" {
			said[setting], own = v, false
		}
	}
	s := *h.session
	if own {
		return &s, nil
	}
	var faults []tools.Detail
	s.chosen, faults = h.choose(said, h.line.roots)
	s.roots = h.roots // those that are open; who exchanges one later is not followed
	return &s, faults
}

// call calls a tool when it is its turn.
func (h *host) call(ctx context.Context, env *tools.Env, t *tools.Tool, call tools.Call) (*tools.Result, *tools.Error) {
	if h.work != nil {
		own, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(h.work, func() { cancel(context.Cause(h.work)) })()
		ctx = own
	}
	select {
	case h.slots <- struct{}{}:
		defer func() { <-h.slots }()
	case <-ctx.Done():
		return nil, t.Fault(env, context.Cause(ctx))
	}
	return t.Invoke(ctx, env, call)
}
