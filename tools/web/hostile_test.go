package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/tools"
)

// newFetch returns a call with a replaceable client. Only 127.0.0.1 is public.
func newFetch(t *testing.T, env *tools.Env, in FetchIn) *fetch {
	if in.Timeout == 0 {
		in.Timeout = 10
	}
	if in.Format == "" {
		in.Format = "text"
	}
	if in.MaxChars == 0 {
		in.MaxChars = 10000
	}
	f := &fetch{env: env, in: in, parent: t.Context(), client: newClient(env)}
	f.client.public = func(a netip.Addr) bool { return a.Unmap() == netip.MustParseAddr("127.0.0.1") }
	return f
}

func countingListener(t *testing.T) (address string, accepted *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		testenv.Missing(t, "a second loopback address: "+err.Error())
	}
	t.Cleanup(func() { l.Close() })
	accepted = new(atomic.Int32)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), accepted
}

// TestFragment checks that fragments are not sent but select a section, and that
// queries are escaped.
func TestFragment(t *testing.T) {
	var asked []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(
			w, `<h1>Top</h1><p>a<h2><a name="one"></a>One</h2><p>b<div id="zwei"><h2>Two</h2><p>c</div><h2>Three</h2>`)
	})
	at := strings.Replace(address, "http", "HTTP", 1) + "/p q?x=a b&y=日#zwei"
	for section, want := range map[string]string{"": "Top\na\nOne\nb\nTwo\nc\nThree", "#": "Two\nc", "#zwei": "Two\nc",
		"#one": "One\nb", "Two": "Two\nc"} {
		out, e := get(t, newEnv(t, ""), FetchIn{URL: at, Section: section})
		if e != nil || out.Page != want || out.URL != at || out.FinalURL != address+"/p%20q?x=a%20b&y=%E6%97%A5" {
			t.Errorf("%q: %q %q %+v", section, out.Page, out.FinalURL, e)
		}
	}
	for _, line := range asked {
		if line != "/p%20q?x=a%20b&y=%E6%97%A5" {
			t.Errorf("asked for %q", line)
		}
	}
	_, e := get(t, newEnv(t, ""), FetchIn{URL: at, Section: "#three"})
	wantError(t, e, tools.NotFound, `no heading "#three"`)
}

// TestIDN checks that an international host name is looked up in ASCII and shown
// as typed.
func TestIDN(t *testing.T) {
	var host string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { host = r.Host; io.WriteString(w, "here") })
	u, _ := url.Parse(address)
	var looked []string
	f := newFetch(t, newEnv(t, ""), FetchIn{URL: "http://日本語.jp:" + u.Port() + "/"})
	f.client.lookup = func(_ context.Context, name string) ([]netip.Addr, error) {
		looked = append(looked, name)
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	out, err := f.run(t.Context())
	if err != nil || out.Page != "here" || out.FinalURL != "http://日本語.jp:"+u.Port()+"/" {
		t.Fatalf("%+v %v", out, err)
	}
	if host != "xn--wgv71a119e.jp:"+u.Port() || !slices.Equal(looked, []string{"xn--wgv71a119e.jp"}) {
		t.Errorf("host %q, looked up %q", host, looked)
	}
}

// TestRebinding checks each connection of a name that is public at first and
// private later.
func TestRebinding(t *testing.T) {
	var accepted *atomic.Int32
	var port string
	var l net.Listener
	var err error
	for range 10 { // the port may be in use at the other address
		var private string
		private, accepted = countingListener(t)
		_, port, _ = net.SplitHostPort(private)
		if l, err = net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	var sent atomic.Int32
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		http.Redirect(w, r, "http://name.test:"+port+"/again", http.StatusFound)
	}))
	page.Listener = l
	page.Start()
	defer page.Close()
	f := newFetch(t, newEnv(t, ""), FetchIn{URL: "http://name.test:" + port + "/"})
	looked := 0
	f.client.lookup = func(context.Context, string) ([]netip.Addr, error) {
		looked++
		return []netip.Addr{netip.MustParseAddr([]string{"127.0.0.1", "127.0.0.2"}[min(looked, 2)-1])}, nil
	}
	_, e := runFetch(t, f)
	wantError(t, e, tools.Forbidden, "name.test is not on the public internet")
	if sent.Load() != 1 || accepted.Load() != 0 || looked != 2 {
		t.Errorf("%d requests, %d private connections, %d look-ups", sent.Load(), accepted.Load(), looked)
	}
}

// TestNothingElse checks that only the page itself is requested.
func TestNothingElse(t *testing.T) {
	private, accepted := countingListener(t)
	var asked []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		io.WriteString(w, `<html><head><meta http-equiv=refresh content="0;url=http://`+private+
			`/r"><link rel=alternate type=text/markdown href="http://`+private+`/m">
<link rel=stylesheet href=/s.css><script src=/s.js></script></head><body><img src="http://`+private+
			`/i"><iframe src=/f></iframe>text</body></html>`)
	})
	out, e := get(t, newEnv(t, ""), FetchIn{URL: address + "/page", Links: true})
	if e != nil || out.Page != "text" || out.Alternate != "http://"+private+"/m" || out.RefreshTo != "http://"+private+
		"/r" {
		t.Errorf("%+v %+v", out, e)
	}
	if accepted.Load() != 0 || !slices.Equal(asked, []string{"/page"}) {
		t.Errorf("%d private connections, asked for %q", accepted.Load(), asked)
	}
}

