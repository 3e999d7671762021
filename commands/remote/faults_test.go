package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/tools"
)

// fault describes a server that cannot be used.
type fault struct {
	address string
	http    *http.Transport

	message, japanese, hint string
	again                   bool
}

// want sends a request to the server of a fault, in both languages.
func (f fault) want(t *testing.T, name string) {
	t.Helper()
	for lang, message := range map[tools.Lang]string{tools.English: f.message, tools.Japanese: f.japanese} {
		env := &tools.Env{Lang: lang, HTTP: &http.Client{Transport: f.http}}
		s, e := New(env, f.address, "secret")
		if e != nil {
			t.Fatal(e)
		}
		a := s.send(t.Context(), env, http.MethodPost, "/tools/list_memo", nil, http.Header{})
		if a.err == nil || a.err.Code != tools.Upstream || !strings.Contains(a.err.Message, message) ||
			a.again != f.again || a.err.Retryable != f.again || a.maybe {
			t.Errorf("%s: %+v, want %q", name, a, message)
		} else if lang == tools.English && !strings.Contains(a.err.Hint, f.hint) {
			t.Errorf("%s: the hint %q, want %q", name, a.err.Hint, f.hint)
		}
	}
}

// TestUnusable: the error of a server that cannot be reached or trusted has the reason and
// what to do. Only a connection that may come back is tried again.
func TestUnusable(t *testing.T) {
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	secure, plain := httptest.NewUnstartedServer(nothing), httptest.NewServer(nothing)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshakes that fail
	secure.StartTLS()
	t.Cleanup(secure.Close)
	t.Cleanup(plain.Close)
	trusting := func(now time.Time) *http.Transport {
		pool := x509.NewCertPool()
		pool.AddCert(secure.Certificate())
		return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Time: func() time.Time { return now }}}
	}
	_, port, _ := net.SplitHostPort(secure.Listener.Addr().String())
	unknown := &http.Transport{DialContext: (&net.Dialer{Resolver: &net.Resolver{PreferGo: true,
		Dial: (&net.Dialer{}).DialContext}}).DialContext}
	for name, f := range map[string]fault{
		"a server that is down": {"http://127.0.0.1:1", &http.Transport{},
			"The server http://127.0.0.1:1 cannot be reached: the connection was refused",
			"に接続できません", "techo serve", true},
		"no such name": {"https://techo.invalid", unknown, "was not found", "見つかりません", "name", true},
		"an unknown authority": {secure.URL, &http.Transport{}, "an authority that this machine does not trust",
			"信頼していない認証局", "SSL_CERT_FILE", false},
		"another name": {"https://localhost:" + port, trusting(time.Now()), "not for the name localhost",
			"localhost 用ではありません", "", false},
		"an expired certificate": {secure.URL, trusting(time.Now().AddDate(200, 0, 0)), "has expired",
			"期限", "", false},
		"no TLS": {"https://" + plain.Listener.Addr().String(), &http.Transport{}, "does not use TLS",
			"TLS を使っていません", "http://127.0.0.1:PORT", false},
	} {
		f.want(t, name)
	}
}

// TestUnknownOutcome: a call that may have been made is repeated only with its key, which
// the hint names if techo chose it.
func TestUnknownOutcome(t *testing.T) {
	for _, test := range []struct {
		tool *tools.Tool
		sent int64
		hint string
	}{{adds, attempts, "--idempotency-key "}, {changes, 1, "Look before"}} {
		var sent atomic.Int64
		key := ""
		_, e := call(t, test.tool, func(_ http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			key = r.Header.Get("Idempotency-Key")
			panic(http.ErrAbortHandler)
		})
		if e == nil || e.Code != tools.Upstream || e.Retryable || !strings.Contains(e.Message, "may have been made") ||
			!strings.Contains(e.Hint, test.hint+key) || sent.Load() != test.sent {
			t.Errorf("%s: sent %d times: %+v", test.tool.Name, sent.Load(), e)
		}
	}
}

