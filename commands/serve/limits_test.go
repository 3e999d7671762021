package serve

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/ledger"
	"techo/store/token"
	"techo/tools"
)

// sendPart sends the beginning of a request and leaves the connection open.
func sendPart(t *testing.T, c *testenv.Client, request, rest string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(c.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\n%s", request, rest); err != nil {
		t.Fatal(err)
	}
	return conn
}

// wantStatus reads an answer and checks its status.
func wantStatus(t *testing.T, want string, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(conn, b); err != nil {
		t.Fatal(err)
	}
	if got := string(b[len("HTTP/1.1 "):]); got != want {
		t.Errorf("status %s, want %s", got, want)
	}
}

// TestChunkedCloses checks that the connection ends after a request with Transfer-Encoding: a Content-Length beside it
// may have meant another end to a proxy.
func TestChunkedCloses(t *testing.T) {
	_, c := setup{}.start(t)
	conn := sendPart(t, c, "POST /tools/list_memo", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"+
		"Content-Type: application/json\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	answers, err := io.ReadAll(conn)
	if err != nil || strings.Count(string(answers), "HTTP/1.1 ") != 1 || !strings.Contains(string(answers), `"memos":[]`) {
		t.Errorf("%v\n%s", err, answers)
	}
}

// TestHealthAlways checks that GET /health answers while all limits are reached,
// and that it does not wait for a body.
func TestHealthAlways(t *testing.T) {
	srv, c := setup{}.start(t)
	for range maxRequests {
		srv.intake.slots <- struct{}{}
	}
	srv.intake.bodies.Take(maxBodies)
	srv.intake.parsed.Take(maxParsed)
	c.Want(200, `"ok":true`, "GET", "/health", "")
	wantStatus(t, "200", sendPart(t, c, "GET /health", "Content-Length: 20000000\r\n\r\nx"))
	wantStatus(t, "405", sendPart(t, c, "POST /health", "Content-Length: 1000\r\n\r\nx"))
}

// TestCrowded refuses requests while all slots are taken.
func TestCrowded(t *testing.T) {
	srv, c := setup{}.start(t)
	for range maxRequests {
		srv.intake.slots <- struct{}{}
	}
	c.Want(429, `"retryable":true,"details":[{"path":"","message":"Try again in 1 second"}]`, "POST",
		"/tools/list_memo", "")
	<-srv.intake.slots
	c.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
}

// TestRefusedUnread refuses a request without a token, or from a web page, before
// its body arrives.
func TestRefusedUnread(t *testing.T) {
	srv, c := setup{}.start(t)
	srv.access = access{secret: "secret"}
	wantStatus(t, "401", sendPart(t, c, "POST /tools/list_memo", "Content-Length: 20000000\r\n\r\nx"))
	srv.intake.bodies.Take(maxBodies)
	wantStatus(t, "403", sendPart(t, c, "POST /tools/list_memo",
		"Content-Length: 20000000\r\nSec-Fetch-Site: cross-site\r\n\r\nx"))
}

// TestRemovedToken writes nothing for a token that is removed while the body arrives, and challenges whom it
// does not know.
func TestRemovedToken(t *testing.T) {
	srv, c := setup{}.start(t)
	var known atomic.Bool
	known.Store(true)
	srv.access = access{secret: "secret", find: func(context.Context, string) (token.Token, error) {
		if !known.Load() {
			return token.Token{}, &ledger.NotFoundError{}
		}
		return token.Token{ID: "t1", User: "mori"}, nil
	}}
	secret, body := NewToken(), `{"name":"late","content":"x","priority":3}`
	rest, w := io.Pipe()
	r, err := http.NewRequest("POST", c.Base+"/tools/add_memo", rest)
	if err != nil {
		t.Fatal(err)
	}
	r.ContentLength = int64(len(body))
	r.Header.Set("Authorization", "Bearer "+secret)
	go func() {
		_, _ = io.WriteString(w, body[:10])
		time.Sleep(50 * time.Millisecond)
		known.Store(false)
		_, _ = io.WriteString(w, body[10:])
		_ = w.Close()
	}()
	answer, err := c.HTTP.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if shown := answer.Header.Get("WWW-Authenticate"); answer.StatusCode != 401 ||
		shown != `Bearer realm="techo", error="invalid_token"` {
		t.Errorf("status %d, %q", answer.StatusCode, shown)
	}
	c.Want(200, `"total":0`, "POST", "/tools/list_memo", "\ufeff{}", "Authorization: Bearer secret")
	c.Want(401, `"code":"unavailable"`, "POST", "/mcp", "{}")
	for body, code := range map[string]string{
		"{": `"code":-32700`, `{"jsonrpc":"2.0","id":7,"method":"nothing"}`: `"code":-32601,"message":`,
	} {
		c.Want(400, code, "POST", "/mcp", body, "Authorization: Bearer secret", "Content-Type: application/json",
			"Accept: application/json, text/event-stream")
	}
}

// TestBodiesTogether refuses bodies for which there is no memory, and accepts
// small ones meanwhile.
func TestBodiesTogether(t *testing.T) {
	srv, c := setup{}.start(t)
	large := `{"name":"n","priority":1,"content":"` + strings.Repeat("x", 2<<20) + `"}`
	srv.intake.bodies.Take(maxBodies - 1<<20)
	c.Want(429, `all bodies together have at most 67108864 bytes`, "POST", "/tools/add_memo", large)
	c.Want(429, `"message":"Try again in 1 second"`, "POST", "/mcp", large)
	c.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}")
	srv.intake.bodies.Return(maxBodies - 1<<20)
	c.Want(200, `"created_at"`, "POST", "/tools/add_memo", large)
	if !srv.intake.bodies.Take(maxBodies) || !srv.intake.parsed.Take(maxParsed) {
		t.Error("the memory was not returned")
	}
}

