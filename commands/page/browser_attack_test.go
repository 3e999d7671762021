package page_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"techo/internal/testenv"
)

// attack is a page of another origin that tries to use the page of techo in the same browser.
// It reports what succeeds.
const attack = `<!doctype html><meta charset="utf-8"><title>hostile</title><p id="p">
<form id="f" action="BASE/tools/add_memo" method="post" enctype="text/plain" target="frame">
<input name='{"name":"forged","content":"x","priority":1,"detail":"' value='"}'></form>
<iframe name="frame"></iframe><iframe id="framed" src="BASE/"></iframe>
<script>
const base = "BASE";
const got = [];
const attempt = async (name, make) => {
	try { const value = await make(); if (value) got.push(name + ": " + value); } catch {}
};
window.finished = (async () => {
	for (const mode of ["cors", "no-cors"]) {
		for (const path of ["/", "/tools", "/page/events", "/page/texts", "/memories/full?user_id=tanaka&ids=a"]) {
			await attempt(mode + path, async () =>
				(await fetch(base + path, { mode, credentials: "include", signal: AbortSignal.timeout(3000) })).text());
		}
		for (const path of ["/page/session", "/tools/list_memo", "/tools/add_memo"]) {
			await attempt(mode + path, async () => (await fetch(base + path, { method: "POST", mode,
				credentials: "include", body: '{"name":"forged","content":"x","priority":1}' })).text());
		}
	}
	await attempt("header", async () => (await fetch(base + "/tools/list_memo", { method: "POST", body: "{}",
		credentials: "include", headers: { "Techo-Page": "x", "Content-Type": "application/json" } })).text());
	await attempt("beacon", () => { navigator.sendBeacon(base + "/tools/add_memo",
		'{"name":"forged","content":"x","priority":1}'); });
	await attempt("EventSource", () => new Promise((done) => {
		const source = new EventSource(base + "/page/events", { withCredentials: true });
		source.onopen = () => done("open");
		source.onmessage = (e) => done(e.data);
		source.onerror = () => { source.close(); done(""); };
	}));
	await attempt("WebSocket", () => new Promise((done) => {
		const socket = new WebSocket(base.replace("http", "ws") + "/page/events");
		socket.onopen = () => done("open");
		socket.onerror = () => done("");
	}));
	await attempt("script", () => new Promise((done) => {
		const script = document.createElement("script");
		script.src = base + "/page/static/app/main.js";
		script.type = "module";
		script.onload = () => done("loaded");
		script.onerror = () => done("");
		document.body.append(script);
	}));
	document.querySelector("#f").submit();
	await attempt("frame", () => document.querySelector("#framed").contentDocument?.body.innerText);
	await attempt("window", async () => {
		const other = open(base + "/#/memos");
		await new Promise((done) => setTimeout(done, 500));
		return other?.document?.body?.innerText;
	});
	await attempt("proof", () => localStorage.getItem("techo-proof"));
	await attempt("cookie", () => document.cookie);
	return got;
})();
</script>`

// TestBrowserAttack opens a hostile page of another port in the browser of the person: it reads
// nothing and changes nothing. Its server gets the cookie, which is worth nothing alone.
func TestBrowserAttack(t *testing.T) {
	p := newPerson(t)
	p.techo("", "memo", "add", "tea", "green", "--priority", "3")
	b := p.open()
	var mu sync.Mutex
	stolen := ""
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if c := r.Header.Get("Cookie"); c != "" {
			stolen = c
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, strings.ReplaceAll(attack, "BASE", p.base))
	}))
	t.Cleanup(hostile.Close)
	other := newTab(t, b.ctx)
	other.run(chromedp.Navigate(hostile.URL))
	if got := js[[]string](other, "window.finished"); len(got) > 0 {
		t.Errorf("the hostile page got %q", got)
	}
	p.wants(`"total":1`, "memo", "list")
	if stolen == "" {
		t.Error("the browser did not send the cookie to another port: this test proves less than it should")
	}
	c := &testenv.Client{T: t, Base: p.base, HTTP: http.DefaultClient}
	c.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "{}", "Cookie: "+stolen, "Origin: "+p.base)
	c.Want(403, `"unavailable"`, "POST", "/page/session", "{}", "Cookie: "+stolen, "Origin: "+p.base)
	c.Want(403, `"unavailable"`, "GET", "/page/events", "", "Cookie: "+stolen)
	b.visit("memos", "Memos") // the session still works
	b.shows(".memo h3", "tea")
	b.clean()
}

// TestBrowserForeignProof opens the page by a link of a hostile page with a proof of its own: the
// session goes on, and no proof stays in the address.
func TestBrowserForeignProof(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	if address := js[string](b, "location.href"); address != p.base+"/" {
		t.Errorf("the address is %s", address)
	}
	other := newTab(t, b.ctx)
	other.run(chromedp.Navigate(p.base + "/#proof=" + strings.Repeat("x", 43)))
	other.shows("h1", "Today")
	other.shows(".zone", "tanaka")
	if address := js[string](other, "location.href"); address != p.base+"/" {
		t.Errorf("the address is %s", address)
	}
	b.run(chromedp.Reload())
	b.shows(".zone", "tanaka")
}

// TestBrowserRebinding opens the page under a name that leads to this machine, as a hostile
// server of names can do.
func TestBrowserRebinding(t *testing.T) {
	p := newPerson(t)
	b := p.open()
	rebound := strings.Replace(p.base, "127.0.0.1", "evil.example", 1)
	b.run(chromedp.Navigate(rebound + "/"))
	b.shows("body", "is not a name of this server")
	got := js[string](b, `fetch("/tools/list_memo", { method: "POST", body: "{}", headers: { "Techo-Page": "x" } })
		.then((r) => r.text())`)
	if !strings.Contains(got, `"forbidden"`) {
		t.Errorf("the rebound page got %s", got)
	}
}

// TestBrowserUsedLink opens a link again, in a browser without its session.
func TestBrowserUsedLink(t *testing.T) {
	p := newPerson(t)
	p.open()
	b := newTab(t, chromium(t))
	b.run(chromedp.Navigate(p.link))
	b.shows(".closed .problem", "its link was used already")
	b.shows(".closed .hint", "Open a new link: run techo page")
	if address := js[string](b, "location.href"); strings.Contains(address, "key=") {
		t.Errorf("the key stays in the address: %s", address)
	}
}
