package commands

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	mcpface "techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/tools"
	"testing"
	"time"
)

// bounded is a server whose limits a test can reach.
func bounded(t *testing.T) (*serve.Server, *served) {
	t.Helper()
	s := newWorld(t).session()
	t.Cleanup(s.Close)
	h, e := server.New(s, offer.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	f := serve.New(h, serve.Options{MCP: mcpface.Handler(mcpface.NewServer(h, nil))})
	f.Access = serve.Access{Open: true}
	server := httptest.NewServer(f.Handler())
	t.Cleanup(server.CloseClientConnections)
	return f, &served{t: t, base: server.URL, client: server.Client()}
}

// half sends a request with a part of its body, and leaves it open.
func half(t *testing.T, s *served, head, body string) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n%s", head, body); err != nil {
		t.Fatal(err)
	}
	return c
}

// answerTo reads the status of an answer.
func answerTo(t *testing.T, c net.Conn) string {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 12)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	return string(b[9:])
}

// TestHealthAlways answers /health when there is room for nothing else, and
// does not wait for a body.
func TestHealthAlways(t *testing.T) {
	f, s := bounded(t)
	for range serve.MaxRequests {
		f.Intake.Slots <- struct{}{}
	}
	f.Bodies.Take(serve.MaxBodies)
	s.want(200, `"ok":true`, "GET", "/health", "")
	if got := answerTo(t, half(t, s, "GET /health", "Content-Length: 20000000\r\n\r\nx")); got != "200" {
		t.Error(got)
	}
	if got := answerTo(t, half(t, s, "POST /health", "Content-Length: 1000\r\n\r\nx")); got != "405" {
		t.Error(got)
	}
}

// TestRefusedUnread refuses who may not ask before a body is read.
func TestRefusedUnread(t *testing.T) {
	f, s := bounded(t)
	f.Access = serve.Access{Secret: "secret"}
	if got := answerTo(t, half(t, s, "POST /tools/list_memo", "Content-Length: 20000000\r\n\r\nx")); got != "403" {
		t.Error(got)
	}
	f.Bodies.Take(serve.MaxBodies)
	if got := answerTo(t, half(t, s, "POST /tools/list_memo",
		"Content-Length: 20000000\r\nSec-Fetch-Site: cross-site\r\n\r\nx")); got != "403" {
		t.Error(got)
	}
}

// TestBodiesTogether refuses bodies for which there is no room, and no others.
func TestBodiesTogether(t *testing.T) {
	f, s := bounded(t)
	large := `{"name":"n","priority":1,"content":"` + strings.Repeat("x", 2<<20) + `"}`
	f.Bodies.Take(serve.MaxBodies - 1<<20)
	s.want(429, `all bodies together have at most 67108864 bytes`, "POST", "/tools/add_memo", large)
	s.want(429, `"message":"Come back in 1 second"`, "POST", "/mcp", large)
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "{}")
	f.Bodies.Return(serve.MaxBodies - 1<<20)
	s.want(200, `"created_at"`, "POST", "/tools/add_memo", large)
	if !f.Bodies.Take(serve.MaxBodies) || !f.Parsed.Take(serve.ParseRoom) {
		t.Error("the room was not returned")
	}
}

// TestSlowBodies answers others while hundreds of bodies do not come.
func TestSlowBodies(t *testing.T) {
	_, s := bounded(t)
	for range 600 {
		half(t, s, "POST /tools/list_memo", "Content-Length: 100\r\n\r\n{")
	}
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "{}")
	s.want(200, `"ok":true`, "GET", "/health", "")
}

// TestBodyChunked reads bodies whose length is not said.
func TestBodyChunked(t *testing.T) {
	_, s := bounded(t)
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 300 << 10} {
		body := `{"limit":3}` + strings.Repeat(" ", size)
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.base+"/tools/list_memo",
			io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.client.Do(r)
		if err != nil || got.StatusCode != 200 {
			t.Errorf("%d bytes: %v %v", size, got, err)
			continue
		}
		_ = got.Body.Close()
	}
}

// TestWaitingQuestions leaves the turns to other calls while questions wait,
// and refuses questions beyond a number.
func TestWaitingQuestions(t *testing.T) {
	f, s := bounded(t)
	ctx, leave := context.WithCancel(t.Context())
	for i := range server.MaxCalls {
		go func() {
			r, err := http.NewRequestWithContext(ctx, "POST", s.base+"/tools/ask_user",
				strings.NewReader(fmt.Sprintf(`{"question":"%d?","wait":"1h"}`, i)))
			if err == nil {
				_, _ = s.client.Transport.RoundTrip(r)
			}
		}()
	}
	eventually(t, func() bool { return len(f.Waiting) == server.MaxCalls })
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "{}")
	leave()
	eventually(t, func() bool { return len(f.Waiting) == 0 })
	for range server.MaxWaiting {
		f.Waiting <- struct{}{}
	}
	s.want(429, `Too many questions`, "POST", "/tools/ask_user", `{"question":"one more?"}`)
}

// TestGoneClients ends the calls of clients of MCP that have gone, in an old
// protocol too.
func TestGoneClients(t *testing.T) {
	f, s := bounded(t)
	ctx, leave := context.WithCancel(t.Context())
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_user","arguments":{"question":"Still there?","wait":"1h"}}}`
	r, err := http.NewRequestWithContext(ctx, "POST", s.base+"/mcp", strings.NewReader(call))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2025-06-18")
	r.Header.Set(server.RequestNumber, "12345")
	go func() {
		if got, err := s.client.Transport.RoundTrip(r); err == nil {
			b, _ := io.ReadAll(got.Body)
			t.Log(got.Status, string(b))
		}
	}()
	eventually(t, func() bool { return len(f.Waiting) == 1 })
	leave()
	eventually(t, func() bool { return len(f.Waiting) == 0 })
}
