package page_test

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"techo/internal/testenv"
)

// chatHost is a page that shows the views in chats, around the parts of a host from npm.
type chatHost struct {
	*browser
	base string // of the page
	lang string // of the calls
	axe  string // an expression that checks a view
}

// newChatHost installs the host, and starts it beside a server of techo.
func newChatHost(t *testing.T, p *person) *chatHost {
	t.Helper()
	testenv.Tool(t, "npm")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/chat")); err != nil {
		t.Fatal(err)
	}
	run := func(name string, args ...string) ([]byte, error) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		return c.CombinedOutput()
	}
	if out, err := run("npm", "install", "--no-audit", "--no-fund", "--prefer-offline",
		"--fetch-retries=1"); err != nil {
		testenv.Missing(t, "the host from the package registry: "+string(out))
	}
	if out, err := run(filepath.Join(dir, "node_modules/.bin/esbuild"), "host.mjs", "--bundle", "--format=esm",
		"--outfile=host.js"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	h := &chatHost{lang: "en", axe: axeIn(t, dir)}
	forward := testenv.Forward(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(p.serve())
		r.Out.Header.Del("Origin") // a host is no page, except in this test
		r.Out.Header.Set("Techo-Lang", h.lang)
	}, ErrorLog: log.New(io.Discard, "", 0)}) // of streams that the browser leaves open
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/mcp":
			forward.ServeHTTP(w, r)
		case "/host.js":
			http.ServeFile(w, r, filepath.Join(dir, "host.js"))
		default:
			w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; "+
				"style-src 'self' 'unsafe-inline'; img-src 'self' data:")
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!doctype html><html lang="en"><meta charset="utf-8"><title>host</title>
				<style>body { margin: 0 } iframe { width: 100%; border: 0 }</style>
				<body id="app"><script type="module" src="/host.js"></script>`)) // the browser may have gone
		}
	}))
	t.Cleanup(site.Close)
	h.base, h.browser = site.URL, newTab(t, chromium(t))
	h.run(chromedp.Navigate(site.URL))
	h.eventually(`Boolean(window.show)`)
	return h
}

// serve starts a server of techo for hosts, and returns its address.
func (p *person) serve() *url.URL {
	p.t.Helper()
	if p.base == "" {
		server := p.techoAs("agent", "serve", "--listen", "127.0.0.1:0", "--no-token", "--audience", "host",
			"--root", p.home)
		stderr := &testenv.Buffer{}
		server.Stderr = stderr
		if err := server.Start(); err != nil {
			p.t.Fatal(err)
		}
		p.t.Cleanup(func() { _ = server.Wait() }) // the context of the test kills it
		address := regexp.MustCompile(`address=(\S+)`)
		testenv.Eventually(p.t, func() bool { return address.MatchString(stderr.String()) })
		p.base = address.FindStringSubmatch(stderr.String())[1]
	}
	u, err := url.Parse(p.base)
	if err != nil {
		p.t.Fatal(err)
	}
	return u
}

// shown is a call whose view is shown.
type shown struct {
	Mode   string `json:"mode"` // "legacy" or "auto", a generation of the protocol
	Tool   string `json:"tool"`
	Input  any    `json:"input,omitempty"`
	Result any    `json:"result,omitempty"` // in place of the server's
	Theme  string `json:"theme"`
	Text   bool   `json:"text,omitempty"` // the host passes the text on, without the structure
}

func (h *chatHost) show(s shown) *browser {
	h.t.Helper()
	call, err := json.Marshal(s)
	if err != nil {
		h.t.Fatal(err)
	}
	version := js[string](h.browser, "window.show("+string(call)+")")
	if new := version >= "2026-07-28"; new != (s.Mode == "auto") {
		h.t.Errorf("%s: protocol %q", s.Mode, version)
	}
	targets, err := chromedp.Targets(h.ctx)
	i := slices.IndexFunc(targets, func(i *target.Info) bool { return i.Type == "iframe" })
	if err != nil || i < 0 {
		h.t.Fatalf("the view is not in a sandbox of its own: %v %v", err, targets)
	}
	ctx, stop := chromedp.NewContext(h.ctx, chromedp.WithTargetID(targets[i].TargetID))
	h.t.Cleanup(stop)
	b := &browser{t: h.t, ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	chromedp.ListenTarget(ctx, func(event any) {
		if r, ok := event.(*network.EventRequestWillBeSent); ok {
			b.fault("request: %s", r.Request.URL)
		}
	})
	b.run(network.Enable())
	b.eventually(`Boolean(document.querySelector("h1, pre"))`)
	return b
}

// chatCall is a call whose view has a text in each language.
type chatCall struct {
	name, tool string
	input      map[string]any
	en, ja     string
}

// chatCalls fills the store of a person, and returns calls for all views.
func (p *person) chatCalls() []chatCall {
	p.t.Helper()
	for _, line := range [][]string{
		{"memory", "add", "The office is in Berlin.", "--created-at", "2026-03-02"},
		{"memory", "add", "The office is in Munich, next to the station.", "--session", "release"},
		{"memory", "add", "The office is in Munich."},
		{"cal", "create", "Review with Aiko", "2026-11-20 14:00", "--end", "15:30"},
		{"memo", "add", "ramen", "Tanaka likes ramen, best without egg", "--priority", "5", "--tag", "food"},
		{"memo", "edit", "ramen", "--content", "Tanaka likes ramen, best with an egg"},
	} {
		p.techo("", line...)
	}
	path := filepath.Join(p.home, "a.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	change := p.ids("changes.id", "history", "--limit", "1")[0]
	return []chatCall{
		{"question", "ask_user", map[string]any{"question": "Delete the logs of last year? They take 2.1 GB.",
			"options": []string{"Delete them", "Keep them"}, "wait": "0s", "key": "k"}, "To answer:", "回答"},
		{"times", "suggest_schedule", map[string]any{"date_from": "2026-11-20", "date_to": "2026-11-23",
			"duration_minutes": 30}, "Friday, November 20, 2026", "2026年11月20日金曜日"},
		{"review", "review_memories", map[string]any{}, "do all of them hold?", "同じ"},
		{"change", "show_change", map[string]any{"id": change}, "content: Tanaka likes ramen, best with an egg",
			"content: Tanaka likes ramen, best with an egg"},
		{"edit", "edit_file", map[string]any{"path": path, "old_string": "two", "new_string": "2", "dry_run": true},
			"-two", "+2"},
		{"error", "edit_file", map[string]any{"path": path, "old_string": "four", "new_string": "2"},
			"Could not find", "見つかりません"},
	}
}

// TestBrowserChats shows questions, suggestions and changes in a host of MCP Apps, in both
// generations of the protocol, both languages, and the width of a phone.
func TestBrowserChats(t *testing.T) {
	p := &person{t: t, home: t.TempDir()}
	calls := p.chatCalls()
	h := newChatHost(t, p)
	for _, look := range []struct {
		lang, mode, theme string
		width             int64
		text              bool
	}{{"en", "auto", "light", 1024, false}, {"ja", "legacy", "dark", 390, true},
		{"ja", "auto", "light", 390, false}} {
		h.lang = look.lang
		h.run(emulation.SetDeviceMetricsOverride(look.width, 860, 1, false))
		for _, c := range calls {
			view := h.show(shown{look.mode, c.tool, c.input, nil, look.theme, look.text})
			want := c.en
			if look.lang == "ja" {
				want = c.ja
			}
			view.shows("main", want)
			told := false // the layout knows no problem that is meant to be shown
			for _, fault := range js[[]string](view, layout) {
				if isProblem := strings.HasPrefix(fault, "a problem: "); c.name == "error" && isProblem {
					told = true
					continue
				}
				t.Errorf("%s %s %d: %s", c.name, look.lang, look.width, fault)
			}
			if told != (c.name == "error") {
				t.Errorf("%s %s %d: the view shows no problem", c.name, look.lang, look.width)
			}
			for _, violation := range js[[]string](view, h.axe) {
				t.Errorf("%s %s %d: axe: %s", c.name, look.lang, look.width, violation)
			}
			if n := js[int](view, `document.querySelectorAll("button, input, select, a, form").length`); n > 0 {
				t.Errorf("%s has %d controls", c.name, n)
			}
			view.clean()
			h.picture("chat-"+c.name, look.lang, look.theme)
		}
	}
	h.hostile()
	if asked := js[[]string](h.browser, "window.asked"); len(asked) > 0 {
		t.Errorf("a view asked its host for %q", asked)
	}
	h.clean()
}

// hostile shows 200 hostile texts in every field of every view: nothing runs, nothing is loaded,
// and the texts are shown.
func (h *chatHost) hostile() {
	texts := hostileTexts()
	each := func(make func(text string) any) (all []any) {
		for _, text := range texts {
			all = append(all, make(text))
		}
		return all
	}
	slots := each(func(s string) any {
		return map[string]any{"date": "2026-11-20", "start": "2026-11-20T09:00", "end": s, "label": s,
			"why": []string{s}}
	})
	memories := each(func(s string) any {
		return map[string]any{"id": s, "caption": s, "full_text": s + "\n" + s, "created_at": "2026-01-01",
			"session": s, "source": s}
	})
	titles := each(func(s string) any { return map[string]any{"title": s, "calendar": s} })
	all := strings.Join(texts, "\n")
	for tool, document := range map[string]map[string]any{
		"ask_user": {"status": "answered", "answer": all, "by": all, "via": all, "indexes": []int{1}},
		"suggest_schedule": {"message": all, "suggestions": slots, "alternatives": slots, "timezone": all,
			"checked": texts, "blocked_by": titles, "unchecked": titles},
		"review_memories": {"message": all, "items": []any{map[string]any{"why": all, "memories": memories,
			"suggestion": map[string]any{"choice": all}}}},
		"show_change": {"diff": "+" + all, "message": all, "change": map[string]any{"title": all, "by": all, "id": all,
			"family": "memo", "at": "2026-01-01"}},
		"edit_file": {"error": map[string]any{"message": all, "hint": all, "details": titles}},
		"insert_text": {"diff": map[string]any{"type": "script", "props": map[string]any{
			"dangerouslySetInnerHTML": map[string]any{"__html": texts[0]}}}, "message": texts[0]},
	} {
		text, err := json.Marshal(document)
		if err != nil {
			h.t.Fatal(err)
		}
		view := h.show(shown{Mode: "auto", Tool: tool, Theme: "light",
			Input: map[string]any{"question": all, "options": texts, "default": all},
			Result: map[string]any{"content": []any{map[string]any{"type": "text", "text": string(text)}},
				"structuredContent": document}})
		view.eventually(`document.querySelector("main").textContent.includes("hacked")`)
		view.inert(tool)
		view.clean()
	}
}
