package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store"
	"techo/tools"
)

// newEnv returns an Env with a store in a folder, or without a store.
func newEnv(t *testing.T, folder string) *tools.Env {
	t.Helper()
	env := &tools.Env{Lang: tools.English, Zone: time.UTC, Now: time.Now,
		Cache: testenv.Cache(), Web: tools.WebSettings{Agent: "techo/test"}}
	if folder != "" {
		env.Open = func(context.Context, bool) (*store.Store, error) {
			st, err := store.Open(folder, store.Options{Write: true, Now: env.Now})
			if err == nil {
				t.Cleanup(func() { st.Close() })
			}
			return st, err
		}
	}
	return env
}

// get fetches with 127.0.0.1 as the public internet and 127.0.0.2 as private.
func get(t *testing.T, env *tools.Env, in FetchIn) (FetchedPage, *tools.Error) {
	t.Helper()
	return runFetch(t, newFetch(t, env, in))
}

func runFetch(t *testing.T, f *fetch) (FetchedPage, *tools.Error) {
	t.Helper()
	out, err := f.run(t.Context())
	if err != nil {
		return out, Fetch.AsError(f.env, err)
	}
	return out, nil
}

// answering returns a name server that always answers with the same addresses.
func answering(addresses ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) (found []netip.Addr, err error) {
		for _, a := range addresses {
			found = append(found, netip.MustParseAddr(a))
		}
		return found, nil
	}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// serveRaw starts a server that sends malformed responses.
func serveRaw(t *testing.T, answer string, hold time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buf := make([]byte, 4096)
				c.Read(buf)
				io.WriteString(c, answer)
				time.Sleep(hold)
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/"
}

func wantError(t *testing.T, e *tools.Error, code tools.Code, message string) {
	t.Helper()
	if e == nil || e.Code != code || !strings.Contains(e.Message, message) {
		t.Errorf("got %+v, want %s: %s", e, code, message)
	}
}

// TestTarget checks that invalid addresses are rejected.
func TestTarget(t *testing.T) {
	env := newEnv(t, "")
	for address, want := range map[string]string{
		"file:///etc/passwd": `not "file"`, "gopher://a/": `not "gopher"`, "ftp://a/": `not "ftp"`,
		"data:text/html,x": `not "data"`, "javascript:alert(1)": `not "javascript"`,
		"x": "not a URL", "//x/y": "not a URL", "http://": "no host", "http://[::1": "not a URL",
		"http://a b/": "not a URL", "https:///path": "no host",
		"http://user:secret@example.com/": "user name or password", "http://example.com:99999/": "not a URL",
		"http://a/\r\nHost: b":                  "not a URL",
		"http://a/" + strings.Repeat("x", 9000): "more than 8000 bytes",
	} {
		_, e := get(t, env, FetchIn{URL: address})
		wantError(t, e, tools.InvalidInput, want)
	}
	for _, line := range []string{"no colon", ": x", "A B: x", "Host: a", "Content-Length: 5", "X: a\r\nY: b"} {
		_, e := get(t, env, FetchIn{URL: "http://127.0.0.1:1/", Headers: []string{line}})
		wantError(t, e, tools.InvalidInput, "invalid or not allowed")
	}
	_, e := get(t, env, FetchIn{URL: "http://127.0.0.1:1/", Find: "a(b"})
	wantError(t, e, tools.InvalidInput, "not a regular expression")
}

// drip sends one byte every 50 ms.
func drip(w http.ResponseWriter, r *http.Request) {
	for range 100 {
		if _, err := io.WriteString(w, "x"); err != nil || r.Context().Err() != nil {
			return
		}
		w.(http.Flusher).Flush()
		time.Sleep(50 * time.Millisecond)
	}
}

