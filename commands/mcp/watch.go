package mcp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/run"
	"techo/commands/server"
	"techo/tools"
)

// # Changes of resources
//
// Any process may change the store, so the server looks at it while a client waits for changes:
// after it has listed resources or subscribed to one in a session, or while it listens
// (subscriptions/listen) from protocol 2026-07-28 on. The library announces a change to all
// sessions. announce lets only those pass for whose user something differs, so that no client
// learns when another user writes.

const (
	lookEvery = 500 * time.Millisecond // between two looks at the store

	// Bounds of what is watched. Of each kind the first resources of the list are compared, and
	// the number of all.
	maxWatchers = 256
	maxWatched  = 100 // resources of a client
	maxCompared = 1000
)

// Methods of notifications.
const (
	listChanged     = "notifications/resources/list_changed"
	resourceUpdated = "notifications/resources/updated"

	subscriptionAcknowledged = "notifications/subscriptions/acknowledged"
)

// watcher has the clients that wait for changes.
type watcher struct {
	host   *server.Host
	server *mcp.Server
	list   func() // announces that the list has changed

	sessions bool // a session lasts longer than a request

	mu      sync.Mutex
	clients map[mcp.Session]*watched
	running bool
}

// watched is what a client was told last, by URI; "" is the list.
type watched struct {
	records
	told map[string]string
	due  map[string]bool
}

