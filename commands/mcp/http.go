package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/server"
)

const (
	// sessionHeader is the header with the id of a session.
	sessionHeader = "Mcp-Session-Id"

	// maxSessions is the number of sessions of a server. Further clients get no session, and so no dialogs.
	maxSessions = 256

	// sessionIdle is how long a session lasts without a request.
	sessionIdle = time.Hour
)

// handler serves the protocol over HTTP. Each request is complete in itself. Only a client before protocol
// 2026-07-28 that shows dialogs gets a session: the server asks it within the answer to a call, and the client
// sends the person's answer in a request of its own. The host's settings confine the file tools.
type handler struct {
	host     *server.Host
	protocol *mcp.Server
	plain    http.Handler

	mu     sync.Mutex
	byUser map[string]http.Handler // the sessions of each identity, which no other one can use
}

// Handler returns the handler of a host.
func Handler(h *server.Host) http.Handler {
	served := &handler{host: h, protocol: newServer(h, nil, false), byUser: map[string]http.Handler{}}
	served.plain = served.serving(mcp.StreamableHTTPOptions{Stateless: true})
	return exactIDs(served)
}

func (h *handler) serving(o mcp.StreamableHTTPOptions) http.Handler {
	o.DisableLocalhostProtection = true // package serve checks hosts and origins
	o.MaxRequestBodyBytes = server.MaxBody
	o.PropagateRequestCancellation = true
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return h.protocol }, &o)
}

// ServeHTTP answers a request. There are no streams besides those of calls, so that a GET is refused.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch inSession := r.Header.Get(sessionHeader) != ""; {
	case inSession && (r.Method == http.MethodPost || r.Method == http.MethodDelete),
		r.Method == http.MethodPost && wantsSession(r) && h.hasRoom():
		h.sessions(h.host.Of(r.Context()).Identity("")).ServeHTTP(w, r)
	default:
		h.plain.ServeHTTP(w, r)
	}
}

// sessions returns the handler of the sessions of an identity.
func (h *handler) sessions(identity string) http.Handler {
	h.mu.Lock()
	defer h.mu.Unlock()
	own := h.byUser[identity]
	if own == nil {
		own = h.serving(mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle})
		h.byUser[identity] = own
	}
	return own
}

func (h *handler) hasRoom() bool {
	n := 0
	for range h.protocol.Sessions() {
		n++
	}
	return n < maxSessions
}

// wantsSession reports whether a request begins a session with a client that shows dialogs.
func wantsSession(r *http.Request) bool {
	body, err := io.ReadAll(r.Body) // exactIDs has it in memory
	r.Body = io.NopCloser(bytes.NewReader(body))
	var message struct {
		Method string
		Params struct {
			Capabilities struct{ Elicitation *struct{} }
		}
	}
	return err == nil && json.Unmarshal(body, &message) == nil && message.Method == "initialize" &&
		message.Params.Capabilities.Elicitation != nil
}