// TestTransport fetches from broken, slow and hostile servers.
func TestTransport(t *testing.T) {
	env := newEnv(t, "")
	for name, c := range map[string]struct {
		url     string
		code    tools.Code
		message string
		retry   bool
	}{
		"a loop": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusFound)
		}), tools.Upstream, "stopped after 5 redirects", false},
		"a file": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		}), tools.Upstream, `redirected to a "file" URL`, false},
		"no location": {serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(302) }), tools.Upstream,
			"302 Found", false},
		"zstd": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "zstd")
			io.WriteString(w, "x")
		}), tools.Upstream, `content encoding: "zstd"`, false},
		"bad gzip": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "not gzip")
		}), tools.Upstream, "not valid", false},
		"garbage": {serveRaw(t, "garbage\r\n\r\n", 0), tools.Upstream, "network error", true},
		"nothing": {serveRaw(t, "", 0), tools.Upstream, "closed the connection without an answer", true},
		"headers of 1MB": {serveRaw(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 1<<20), 0), tools.Upstream,
			"network error", true},
		"silence": {serveRaw(t, "", 5*time.Second), tools.Timeout, "Request timed out after 1 seconds", true},
		"a drip":  {serve(t, drip), tools.Timeout, "Request timed out after 1 seconds", true},
		"refused": {"http://127.0.0.1:1/", tools.Upstream, "127.0.0.1 refused the connection", true},
		"an archive": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "PK\x03\x04"+strings.Repeat("\x00", 99))
		}), tools.Upstream, "application/zip is not text", false},
		"text of NUL": {serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Write(make([]byte, 99))
		}), tools.Upstream, "application/octet-stream is not text", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, e := get(t, env, FetchIn{URL: c.url, Timeout: 1})
			wantError(t, e, c.code, c.message)
			if e != nil && e.Retryable != c.retry {
				t.Errorf("retryable: %v", e.Retryable)
			}
		})
	}
}

// TestCertificate rejects a server with an unknown certificate.
func TestCertificate(t *testing.T) {
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	defer tls.Close()
	_, e := get(t, newEnv(t, ""), FetchIn{URL: tls.URL})
	wantError(t, e, tools.Upstream, "certificate is not valid")
}

// TestBody reads bodies up to their limits.
func TestBody(t *testing.T) {
	env := newEnv(t, "")
	bomb := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		z := gzip.NewWriter(w)
		zeros := bytes.Repeat([]byte("0"), 1<<20)
		for range 200 {
			if _, err := z.Write(zeros); err != nil {
				return
			}
		}
		z.Close()
	})
	out, e := get(t, env, FetchIn{URL: bomb})
	if e != nil || out.Bytes != maxBody || !out.Incomplete || !out.Truncated || out.TotalChars != maxBody ||
		out.End != 10000 {
		t.Errorf("bomb: %+v %d bytes of %d", e, out.Bytes, out.TotalChars)
	}
	short := serveRaw(t, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nnine byte", 0)
	if out, e = get(t, env, FetchIn{URL: short}); e != nil || out.Page != "nine byte" || !out.Incomplete {
		t.Errorf("short: %+v %+v", out, e)
	}
	for status, want := range map[int]int{204: 204, 200: 200} {
		empty := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if out, e = get(t, env, FetchIn{URL: empty}); e != nil || out.Status != want || out.Page != "" {
			t.Errorf("%d: %+v %+v", status, out, e)
		}
	}
}

// TestHeadersStay checks that the caller's headers go only to the original host.
func TestHeadersStay(t *testing.T) {
	var seen, other http.Header
	second := serve(t, func(w http.ResponseWriter, r *http.Request) { other = r.Header; io.WriteString(w, "second") })
	first := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		http.Redirect(w, r, second, http.StatusTemporaryRedirect)
	})
	out, e := get(t, newEnv(t, ""),
		FetchIn{URL: first + "/a#part", Headers: []string{"Authorization: Bearer x", "X-Key: y"}})
	if e != nil || out.FinalURL != second || len(out.Redirects) != 1 || out.Page != "second" {
		t.Fatalf("%+v %+v", out, e)
	}
	if seen.Get("Authorization") != "Bearer x" || seen.Get("X-Key") != "y" || seen.Get("User-Agent") != "techo/test" ||
		seen.Get("Accept-Encoding") != "gzip, deflate, br" {
		t.Errorf("first: %v", seen)
	}
	if other.Get("Authorization") != "" || other.Get("X-Key") != "" || other.Get("Referer") != "" ||
		other.Get("Cookie") != "" {
		t.Errorf("second: %v", other)
	}
}

