package web

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/page"
	"techo/tools"
)

// TestPaging joins the parts of a text and compares it with the whole.
func TestPaging(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "<p>段落%d 👨‍👩‍👧 が</p>\n", i)
	}
	var requests atomic.Int32
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, b.String())
	})
	env := newEnv(t, filepath.Join(t.TempDir(), "store"))
	whole, e := get(t, env, FetchIn{URL: address, MaxChars: 1000000})
	if e != nil || whole.Truncated {
		t.Fatalf("%+v", e)
	}
	for _, format := range []string{"text", "raw"} {
		var all strings.Builder
		want := whole.Page
		if format == "raw" {
			want = b.String()
		}
		for start := 0; ; {
			out, e := get(t, env, FetchIn{URL: address, Start: start, MaxChars: 777, Format: format})
			if e != nil || out.Start != start {
				t.Fatalf("%+v at %d", e, start)
			}
			part := out.Page
			if out.Truncated && format == "text" {
				var marked bool
				if part, marked = strings.CutSuffix(part, "\n... (truncated)"); !marked {
					t.Fatal("the cut is not marked")
				}
			}
			all.WriteString(part)
			if start = out.End; !out.Truncated {
				break
			}
		}
		if all.String() != want {
			t.Errorf("%s: the parts do not make the whole", format)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
	if out, e := get(t, env, FetchIn{URL: address, Start: 1 << 30}); e != nil || out.Page != "" ||
		out.Start != out.TotalChars || !strings.Contains(out.Message, "ends at character") {
		t.Errorf("beyond the end: %+v %+v", out, e)
	}
}

// TestSections finds headings that span several lines, and ignores lines that only
// begin like a heading.
func TestSections(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<html><body><p>Install</p><h2>第1章<b>概要</b></h2><p>甲</p>
<h2><ruby>漢<rt>かん</rt></ruby>字</h2><p>乙</p><h2>Install the <code>thing</code> [now](x)</h2><p>丙</p>
<h2><a href="/e">End</a></h2><p>丁</p></body></html>`)
	})
	for _, c := range []struct{ format, section, want string }{
		{"text", "第1章概要", "第1章\n概要\n甲"},
		{"text", "漢（かん）字", "漢\n字\n乙"},
		{"text", "install the thing [now](x)", "Install the\nthing\n[now](x)\n丙"},
		{"text", "End", "End\n丁"},
		{"markdown", "第1章概要", "## 第1章**概要**\n\n甲"},
		{"markdown", "漢（かん）字", "## 漢（かん）字\n\n乙"},
	} {
		if out, e := get(t, newEnv(t, ""), FetchIn{URL: address, Format: c.format, Section: c.section}); e != nil ||
			out.Page != c.want {
			t.Errorf("%s, %s: %q %+v", c.format, c.section, out.Page, e)
		}
	}
}

// TestCache checks when a server is asked again.
func TestCache(t *testing.T) {
	var requests atomic.Int32
	version, control := "one", ""
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		tag := `"` + version + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Type", "text/plain")
		if control != "" {
			w.Header().Set("Cache-Control", control)
		}
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, version)
	})
	env := newEnv(t, filepath.Join(t.TempDir(), "store"))
	now := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	env.Now = func() time.Time { return now }
	want := func(in FetchIn, text string, cached bool, n int32) {
		t.Helper()
		in.URL = address
		out, e := get(t, env, in)
		if e != nil || out.Page != text || out.Cached != cached || requests.Load() != n || out.CacheProblem != "" {
			t.Errorf("%+v: %q, cached %v, %d requests, %q, want %q, %v, %d", e, out.Page, out.Cached, requests.Load(),
				out.CacheProblem, text, cached, n)
		}
	}
	want(FetchIn{}, "one", false, 1)
	want(FetchIn{}, "one", true, 1)
	now = now.Add(16 * time.Minute)
	want(FetchIn{}, "one", true, 2) // revalidated
	want(FetchIn{}, "one", true, 2) // and fresh again
	version = "two"
	want(FetchIn{Refresh: true}, "two", false, 3)
	want(FetchIn{Headers: []string{"X: y"}}, "two", false, 4) // neither taken from the cache nor kept
	version, control = "three", "max-age=5"
	want(FetchIn{Refresh: true}, "three", false, 5)
	now = now.Add(4 * time.Second)
	want(FetchIn{}, "three", true, 5)
	now = now.Add(2 * time.Second)
	want(FetchIn{Start: 1}, "hree", true, 5) // a further part of the cached page
	version, control = "four", "no-store"
	want(FetchIn{}, "four", false, 6)
	want(FetchIn{Refresh: true}, "four", false, 7)
}

// TestCachePrivate checks that a cached page from a private address is not
// returned once private addresses are forbidden.
func TestCachePrivate(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "private") })
	env := newEnv(t, filepath.Join(t.TempDir(), "store"))
	env.Web.AllowPrivate = true
	if e := fetchOf(t, env, address); e != nil {
		t.Fatal(e)
	}
	env.Web.AllowPrivate = false
	wantError(t, fetchOf(t, env, address), tools.Forbidden, "not on the public internet")
}

// TestLLMs reads the list of a site's pages for models, which servers send as plain text.
func TestLLMs(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "# FastBoat\n\n> Boats for people.\n\n## Docs\n\n"+
			"- [Quick start](/docs/quick.md): how to begin\n- [API](https://example.com/api.md \"all calls\")\n"+
			"- [again](/docs/quick.md), [here](#docs), ![logo](logo.png)\n"+
			"- [mail](mailto:a@example.com)\n\n## 日本語\n\n- [始め方](ja/始め方.md)\n")
	})
	out, e := get(t, newEnv(t, ""), FetchIn{URL: address + "/llms.txt", Section: "Docs", Links: true})
	if e != nil || !strings.HasPrefix(out.Page, "## Docs") || strings.Contains(out.Page, "日本語") {
		t.Errorf("%+v %v", out, e)
	}
	want := []page.Link{{Text: "Quick start", URL: address + "/docs/quick.md"},
		{Text: "API", URL: "https://example.com/api.md"},
		{Text: "始め方", URL: address + "/ja/%E5%A7%8B%E3%82%81%E6%96%B9.md"}}
	if !slices.Equal(out.Links, want) {
		t.Errorf("links %+v", out.Links)
	}
	out, e = get(t, newEnv(t, ""), FetchIn{URL: address + "/llms.txt", Outline: true})
	if e != nil || len(out.Outline) != 3 || out.Outline[2].Text != "日本語" {
		t.Errorf("%+v %v", out, e)
	}
}