// watch begins to watch resources for a session; "" is the list. It is an error if there are too many.
func (w *watcher) watch(ctx context.Context, session mcp.Session, l records, uris ...string) error {
	l = l.quiet()
	now := map[string]string{}
	for _, uri := range uris {
		now[uri] = l.state(ctx, uri)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.clients[session]
	if c == nil {
		c = &watched{records: l, told: map[string]string{}, due: map[string]bool{}}
	}
	for uri, state := range now {
		if _, known := c.told[uri]; !known {
			c.told[uri] = state
		}
	}
	if len(c.told) > maxWatched+1 || w.clients[session] == nil && len(w.clients) == maxWatchers {
		for uri := range now {
			delete(c.told, uri)
		}
		message := l.run.Env().Localize("Too many subscriptions: at most %d", maxWatched)
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
	}
	if w.clients == nil {
		w.clients = map[mcp.Session]*watched{}
	}
	w.clients[session] = c
	if !w.running {
		w.running = true
		go w.look()
	}
	return nil
}

// unwatch ends the watching of some resources, or of a whole session.
func (w *watcher) unwatch(session mcp.Session, uris ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.clients[session]; c != nil {
		for _, uri := range uris {
			delete(c.told, uri)
		}
		if len(uris) == 0 || len(c.told) == 0 {
			delete(w.clients, session)
		}
	}
}

// look announces changes while there is a client that waits for them.
func (w *watcher) look() {
	ctx := w.host.Stop
	if ctx == nil {
		ctx = context.Background()
	}
	// The path is resolved once: a store that appears later at the same path is noticed.
	path, err := w.host.Run.StorePath()
	store, seen := run.NewWatch(w.host.Run), any(nil)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		w.mu.Lock()
		if len(w.clients) == 0 || err != nil || ctx.Err() != nil {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		if now := store.Mark(ctx, path); now != seen {
			seen = now
			w.compare(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// compare announces what has changed for each client.
func (w *watcher) compare(ctx context.Context) {
	type wanted struct {
		c   *watched
		uri string
	}
	var all []wanted
	w.mu.Lock()
	for _, c := range w.clients {
		for uri := range c.told {
			all = append(all, wanted{c, uri})
		}
	}
	w.mu.Unlock()
	changed := map[string]bool{}
	for _, one := range all {
		state := one.c.state(ctx, one.uri)
		if state == "" {
			continue // the store cannot be read now
		}
		w.mu.Lock()
		if told, ok := one.c.told[one.uri]; ok && told != state {
			one.c.told[one.uri], one.c.due[one.uri], changed[one.uri] = state, true, true
		}
		w.mu.Unlock()
	}
	for uri := range changed {
		if uri == "" {
			w.list()
			continue
		}
		_ = w.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}) // the client has gone
	}
}

// state returns a text that differs when a resource or, for "", the list differs; "" if it cannot be read.
func (l records) state(ctx context.Context, uri string) string {
	h := sha256.New()
	if uri != "" {
		document, err := l.read(ctx, uri)
		if e, ok := err.(*jsonrpc.Error); ok && e.Code != jsonrpc.CodeInvalidParams {
			return ""
		}
		h.Write(document)
		return string(h.Sum(nil))
	}
	for _, k := range resourceKinds() {
		rows, total, e := l.rows(ctx, k, 0, maxCompared)
		if e != nil && e.Code != tools.Unavailable {
			return ""
		}
		fmt.Fprintf(h, "%s %d\n", k.name, total)
		for _, r := range rows {
			d := k.resource(r)
			fmt.Fprintf(h, "%q %q %q\n", d.URI, d.Name, d.Description)
		}
	}
	return string(h.Sum(nil))
}

// announce drops notifications about what has not changed for the user of a session.
func (w *watcher) announce(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		uri := ""
		switch method {
		case listChanged:
		case resourceUpdated:
			uri = r.GetParams().(*mcp.ResourceUpdatedNotificationParams).URI
		default:
			return next(ctx, method, r)
		}
		w.mu.Lock()
		c := w.clients[r.GetSession()]
		due := c != nil && c.due[uri]
		if due {
			delete(c.due, uri)
		}
		w.mu.Unlock()
		if !due {
			return nil, nil
		}
		return next(ctx, method, r)
	}
}

// listen answers subscriptions/listen, which lasts until the client or the server ends it.
func (w *watcher) listen(ctx context.Context, r *mcp.SubscriptionsListenRequest, l records, next mcp.MethodHandler,
	method string) (mcp.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if w.host.Stop != nil {
		defer context.AfterFunc(w.host.Stop, stop)()
	}
	if want := r.Params.Notifications; want != nil {
		var uris []string
		var failed error
		for _, uri := range want.ResourceSubscriptions { // the acknowledgement names those that are left
			if _, err := l.read(ctx, uri); err != nil {
				failed = err
				continue
			}
			uris = append(uris, uri)
		}
		// The end of one stream ends the lists of another one of the session in the library, so a
		// stream that is good for nothing does not begin.
		if len(uris) == 0 && failed != nil && !want.ResourcesListChanged && !want.ToolsListChanged {
			return nil, failed
		}
		want.ResourceSubscriptions = uris
		if want.ResourcesListChanged {
			uris = append(uris, "")
		}
		if len(uris) > 0 {
			if err := w.watch(ctx, r.Session, l, uris...); err != nil {
				return nil, err
			}
			defer w.unwatch(r.Session, uris...)
		}
	}
	return next(ctx, method, r)
}

// subscribe answers resources/subscribe and resources/unsubscribe of protocols before 2026-07-28.
func (w *watcher) subscribe(ctx context.Context, r mcp.Request, l records, next mcp.MethodHandler, method string) (
	mcp.Result, error) {
	switch p := r.GetParams().(type) {
	case *mcp.SubscribeParams:
		if _, err := l.read(ctx, p.URI); err != nil {
			return nil, err
		}
		if err := w.watchSession(ctx, r.GetSession(), l, p.URI); err != nil {
			return nil, err
		}
	case *mcp.UnsubscribeParams:
		w.unwatch(r.GetSession(), p.URI)
	}
	return next(ctx, method, r)
}

// watchSession watches until the session ends. Over HTTP there are no sessions to announce to.
func (w *watcher) watchSession(ctx context.Context, session mcp.Session, l records, uri string) error {
	own, ok := session.(*mcp.ServerSession)
	if !ok || !w.sessions {
		return nil
	}
	w.mu.Lock()
	_, known := w.clients[session]
	w.mu.Unlock()
	err := w.watch(ctx, session, l, uri)
	if err == nil && !known {
		go func() {
			_ = own.Wait() // however it ends
			w.unwatch(session)
		}()
	}
	return err
}
