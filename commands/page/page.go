// Package page serves the page for the person beside the agent: its static files, the
// one-time links that open it, its sessions, and a stream of events for changes of the
// store. The page itself calls tools over HTTP like any other client.
//
// The static files are embedded; vendor.json has the versions and hashes of
// libraries, which are copied as published. A later `techo page` asks the server that runs
// already for a link, over a private socket, and ends. Both sides check the other's user.
package page

import (
	"context"
	"net/http"
	"time"

	"techo/commands/run"
)

// Site is the page of one server. Its methods may be called concurrently.
type Site struct {
	run      *run.Run // its settings are the page's defaults
	links    secrets  // that open a session and were not used yet
	sessions secrets
	watch    *run.Watch // of the store
}

// New returns the page of a server that runs with these settings.
func New(r *run.Run) *Site {
	return &Site{
		run:      r,
		watch:    run.NewWatch(r),
		links:    secrets{max: maxLinks, life: LinkLife, now: time.Now},
		sessions: secrets{max: maxSessions, life: sessionLife, now: time.Now, renews: true},
	}
}

// OpenPath is the path of one-time links. A browser requests it on behalf of a file or
// a terminal, so the check of foreign pages does not apply to it.
const OpenPath = "/page/open"

// SecretPath is the path at which the person enters their secret.
const SecretPath = "/page/secret"

// Paths of the page besides its static files.
const (
	sessionPath = "/page/session"
	eventsPath  = "/page/events"
)

// Public returns the handler of the requests that need no session, or nil for other
// requests. The answers contain nothing from the store.
func (s *Site) Public(r *http.Request) http.Handler {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	switch r.URL.Path {
	case "/":
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveFile(w, r, "index.html", 200) })
	case OpenPath:
		return http.HandlerFunc(s.open)
	case "/page/texts":
		return http.HandlerFunc(serveTexts)
	}
	if name, ok := staticName(r.URL.Path); ok {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveFile(w, r, name, 200) })
	}
	return nil
}

// Handle registers the routes that need a session. stop ends the streams of events.
func (s *Site) Handle(mux *http.ServeMux, stop context.Context) {
	mux.HandleFunc("POST "+sessionPath, s.session)
	mux.HandleFunc("GET "+eventsPath, func(w http.ResponseWriter, r *http.Request) { s.events(w, r, stop) })
}
