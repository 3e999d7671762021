package browser

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// copyScript returns the address and the HTML of the page, with the contents of shadow trees
// and without scripts.
//
//go:embed copy.js
var copyScript string

// closeScript takes the ways past the proxy from a page, and opens its shadow trees to copyScript.
const closeScript = `for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
"WebTransport"]) { try { delete globalThis[name] } catch {} }
{
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { return attach.call(this, { ...how, mode: "open" }) };
}`

type tab struct {
	link    *link
	session string
	space   string // a context, which has this tab only
	target  string
	frame   string // the main frame
	job     Job
	gate    *proxy
	ctx     context.Context
	version string

	mu       sync.Mutex
	running  map[string]bool // requests
	requests int
	pages    int // documents of the main frame
	changed  time.Time
	loaded   bool
	crashed  bool
}

// open opens a tab that keeps nothing on disk.
func open(ctx context.Context, l *link, job Job, gate *proxy) (*tab, error) {
	t := &tab{link: l, job: job, gate: gate, ctx: ctx, running: map[string]bool{}, changed: time.Now()}
	var version struct{ Product, UserAgent string }
	if err := l.call(ctx, "", "Browser.getVersion", nil, &version); err != nil {
		return nil, err
	}
	t.version = strings.TrimPrefix(version.Product, "Headless")
	var space struct{ BrowserContextID string }
	if err := l.call(ctx, "", "Target.createBrowserContext", args{"disposeOnDetach": true}, &space); err != nil {
		return nil, err
	}
	t.space = space.BrowserContextID
	var target struct{ TargetID, SessionID string }
	if err := l.call(ctx, "", "Target.createTarget", args{"url": "about:blank",
		"browserContextId": t.space}, &target); err != nil {
		return nil, err
	}
	t.target = target.TargetID
	if err := l.call(ctx, "", "Target.attachToTarget", args{"targetId": t.target, "flatten": true},
		&target); err != nil {
		return nil, err
	}
	t.session = target.SessionID
	l.listen(t.event)
	agent := strings.ReplaceAll(version.UserAgent, "HeadlessChrome", "Chrome") + " " + job.Agent
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	for _, c := range []struct {
		session, method string
		params          args
		result          any
	}{
		{"", "Browser.setDownloadBehavior", args{"behavior": "deny", "browserContextId": t.space}, nil},
		{"", "Target.setDiscoverTargets", args{"discover": true}, nil},
		{t.session, "Page.enable", nil, nil},
		{t.session, "Page.getFrameTree", nil, &tree},
		{t.session, "Network.enable", nil, nil},
		{t.session, "Inspector.enable", nil, nil},
		{t.session, "Network.setBypassServiceWorker", args{"bypass": true}, nil},
		{t.session, "Network.setBlockedURLs", args{"urls": []string{"ws://*", "wss://*", "ftp://*", "file://*"}}, nil},
		{t.session, "Network.setUserAgentOverride", args{"userAgent": strings.TrimSpace(agent),
			"acceptLanguage": job.Language}, nil},
		{t.session, "Page.addScriptToEvaluateOnNewDocument", args{"source": closeScript}, nil},
		{t.session, "Emulation.setDeviceMetricsOverride", window(windowHeight), nil},
		{t.session, "Fetch.enable", args{"handleAuthRequests": true,
			"patterns": []args{{"urlPattern": "*"}}}, nil},
	} {
		if err := l.call(ctx, c.session, c.method, c.params, c.result); err != nil {
			return nil, fmt.Errorf("%s: %w", c.method, err)
		}
	}
	t.frame = tree.FrameTree.Frame.ID
	return t, nil
}

// close closes the tab. The browser may have gone.
func (t *tab) close() {
	t.link.listen(nil)
	t.link.post("", "Target.setDiscoverTargets", args{"discover": false})
	t.link.post("", "Target.disposeBrowserContext", args{"browserContextId": t.space})
}

// paused is a request that waits for a decision, or for a password.
type paused struct {
	RequestID    string
	FrameID      string
	ResourceType string
	Request      struct {
		URL     string
		Headers map[string]string
	}
	AuthChallenge struct{ Source string }
}

// event handles an event. It waits for nothing.
func (t *tab) event(e event) {
	if e.Method == "Target.targetCreated" {
		var p struct {
			TargetInfo struct{ TargetID, Type string }
		}
		if json.Unmarshal(e.Params, &p) == nil && p.TargetInfo.Type == "page" && p.TargetInfo.TargetID != t.target {
			t.link.post("", "Target.closeTarget", args{"targetId": p.TargetInfo.TargetID}) // a window of the page
		}
		return
	}
	if e.Session != t.session {
		return
	}
	var p struct {
		paused
		Type string
	}
	if json.Unmarshal(e.Params, &p) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Method {
	case "Fetch.requestPaused":
		go t.decide(p.paused)
	case "Fetch.authRequired":
		reply := args{"response": "CancelAuth"}
		if p.AuthChallenge.Source == "Proxy" {
			reply = args{"response": "ProvideCredentials", "username": proxyUser, "password": t.gate.secret}
		}
		t.link.post(t.session, "Fetch.continueWithAuth", args{"requestId": p.RequestID,
			"authChallengeResponse": reply})
	case "Network.requestWillBeSent":
		if strings.HasPrefix(p.Request.URL, "http") &&
			!slices.Contains([]string{"EventSource", "WebSocket", "Ping", "Prefetch"}, p.Type) {
			t.running[p.RequestID] = true
			t.changed = time.Now()
		}
	case "Network.loadingFinished", "Network.loadingFailed":
		if t.running[p.RequestID] {
			delete(t.running, p.RequestID)
			t.changed = time.Now()
		}
	case "Page.loadEventFired":
		t.loaded, t.changed = true, time.Now()
	case "Page.javascriptDialogOpening":
		t.link.post(t.session, "Page.handleJavaScriptDialog", args{"accept": false})
	case "Inspector.targetCrashed":
		t.crashed = true
	}
}