// TestSlowBodies answers a request while the bodies of hundreds of others do not
// arrive.
func TestSlowBodies(t *testing.T) {
	_, c := setup{}.start(t)
	for range 600 {
		sendPart(t, c, "POST /tools/list_memo", "Content-Length: 100\r\n\r\n{")
	}
	c.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}")
	c.Want(200, `"ok":true`, "GET", "/health", "")
}

// TestShortBody reports a body that ends before its length, in both languages.
func TestShortBody(t *testing.T) {
	_, c := setup{}.start(t)
	for lang, want := range map[string]string{
		"en": "The body ended early", "ja": "本文が途中で終わりました",
	} {
		conn := sendPart(t, c, "POST /tools/list_memo", "Techo-Lang: "+lang+"\r\nContent-Length: 100\r\n\r\n{")
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(conn); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %q, %v", lang, b, err)
		}
	}
}

// TestBodyChunked reads bodies without a Content-Length.
func TestBodyChunked(t *testing.T) {
	_, c := setup{}.start(t)
	for _, size := range []int{0, 1, 64 << 10, 64<<10 + 1, 300 << 10} {
		body := `{"limit":3}` + strings.Repeat(" ", size)
		r, err := http.NewRequestWithContext(t.Context(), "POST", c.Base+"/tools/list_memo",
			io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.HTTP.Do(r)
		if err != nil || got.StatusCode != 200 {
			t.Errorf("%d bytes: %v %v", size, got, err)
			continue
		}
		_ = got.Body.Close()
	}
}

// TestDisconnect cancels the call of a client that disconnects, over MCP also in
// an old version of the protocol.
func TestDisconnect(t *testing.T) {
	var running atomic.Int64
	wait := tools.Define(tools.Tool{Name: "wait", Command: "wait", For: tools.Agents},
		func(ctx context.Context, _ *tools.Env, _ struct{}) (struct{}, error) {
			running.Add(1)
			defer running.Add(-1)
			<-ctx.Done()
			return struct{}{}, context.Cause(ctx)
		})
	_, c := setup{tools: []*tools.Tool{wait}}.start(t)
	for path, body := range map[string]string{
		"/tools/wait": `{}`,
		"/mcp":        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{}}}`,
	} {
		ctx, disconnect := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "POST", c.Base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("MCP-Protocol-Version", "2025-06-18")
		r.Header.Set("Techo-Request-Number", "12345") // the server overwrites it
		go func() {
			if got, err := c.HTTP.Transport.RoundTrip(r); err == nil {
				b, _ := io.ReadAll(got.Body)
				t.Log(got.Status, string(b))
			}
		}()
		testenv.Eventually(t, func() bool { return running.Load() == 1 })
		disconnect()
		testenv.Eventually(t, func() bool { return running.Load() == 0 })
	}
}
