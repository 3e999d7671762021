package web

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"techo/internal/testenv"
	"techo/tools"
)

// TestEncodings reads bodies in every requested encoding, within the limit.
func TestEncodings(t *testing.T) {
	pack := map[string]func(w io.Writer) io.WriteCloser{
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"raw": func(w io.Writer) io.WriteCloser {
			z, _ := flate.NewWriter(w, flate.DefaultCompression)
			return z
		},
	}
	for name, writer := range pack {
		for text, size := range map[string]int{"page": 4, "bomb": maxBody} {
			if text == "bomb" {
				text = strings.Repeat("a", testenv.Pick(2, 4)*maxBody)
			}
			var body bytes.Buffer
			w := writer(&body)
			io.WriteString(w, text)
			w.Close()
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept-Encoding"); got != "gzip, deflate, br" {
					t.Errorf("asked for %q", got)
				}
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Encoding", strings.Replace(name, "raw", "deflate", 1))
				w.Write(body.Bytes())
			})
			out, e := get(t, newEnv(t, ""), FetchIn{URL: address, MaxChars: 1_000_000})
			if e != nil || out.TotalChars != size || out.Incomplete != (size > 4) {
				t.Errorf("%s: %+v, %d characters, incomplete %v", name, e, out.TotalChars, out.Incomplete)
			}
		}
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", strings.Replace(name, "raw", "deflate", 1))
			io.WriteString(w, "\x78\x9c\xff\xff\xff\xff not packed")
		})
		_, e := get(t, newEnv(t, ""), FetchIn{URL: address})
		wantError(t, e, tools.Upstream, "not valid")
	}
}

const article = `<html><head><title>T</title><meta property="og:site_name" content="The Site">
<meta name=description content="What the page is about, in a sentence."><meta name=author content="Ann Bee">
<meta property="article:modified_time" content="2020-01-03"><link rel=canonical href="/a">
<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2020-01-02T03:04:05Z",
"author":[{"@type":"Person","name":"Ann Bee"},{"name":"Cy Dee"}]}</script></head><body><nav>menu</nav>
<main class=x><h1>Cups</h1><p>The cups of the town are made of clay, and every one of them is painted by hand.</p>
<figure><img src=/i.png alt="A cup"><figcaption>A cup.</figcaption></figure><p class=note>A note.</p>
<p>They are sold on the market on Mondays, where the people of the hills come to buy them.</p></main>
<div class=comments><div class=comment><b class=author>Eve</b> <time datetime=2020-01-04>then</time>
<p>I have one of them at home.</p></div></div></body></html>`

// TestInvisibleOnce counts each invisible character once in every format.
func TestInvisibleOnce(t *testing.T) {
	text := strings.Replace(article, "A note.", "A no\u200bte.", 1)
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
	for _, in := range []FetchIn{{Format: "text"}, {Format: "article"}, {Format: "markdown"},
		{Format: "markdown", Selector: "main"}} {
		in.URL = address
		if out, e := get(t, newEnv(t, ""), in); e != nil || out.Removed.Invisible != 1 {
			t.Errorf("%s %s: %d, %+v", in.Format, in.Selector, out.Removed.Invisible, e)
		}
	}
}

// TestSlowSelector checks that a selector stops on a page that makes it slow.
func TestSlowSelector(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strings.Repeat("<p>x", 100_000))
	})
	_, e := get(t, newEnv(t, ""), FetchIn{URL: address, Selector: "a ~ p"})
	wantError(t, e, tools.LimitExceeded, "too many steps")
}

// TestGiven reads HTML that the caller gave, and files within the roots only.
func TestGiven(t *testing.T) {
	dir := t.TempDir()
	inside, outside := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	os.Mkdir(inside, 0o700)
	os.Mkdir(outside, 0o700)
	for _, folder := range []string{inside, outside} {
		os.WriteFile(filepath.Join(folder, "page.html"), []byte("<title>T</title><h1>Cups</h1>"), 0o600)
	}
	env := newEnv(t, "")
	env.Dir = inside
	for _, text := range []string{"<title>T</title><h1>Cups</h1>", "page.html", filepath.Join(outside, "page.html")} {
		if out, e := get(t, env, FetchIn{URL: text, Format: "text"}); e != nil || out.Page != "T\nCups" ||
			out.Kind != "html" || out.FinalURL != "" {
			t.Errorf("%s: %q %q %+v", text, out.Page, out.FinalURL, e)
		}
	}
	root, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env.Roots = func() ([]*os.Root, error) { return []*os.Root{root}, nil }
	if out, e := get(t, env, FetchIn{URL: "page.html"}); e != nil || out.Title != "T" {
		t.Errorf("%+v", e)
	}
	_, e := get(t, env, FetchIn{URL: filepath.Join(outside, "page.html")})
	wantError(t, e, tools.Forbidden, "outside of the allowed folders")
	_, e = get(t, env, FetchIn{URL: "../in/../out/page.html"})
	wantError(t, e, tools.Forbidden, "outside of the allowed folders")
	env.Roots = func() ([]*os.Root, error) { return nil, context.Canceled } // a server without files
	_, e = get(t, env, FetchIn{URL: "page.html"})
	wantError(t, e, tools.InvalidInput, "not a URL")
	_, e = get(t, env, FetchIn{URL: "file:///etc/passwd"})
	wantError(t, e, tools.InvalidInput, "only http and https")
}

// TestRobots follows robots.txt if asked.
func TestRobots(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /private\nAllow: /private/open\n")
			return
		}
		io.WriteString(w, "page")
	})
	for path, allowed := range map[string]bool{"/a": true, "/private/x": false, "/private/open": true} {
		_, e := get(t, newEnv(t, ""), FetchIn{URL: address + path, Robots: true})
		if allowed != (e == nil) {
			t.Errorf("%s: %+v", path, e)
		}
		if e != nil {
			wantError(t, e, tools.Forbidden, "robots.txt")
		}
		if _, e := get(t, newEnv(t, ""), FetchIn{URL: address + path}); e != nil {
			t.Errorf("%s without asking: %+v", path, e)
		}
	}
	for _, c := range []struct {
		text, path string
		want       bool
	}{
		{"", "/", true},
		{"User-agent: techo\nDisallow: /\nUser-agent: *\nAllow: /", "/x", false},
		{"User-agent: other\nDisallow: /\n", "/x", true},
		{"User-agent: a\nUser-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", false},
		{"User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", true},
		{"User-agent: *\nDisallow: /a\nAllow: /a", "/a", true},
		{"User-agent: *\nDisallow:\n", "/a", true},
		{"User-agent: *\nDisallow: /" + strings.Repeat("*a", 5000), "/" + strings.Repeat("a", 5000) + "b", true},
	} {
		if got := allowedByRobots([]byte(c.text), "techo", c.path); got != c.want {
			t.Errorf("%.60q, %.20s: %v", c.text, c.path, got)
		}
	}
}