// TestRedirectKinds checks that every kind of redirect is followed with GET.
func TestRedirectKinds(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var method string
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if method = r.Method; r.URL.Path != "/end" {
				http.Redirect(w, r, "/end?a=b c", status)
				return
			}
			io.WriteString(w, "end")
		})
		out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
		if e != nil || out.Page != "end" || method != http.MethodGet ||
			!slices.Equal(out.Redirects, []string{address + "/end?a=b%20c"}) {
			t.Errorf("%d: %+v %+v", status, out, e)
		}
	}
}

// TestRetry checks which failures are retried once.
func TestRetry(t *testing.T) {
	for name, c := range map[string]struct {
		first  func(http.ResponseWriter)
		asked  int32
		status string // expected message; "" means success
	}{
		"cut off": {func(w http.ResponseWriter) { cutOff(t, w) }, 2, ""},
		"soon":    {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(503) }, 2, ""},
		"at a date": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, 2, ""},
		"much later": {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "60"); w.WriteHeader(503) }, 1,
			"503"},
		"no word": {func(w http.ResponseWriter) { w.WriteHeader(503) }, 1, "503"},
		"bad gateway": {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(502) }, 1,
			"502"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) == 1 {
					c.first(w)
					return
				}
				io.WriteString(w, "page")
			})
			out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
			if asked.Load() != c.asked || (e == nil) != (c.status == "") || e == nil && out.Page != "page" ||
				e != nil && !strings.Contains(e.Message, c.status) {
				t.Errorf("asked %d times: %q %+v", asked.Load(), out.Page, e)
			}
		})
	}
	var asked atomic.Int32
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(503)
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	if wantError(t, e, tools.Upstream, "503"); asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

func cutOff(t *testing.T, w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	c.Close()
}

// TestPackedTwice checks that a body is decompressed only once.
func TestPackedTwice(t *testing.T) {
	pack := func(body []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write(body)
		z.Close()
		return b.Bytes()
	}
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		w.Write(pack(pack([]byte("<p>text"))))
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	wantError(t, e, tools.Upstream, "application/x-gzip is not text")
}

// TestEndless checks that reading an endless body stops at the limit.
func TestEndless(t *testing.T) {
	hung := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(hung)
		w.Header().Set("Content-Type", "text/plain")
		chunk := bytes.Repeat([]byte("endless "), 8192)
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	out, e := get(t, newEnv(t, ""), FetchIn{URL: address})
	if e != nil || out.Bytes != maxBody || !out.Incomplete {
		t.Errorf("%d bytes, %+v", out.Bytes, e)
	}
	select {
	case <-hung:
	case <-time.After(10 * time.Second):
		t.Error("the connection is still open")
	}
}

// TestSlow checks that the error of a slow body reports the bytes received.
func TestSlow(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "twelve bytes")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address, Timeout: 1})
	wantError(t, e, tools.Timeout, "Request timed out after 1 seconds")
	if !strings.Contains(e.Hint, "12 bytes") || !e.Retryable {
		t.Errorf("%+v", e)
	}
}

// TestHTTP2 fetches over HTTP/2.
func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		io.WriteString(w, r.Proto)
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	f := newFetch(t, newEnv(t, ""), FetchIn{URL: s.URL})
	f.client.roots = x509.NewCertPool()
	f.client.roots.AddCert(s.Certificate())
	if out, err := f.run(t.Context()); err != nil || out.Page != "HTTP/2.0" {
		t.Errorf("%q %v", out.Page, err)
	}
}

// TestTunnel fetches over TLS through a proxy and checks via_proxy.
func TestTunnel(t *testing.T) {
	secret := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "secret")
	}))
	defer secret.Close()
	var tunnels []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		tunnels = append(tunnels, r.Method+" "+r.Host)
		to, err := net.Dial("tcp", secret.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { io.Copy(to, c); to.Close() }()
		io.Copy(c, to)
		c.Close()
	})
	via, _ := url.Parse(proxy)
	env := newEnv(t, "")
	f := newFetch(t, env, FetchIn{URL: "https://example.com/"}) // the name in the certificate
	f.client.public = func(netip.Addr) bool { return false }
	f.client.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, context.DeadlineExceeded }
	f.client.roots = x509.NewCertPool()
	f.client.roots.AddCert(secret.Certificate())
	dead, _ := url.Parse("http://127.0.0.1:1")
	env.Web.Proxy = func(*url.URL) (*url.URL, error) { return dead, nil }
	_, e := runFetch(t, f)
	wantError(t, e, tools.Upstream, "the proxy for example.com refused the connection")
	env.Web.Proxy = func(*url.URL) (*url.URL, error) { return via, nil }
	if out, err := f.run(t.Context()); err != nil || out.Page != "secret" || !out.ViaProxy ||
		!slices.Equal(tunnels, []string{"CONNECT example.com:443"}) {
		t.Errorf("%q %v %q", out.Page, err, tunnels)
	}
}
