package testenv

import (
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"
	"time"
)

// Client sends requests to an HTTP server under test.
type Client struct {
	T    testing.TB
	Base string // http://HOST:PORT
	HTTP *http.Client
}

// Ask sends a request with headers given as "Name: value".
func (c *Client) Ask(method, path, body string, headers ...string) (status int, answer string) {
	c.T.Helper()
	r, err := http.NewRequestWithContext(c.T.Context(), method, c.Base+path, strings.NewReader(body))
	if err != nil {
		c.T.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Add(name, value)
		}
	}
	got, err := c.HTTP.Do(r)
	if err != nil {
		c.T.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return got.StatusCode, string(b)
}

// Want sends a request and checks the status and a part of the answer.
func (c *Client) Want(status int, part, method, path, body string, headers ...string) string {
	c.T.Helper()
	got, answer := c.Ask(method, path, body, headers...)
	if got != status || !strings.Contains(answer, part) {
		c.T.Errorf("%s %s %.200s %q: %d %s\nwant %d with %s", method, path, body, headers, got, answer, status, part)
	}
	return answer
}

// Eventually waits until a condition holds. It fails the test after half a minute, which a busy
// machine may need.
func Eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for range 3000 {
		if holds() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the condition does not hold after half a minute")
}

// Forward returns a handler that passes requests on through a proxy. By default, net/http closes
// the body of a request once its answer begins. If the proxy still reads it then, it breaks the
// answer off.
func Forward(proxy *httputil.ReverseProxy) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 is so anyway
		proxy.ServeHTTP(w, r)
	})
}