// TestKinds checks that bytes decide about the kind of a body before its
// Content-Type.
func TestKinds(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	feed := `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>
<rss version="2.0"><channel><title>News</title>
<item><title>Old</title><link>http://a/1</link><pubDate>Mon, 02 Jan 2023 10:00:00 GMT</pubDate>
<description>&lt;p&gt;one&lt;/p&gt;&b;</description></item>
<item><title>New</title><link>http://a/2</link><pubDate>Tue, 03 Jan 2023 10:00:00 GMT</pubDate>
<description><![CDATA[<p>two <b>bold</b></p>]]></description></item></channel></rss>`
	atom := `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><title>E</title>
<link rel="alternate" href="http://a/e"/><updated>2024-01-01T00:00:00Z</updated><summary>S</summary></entry></feed>`
	for name, c := range map[string]struct {
		label, body, format string
		kind, text          string
	}{
		"a picture as HTML": {"text/html", picture.String(), "", "image",
			fmt.Sprintf("PNG image, 30×20, %d bytes", picture.Len())},
		"JSON stays": {"application/json", "{\"n\": 12345678901234567890,\r\n \"a\":\"<b>\"}", "", "text",
			"{\"n\": 12345678901234567890,\r\n \"a\":\"<b>\"}"},
		"CSV stays":      {"text/csv", "a,b\r\n1,2\r\n", "article", "text", "a,b\r\n1,2\r\n"},
		"XML stays":      {"application/xml", "<a><b>x</b></a>", "", "text", "<a><b>x</b></a>"},
		"no label":       {"", "<!doctype html><p>x", "", "html", "x"},
		"a broken label": {"text/;;html", "<html><p>x</html>", "", "html", "x"},
		"plain is plain": {"text/plain", "<html><p>x", "", "text", "<html><p>x"},
		"XHTML": {"application/xhtml+xml",
			`<?xml version="1.0" encoding="utf-8"?>` +
				`<html xmlns="http://www.w3.org/1999/xhtml"><body><p>x</p></body></html>`, "", "html", "x"},
		"XHTML as XML": {"text/xml", `<?xml version="1.0"?>` + "\n" + `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd">` +
			`<html xmlns="http://www.w3.org/1999/xhtml"><body><p>x</p></body></html>`, "", "html", "x"},
		"RSS, newest first": {"application/rss+xml", feed, "", "feed",
			"## New\nhttp://a/2\nTue, 03 Jan 2023 10:00:00 GMT\n\ntwo bold\n\n## Old\nhttp://a/1\nMon, 02 Jan 2023 " +
				"10:00:00 GMT\n\none\n\n&b;"},
		"RSS, raw":           {"application/rss+xml", feed, "raw", "text", feed},
		"Atom":               {"text/xml", atom, "", "feed", "## E\nhttp://a/e\n2024-01-01T00:00:00Z\n\nS"},
		"HTML, raw":          {"text/html", "<p>x</p>", "raw", "html", "<p>x</p>"},
		"a frameset":         {"text/html", `<frameset><frame src="a"></frameset>`, "", "html", ""},
		"body alone":         {"text/html", "just a text", "article", "html", "just a text"},
		"a script's markers": {"text/html", `<p>"} ... (truncated) {"</p>`, "", "html", `"} ... (truncated) {"`},
		"Shift_JIS, no label": {"text/html", "<p>\x93\xfa\x96\x7b\x8c\xea\x82\xc5\x82\xb7</p>", "", "html",
			"日本語です"},
	} {
		t.Run(name, func(t *testing.T) {
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.label != "" {
					w.Header().Set("Content-Type", c.label)
				}
				io.WriteString(w, c.body)
			})
			out, e := get(t, newEnv(t, ""), FetchIn{URL: address, Format: c.format})
			if e != nil || out.Kind != c.kind || out.Page != c.text || !out.Untrusted {
				t.Errorf("%+v\n%s: %q\nwant %s: %q", e, out.Kind, out.Page, c.kind, c.text)
			}
		})
	}
}
