package mcp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/commands/server"
	"techo/internal/mcptest"
	"techo/store/token"
)

// serveAs serves a host over HTTP to callers whom a header names.
func serveAs(t *testing.T, h *server.Host) *httptest.Server {
	served := Handler(h)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := server.Caller{}
		if id := r.Header.Get("Authorization"); id != "" {
			caller.Token = &token.Token{ID: id, User: "u"}
		}
		served.ServeHTTP(w, r.WithContext(h.WithCaller(r.Context(), caller)))
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAskHTTP asks through a client over HTTP, in both generations of the protocol, and checks that a session
// is only for the caller that began it.
func TestAskHTTP(t *testing.T) {
	for _, version := range append([]string{"2025-11-25"}, versions...) {
		s := serveAs(t, newHost(t))
		c := mcptest.Connect(t, mcptest.NewClient(eliciting(
			func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{answerField: "blue"}}, nil
			})), &mcp.StreamableClientTransport{Endpoint: s.URL, DisableStandaloneSSE: true}, version)
		text, isError := mcptest.Call(t, c, askName, whichColour)
		if isError || !strings.Contains(text, `"status":"answered","answer":"blue","index":2`) {
			t.Errorf("%s: %s", version, text)
		}
		if version == inputRequestVersion {
			continue
		}
		const call = `{"jsonrpc":"2.0","id":7,"method":"%s","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"x","version":"1"}}}`
		for caller, want := range map[string]int{"": http.StatusOK, "other": http.StatusNotFound} {
			if status, body := post(t, s.URL, caller, c.ID(), strings.ReplaceAll(call, "%s", "tools/list")); status != want {
				t.Errorf("%s: caller %q: %d %s", version, caller, status, body)
			}
		}
		if _, body := post(t, s.URL, "", c.ID(), strings.ReplaceAll(call, "%s", "initialize")); !strings.Contains(body, "-32600") {
			t.Errorf("%s: a second initialize: %s", version, body)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: %v", version, err)
		}
		if status, _ := post(t, s.URL, "", c.ID(), strings.ReplaceAll(call, "%s", "tools/list")); status != http.StatusNotFound {
			t.Errorf("%s: an ended session: %d", version, status)
		}
	}
}

// post sends a message to a server, and returns the status and the body.
func post(t *testing.T, url, caller, session, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": caller, sessionHeader: session,
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answered, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answered.Body.Close()
	var b strings.Builder
	if err := answered.Write(&b); err != nil {
		t.Fatal(err)
	}
	return answered.StatusCode, b.String()
}