// TestBusy: a call that a busy server has not made is sent again.
func TestBusy(t *testing.T) {
	sent := 0
	_, e := call(t, changes, func(w http.ResponseWriter, _ *http.Request) {
		if sent++; sent == 1 {
			answerJSON(w, 503, `{"error":{"code":"busy","message":"m","retryable":true}}`)
			return
		}
		answerJSON(w, 200, `{"message":"done"}`)
	})
	if e != nil || sent != 2 {
		t.Errorf("sent %d times: %v", sent, e)
	}
}

// TestEndedCall: the error of a change that --timeout or the person ends says that it may have
// been made, and how to repeat it. It is retryable only with the caller's own key, because
// the same command then adds nothing twice. A call that only reads can just be repeated.
func TestEndedCall(t *testing.T) {
	for _, test := range []struct {
		tool      *tools.Tool
		key       string
		cause     error
		code      tools.Code
		hint      string
		retryable bool
	}{
		{adds, "", tools.ErrTimeout, tools.Timeout, "--idempotency-key ", false},
		{adds, "mine", tools.ErrTimeout, tools.Timeout, "--idempotency-key ", true},
		{adds, "", context.Canceled, tools.Cancelled, "--idempotency-key ", false},
		{changes, "", tools.ErrTimeout, tools.Timeout, "Look before", false},
		{reads, "", tools.ErrTimeout, tools.Timeout, "--timeout 60s", true},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		key := ""
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			key = r.Header.Get("Idempotency-Key")
			_, _ = io.Copy(io.Discard, r.Body)
			end(test.cause)
			<-r.Context().Done()
		}))
		s, _ := New(env(), web.URL, "secret")
		call := tools.Call{Input: []byte(`{}`), Key: test.key}
		_, e := s.Call(ctx, env(), test.tool, call, http.Header{})
		web.Close()
		if e == nil || e.Code != test.code || e.Retryable != test.retryable ||
			!strings.Contains(e.Hint, test.hint+key) ||
			strings.Contains(e.Message, "may have been made") != (test.tool != reads) {
			t.Errorf("%s, key %q, %v: %+v", test.tool.Name, test.key, test.cause, e)
		}
	}
}

// TestUnsentEnds: a call that ends before there is a connection was not made.
func TestUnsentEnds(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		end(tools.ErrTimeout)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	env := &tools.Env{Lang: tools.English, HTTP: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	s, _ := New(env, "http://127.0.0.1:1", "")
	_, e := s.Call(ctx, env, adds, tools.Call{Input: []byte(`{}`)}, http.Header{})
	if e == nil || e.Code != tools.Timeout || !e.Retryable || strings.Contains(e.Message, "may have been made") {
		t.Errorf("%+v", e)
	}
}

// TestEndedTransfer: an import that may have been made can be repeated without a key, which
// import does not take.
func TestEndedTransfer(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	t.Cleanup(web.Close)
	s, _ := New(env(), web.URL, "secret")
	_, e := s.Transfer(t.Context(), env(), adds, tools.Call{Input: []byte(`{}`)}, http.Header{})
	if e == nil || !strings.Contains(e.Message, "may have been made") || !strings.Contains(e.Hint, "Run it again: ") {
		t.Errorf("%+v", e)
	}
}

// TestProxyFault: after a fault of a proxy only a call that reads, or one with the caller's
// own key, is retryable.
func TestProxyFault(t *testing.T) {
	t.Parallel()
	for _, status := range []int{500, 502, 520, 408} {
		for _, tool := range []*tools.Tool{adds, changes, reads} {
			_, e := call(t, tool, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "<html>")
			})
			if e == nil || e.Code != tools.Upstream || e.Retryable != (tool == reads) ||
				strings.Contains(e.Message, "may have been made") != (tool != reads) ||
				tool == changes && !strings.Contains(e.Hint, "Look before") {
				t.Errorf("%d, %s: %+v", status, tool.Name, e)
			}
		}
	}
}
