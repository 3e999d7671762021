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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store"
	"techo/tools"
)

// fetching is a call whose client a test may change. Only 127.0.0.1 is public.
func fetching(t *testing.T, env *tools.Env, in FetchIn) *fetch {
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

// counting is a listener that nobody may connect to.
func counting(t *testing.T) (address string, accepted *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skipf("no second loopback address: %v", err)
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

// TestFragment sends no fragment, and finds the section that it leads to; what
// may not stand in the line of a request is escaped.
func TestFragment(t *testing.T) {
	var asked []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.RequestURI)
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<h1>Top</h1><p>a<h2><a name="one"></a>One</h2><p>b<div id="zwei"><h2>Two</h2><p>c</div><h2>Three</h2>`)
	})
	at := strings.Replace(address, "http", "HTTP", 1) + "/p q?x=a b&y=日#zwei"
	for section, want := range map[string]string{"": "Top\na\nOne\nb\nTwo\nc\nThree", "#": "Two\nc", "#zwei": "Two\nc", "#one": "One\nb", "Two": "Two\nc"} {
		out, e := ask(t, here(t, ""), FetchIn{URL: at, Section: section})
		if e != nil || out.Page != want || out.URL != at || out.FinalURL != address+"/p%20q?x=a%20b&y=%E6%97%A5" {
			t.Errorf("%q: %q %q %+v", section, out.Page, out.FinalURL, e)
		}
	}
	for _, line := range asked {
		if line != "/p%20q?x=a%20b&y=%E6%97%A5" {
			t.Errorf("asked for %q", line)
		}
	}
	_, e := ask(t, here(t, ""), FetchIn{URL: at, Section: "#three"})
	wantError(t, e, tools.NotFound, `no heading "#three"`)
	_, e = ask(t, here(t, ""), FetchIn{URL: "example.com/x"})
	if wantError(t, e, tools.InvalidInput, "not a URL"); e.Hint != "Did you mean 'https://example.com/x'?" {
		t.Error(e.Hint)
	}
}

// TestIDN asks for a name in the letters that name servers know, and shows it
// as it was typed.
func TestIDN(t *testing.T) {
	var host string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) { host = r.Host; io.WriteString(w, "here") })
	u, _ := url.Parse(address)
	var looked []string
	f := fetching(t, here(t, ""), FetchIn{URL: "http://日本語.jp:" + u.Port() + "/"})
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

// TestRebinding looks at the address of every connection: a name that is
// public at first and private then is refused then.
func TestRebinding(t *testing.T) {
	private, accepted := counting(t)
	_, port, _ := net.SplitHostPort(private)
	var sent atomic.Int32
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		http.Redirect(w, r, "http://name.test:"+port+"/again", http.StatusFound)
	}))
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Skip(err)
	}
	page.Listener = l
	page.Start()
	defer page.Close()
	f := fetching(t, here(t, ""), FetchIn{URL: "http://name.test:" + port + "/"})
	looked := 0
	f.client.lookup = func(context.Context, string) ([]netip.Addr, error) {
		looked++
		return []netip.Addr{netip.MustParseAddr([]string{"127.0.0.1", "127.0.0.2"}[min(looked, 2)-1])}, nil
	}
	_, err = f.run(t.Context())
	wantError(t, Fetch.Fault(f.env, err), tools.Forbidden, "name.test is not on the public internet")
	if sent.Load() != 1 || accepted.Load() != 0 || looked != 2 {
		t.Errorf("%d requests, %d private connections, %d look-ups", sent.Load(), accepted.Load(), looked)
	}
}

// TestNothingElse asks for the page and for nothing that it names.
func TestNothingElse(t *testing.T) {
	private, accepted := counting(t)
	var asked []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		io.WriteString(w, `<html><head><meta http-equiv=refresh content="0;url=http://`+private+`/r"><link rel=alternate type=text/markdown href="http://`+private+`/m">
<link rel=stylesheet href=/s.css><script src=/s.js></script></head><body><img src="http://`+private+`/i"><iframe src=/f></iframe>text</body></html>`)
	})
	out, e := ask(t, here(t, ""), FetchIn{URL: address + "/page", Links: true})
	if e != nil || out.Page != "text" || out.Alternate != "http://"+private+"/m" || out.RefreshTo != "http://"+private+"/r" {
		t.Errorf("%+v %+v", out, e)
	}
	if accepted.Load() != 0 || !slices.Equal(asked, []string{"/page"}) {
		t.Errorf("%d private connections, asked for %q", accepted.Load(), asked)
	}
}

// TestForbiddenFirst refuses an address before it finds fault with the rest.
func TestForbiddenFirst(t *testing.T) {
	env := here(t, "")
	for _, input := range []string{`{"url":"http://127.0.0.1:1/","max_chars":0,"format":"x"}`, `{"url":"http://localhost/","find":"("}`, `{"url":"http://0x7f.1/","nope":1}`} {
		_, err := Fetch.Invoke(t.Context(), env, tools.Call{Input: []byte(input)})
		wantError(t, Fetch.Fault(env, err), tools.Forbidden, "is not on the public internet")
	}
	_, err := Fetch.Invoke(t.Context(), env, tools.Call{Input: []byte(`{"url":7,"max_chars":0}`)})
	wantError(t, Fetch.Fault(env, err), tools.InvalidInput, "max_chars")
}

// TestRedirectKinds follows every kind of redirect by GET.
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
		out, e := ask(t, here(t, ""), FetchIn{URL: address})
		if e != nil || out.Page != "end" || method != http.MethodGet || !slices.Equal(out.Redirects, []string{address + "/end?a=b%20c"}) {
			t.Errorf("%d: %+v %+v", status, out, e)
		}
	}
}

// TestRetry asks once more when a connection was cut or the server says when
// to come back, and not otherwise.
func TestRetry(t *testing.T) {
	for name, c := range map[string]struct {
		first  func(http.ResponseWriter)
		asked  int32
		status string // of the fault, "" for a page
	}{
		"cut off": {func(w http.ResponseWriter) { cutOff(t, w) }, 2, ""},
		"soon":    {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(503) }, 2, ""},
		"at a date": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, 2, ""},
		"much later":  {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "60"); w.WriteHeader(503) }, 1, "503"},
		"no word":     {func(w http.ResponseWriter) { w.WriteHeader(503) }, 1, "503"},
		"bad gateway": {func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(502) }, 1, "502"},
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
			out, e := ask(t, here(t, ""), FetchIn{URL: address})
			if asked.Load() != c.asked || (e == nil) != (c.status == "") || e == nil && out.Page != "page" || e != nil && !strings.Contains(e.Message, c.status) {
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
	_, e := ask(t, here(t, ""), FetchIn{URL: address})
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

// TestPackedTwice unpacks once: what is packed again is no text.
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
	_, e := ask(t, here(t, ""), FetchIn{URL: address})
	wantError(t, e, tools.Upstream, "application/x-gzip is not text")
}

// TestEndless reads a body without end to the limit, and hangs up.
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
	out, e := ask(t, here(t, ""), FetchIn{URL: address})
	if e != nil || out.Bytes != maxBody || !out.Incomplete {
		t.Errorf("%d bytes, %+v", out.Bytes, e)
	}
	select {
	case <-hung:
	case <-time.After(10 * time.Second):
		t.Error("the connection is still open")
	}
}

// TestSlow says how much came of a body that does not end.
func TestSlow(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "twelve bytes")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	_, e := ask(t, here(t, ""), FetchIn{URL: address, Timeout: 1})
	wantError(t, e, tools.Timeout, "Request timed out after 1 seconds")
	if !strings.Contains(e.Hint, "12 bytes came") || !e.Retryable {
		t.Errorf("%+v", e)
	}
}

// TestEarlyHints reads or refuses an answer behind a thousand others, and does
// not wait for more.
func TestEarlyHints(t *testing.T) {
	hints := strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n", 1000)
	address := raw(t, hints+"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\npage", 0)
	began := time.Now()
	out, e := ask(t, here(t, ""), FetchIn{URL: address})
	if e == nil && out.Page != "page" || e != nil && e.Code != tools.Upstream || time.Since(began) > 5*time.Second {
		t.Errorf("%q %+v after %v", out.Page, e, time.Since(began))
	}
}

// TestHTTP2 speaks HTTP/2 where a server does.
func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	f := fetching(t, here(t, ""), FetchIn{URL: s.URL})
	f.client.roots = x509.NewCertPool()
	f.client.roots.AddCert(s.Certificate())
	if out, err := f.run(t.Context()); err != nil || out.Page != "HTTP/2.0" {
		t.Errorf("%q %v", out.Page, err)
	}
}

// TestTunnel reaches a page over TLS through a proxy, and says so.
func TestTunnel(t *testing.T) {
	secret := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }))
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
	env := here(t, "")
	env.Web.Proxy = func(*url.URL) (*url.URL, error) { return via, nil }
	f := fetching(t, env, FetchIn{URL: "https://example.com/"}) // the name in the certificate
	f.client.public = func(netip.Addr) bool { return false }
	f.client.lookup = func(context.Context, string) ([]netip.Addr, error) { return nil, context.DeadlineExceeded }
	f.client.roots = x509.NewCertPool()
	f.client.roots.AddCert(secret.Certificate())
	if out, err := f.run(t.Context()); err != nil || out.Page != "secret" || !out.ViaProxy || !slices.Equal(tunnels, []string{"CONNECT example.com:443"}) {
		t.Errorf("%q %v %q", out.Page, err, tunnels)
	}
}

// TestSave saves all of a body as it came, or nothing.
func TestSave(t *testing.T) {
	folder := t.TempDir()
	env := here(t, filepath.Join(folder, "store"))
	env.Web.Save = filepath.Join(folder, "body")
	large := bytes.Repeat([]byte("\x00large"), 1<<20) // 6 MiB
	broken := raw(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nnine byte", 0)
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			w.Write(large)
		case "/endless":
			for w.Header().Get("X") == "" {
				if _, err := w.Write(large); err != nil {
					return
				}
			}
		}
	})
	saved := func() string {
		body, err := os.ReadFile(env.Web.Save)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if _, e := ask(t, env, FetchIn{URL: address + "/large"}); e != nil || saved() != string(large) {
		t.Errorf("large: %+v, %d bytes", e, len(saved()))
	}
	_, e := ask(t, env, FetchIn{URL: broken})
	wantError(t, e, tools.Upstream, "broke off after 9 bytes; nothing was saved")
	_, e = ask(t, env, FetchIn{URL: address + "/endless"})
	wantError(t, e, tools.LimitExceeded, "more than 100 MB; nothing was saved")
	if saved() != string(large) {
		t.Error("what was there is gone")
	}
	names, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(names) != 2 {
		t.Errorf("left behind: %q", names)
	}
	env.Web.Save = filepath.Join(folder, "none", "body")
	_, e = ask(t, env, FetchIn{URL: address + "/large"})
	if wantError(t, e, tools.InvalidInput, "cannot write "+env.Web.Save+": no such file or directory"); e.Details[0].Path != "/save" {
		t.Errorf("%+v", e)
	}
}

// TestAtOnce lets several fetch one page into one cache: all get it, and one
// whole entry is left.
func TestAtOnce(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "store")
	var n atomic.Int32
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, strings.Repeat(string(rune('a'+n.Add(1))), 100_000))
	})
	var wait sync.WaitGroup
	for range 8 {
		env := here(t, folder)
		wait.Go(func() {
			out, e := ask(t, env, FetchIn{URL: address, Refresh: true, MaxChars: 1_000_000})
			if e != nil || out.CacheProblem != "" || strings.Trim(out.Page, out.Page[:1]) != "" || len(out.Page) != 100_000 {
				t.Errorf("%+v %q", e, out.CacheProblem)
			}
		})
	}
	wait.Wait()
	before := n.Load()
	out, e := ask(t, here(t, folder), FetchIn{URL: address, MaxChars: 1_000_000})
	if e != nil || !out.Cached || strings.Trim(out.Page, out.Page[:1]) != "" || len(out.Page) != 100_000 || n.Load() != before {
		t.Errorf("%+v cached %v", e, out.Cached)
	}
}

// TestNoStore fetches when there is no store, and when it cannot be opened.
func TestNoStore(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "page") })
	env := here(t, "")
	if out, e := ask(t, env, FetchIn{URL: address}); e != nil || out.Page != "page" || out.CacheProblem != "" {
		t.Errorf("none: %+v %+v", out, e)
	}
	env.Open = func(context.Context, bool) (*store.Store, error) { return nil, os.ErrPermission }
	if out, e := ask(t, env, FetchIn{URL: address}); e != nil || out.Page != "page" || out.CacheProblem == "" {
		t.Errorf("closed: %+v %+v", out, e)
	}
}

// TestModified asks with the date of what is kept, where there is no tag, and
// takes stale pages only after asking.
func TestModified(t *testing.T) {
	var since []string
	text := "one"
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		since = append(since, r.Header.Get("If-Modified-Since"))
		w.Header().Set("Last-Modified", "Mon, 06 Jan 2025 10:00:00 GMT")
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Cache-Control", "no-cache")
		if r.Header.Get("If-Modified-Since") != "" && text == "one" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, text)
	})
	env := here(t, filepath.Join(t.TempDir(), "store"))
	for i, want := range []struct {
		text   string
		cached bool
	}{{"one", false}, {"one", true}, {"two", false}} {
		if i == 2 {
			text = "two"
		}
		if out, e := ask(t, env, FetchIn{URL: address}); e != nil || out.Page != want.text || out.Cached != want.cached {
			t.Errorf("%d: %q %v %+v", i, out.Page, out.Cached, e)
		}
	}
	if !slices.Equal(since, []string{"", "Mon, 06 Jan 2025 10:00:00 GMT", "Mon, 06 Jan 2025 10:00:00 GMT"}) {
		t.Errorf("asked since %q", since)
	}
}

// TestFindCatastrophe finds by an expression on which others take for ever.
func TestFindCatastrophe(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, strings.Repeat("a", 100_000)+"!")
	})
	began := time.Now()
	if out, e := ask(t, here(t, ""), FetchIn{URL: address, Find: "(a+)+$"}); e != nil || out.Matches != 0 || time.Since(began) > 5*time.Second {
		t.Errorf("%d matches, %+v, %v", out.Matches, e, time.Since(began))
	}
}

// TestTitle makes one line of a title, without what cannot be seen.
func TestTitle(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<html><title>one\n two\u200b \x1b]0;x\x07</title><body>\x1b[31mred\u009b0m</body></html>")
	})
	out, e := ask(t, here(t, ""), FetchIn{URL: address})
	if e != nil || out.Title != "one two ]0;x" || strings.ContainsAny(out.Page+out.Message, "\x1b\x07\u009b\u200b") || out.Removed.Invisible != 5 {
		t.Errorf("%q %q %+v %+v", out.Title, out.Page, out.Removed, e)
	}
}