// decide lets a request go on, or not. Pages in pages, pictures, films and fonts have no text.
func (t *tab) decide(p paused) {
	main := p.FrameID == t.frame
	document := p.ResourceType == "Document"
	t.mu.Lock()
	t.requests++
	if document && main {
		t.pages++
	}
	many := t.requests > maxRequests || t.pages > maxPages
	t.mu.Unlock()
	u, err := url.Parse(p.Request.URL)
	refused := many || err != nil || u.Scheme != "http" && u.Scheme != "https" || document && !main ||
		slices.Contains([]string{"Image", "Media", "Font", "TextTrack", "Ping", "Prefetch", "CSPViolationReport"},
			p.ResourceType)
	if !refused {
		if err := t.gate.gate.Check(t.ctx, u, document); err != nil {
			if refused = true; document {
				t.gate.note(err)
			}
		}
	}
	if refused {
		t.link.post(t.session, "Fetch.failRequest", args{"requestId": p.RequestID, "errorReason": "BlockedByClient"})
		return
	}
	reply := args{"requestId": p.RequestID}
	if document && u.Host == t.job.URL.Host && u.Scheme == t.job.URL.Scheme && len(t.job.Headers) > 0 {
		all := maps.Clone(p.Request.Headers)
		for name := range t.job.Headers {
			all[name] = t.job.Headers.Get(name)
		}
		var lines []args
		for name, value := range all {
			lines = append(lines, args{"name": name, "value": value})
		}
		reply["headers"] = lines
	}
	t.link.post(t.session, "Fetch.continueRequest", reply)
}

// navigate goes to the page and returns when its first bytes have come.
func (t *tab) navigate(ctx context.Context) error {
	var p struct{ ErrorText string }
	err := t.link.call(ctx, t.session, "Page.navigate", args{"url": t.job.URL.String()}, &p)
	if err == nil && p.ErrorText != "" {
		err = &LoadError{p.ErrorText}
	}
	return err
}

// settle waits until the page is quiet, but not longer than wait, and returns it.
func (t *tab) settle(ctx context.Context, wait time.Duration) (*Page, error) {
	within, stop := context.WithTimeout(ctx, wait)
	defer stop()
	busy := !t.await(within) || !t.scroll(within)
	for try := 0; ; try++ {
		again, stop := context.WithTimeout(ctx, time.Second)
		if busy || try > 0 { // end the script that runs
			t.link.post(t.session, "Runtime.terminateExecution", nil)
		}
		page, err := t.read(again)
		late := again.Err() != nil
		stop()
		switch {
		case err == nil:
			page.Busy = busy
			return page, nil
		case t.isCrashed(), errors.Is(err, ErrCrashed):
			return nil, ErrCrashed
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case try == 2 && late:
			return nil, ErrBusy
		case try == 2:
			return nil, err
		}
	}
}

func (t *tab) isCrashed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.crashed
}

// await waits until no request runs and nothing changes. It returns false at the end of ctx.
func (t *tab) await(ctx context.Context) bool {
	size, since := "", time.Now()
	quiet := cmp.Or(t.job.quiet, quiet)
	for ctx.Err() == nil && !t.isCrashed() {
		var now string
		if err := t.evaluate(ctx, sizeScript, &now); err != nil || now != size {
			size, since = now, time.Now()
		}
		t.mu.Lock()
		still := t.loaded && len(t.running) == 0 && time.Since(t.changed) > quiet
		t.mu.Unlock()
		if still && size != "" && time.Since(since) > quiet {
			return true
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return false
}

// sizeScript returns a text that changes with the page, also with its shadow trees.
const sizeScript = `[document.readyState, document.getElementsByTagName("*").length,
document.body ? document.body.textContent.length : 0, document.scrollingElement?.scrollHeight].join()`

// evaluate runs a script in a world of its own, where the page cannot change what it sees.
func (t *tab) evaluate(ctx context.Context, script string, result any) error {
	var world struct{ ExecutionContextID int }
	if err := t.link.call(ctx, t.session, "Page.createIsolatedWorld", args{"frameId": t.frame,
		"worldName": "techo"}, &world); err != nil {
		return err
	}
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Text string }
	}
	if err := t.link.call(ctx, t.session, "Runtime.evaluate", args{"expression": script,
		"contextId": world.ExecutionContextID, "returnByValue": true}, &out); err != nil {
		return err
	}
	if out.ExceptionDetails != nil {
		return &LoadError{out.ExceptionDetails.Text}
	}
	return json.Unmarshal(out.Result.Value, result)
}

func (t *tab) read(ctx context.Context) (*Page, error) {
	var got struct{ URL, HTML string }
	if err := t.evaluate(ctx, fmt.Sprintf("(%s)(%d)", strings.TrimSpace(copyScript), maxHTML), &got); err != nil {
		return nil, err
	}
	u, err := url.Parse(got.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &LoadError{"it led to " + u.Scheme + ":"}
	}
	return &Page{URL: u, HTML: got.HTML, Browser: t.version}, nil
}
