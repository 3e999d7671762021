package web

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync"

	"techo/internal/browser"
	"techo/internal/page"
	"techo/tools"
	"techo/tools/internet"
)

// renderer runs the scripts of pages.
type renderer struct{ f *fetch }

// rendered returns the page after its scripts ran, if that was asked for and, with "auto", if
// the page has no text without them. With "auto", a page that cannot be rendered stays as it is.
func (r renderer) rendered(ctx context.Context, sent http.Header, got *fetched) (*fetched, error) {
	always := r.f.in.Render == "always"
	if r.f.in.Render == "never" || r.f.in.Render == "" {
		return got, nil
	}
	if internet.Of(r.f.env).Browser == "" && always {
		return nil, r.f.env.Fail(tools.Unavailable, "No browser may run the scripts of pages").
			WithHint(r.f.env.Hint("Ask the person to allow one: %s", tools.Use("config set", "browser", "auto")))
	}
	if need, err := r.needsScripts(ctx, got, always); err != nil || !need || internet.Of(r.f.env).Browser == "" {
		return got, err
	}
	c := r.f.openCache(ctx, sent)
	c.kind = " rendered"
	if known := c.find(r.f.url.String()); known != nil && known.browser != "" && c.usable(known, r.f.in.Refresh) {
		known.cached = true
		return &known.fetched, nil
	}
	gate := &gate{f: r.f, client: *r.f.client}
	shown, err := r.runScripts(ctx, sent, got, gate)
	if err == nil {
		r.f.client.private = r.f.client.private || gate.client.private
		r.f.client.viaProxy = r.f.client.viaProxy || gate.client.viaProxy
		c.keep(r.f.url.String(), shown, r.f.client.private)
		return shown, nil
	}
	e := r.renderError(err)
	if always || ctx.Err() != nil || e.Code == tools.Forbidden {
		return nil, e
	}
	r.f.failed = e
	return got, nil
}

// needsScripts reports whether a page is HTML and, unless always is set, has no text without
// its scripts.
func (r renderer) needsScripts(ctx context.Context, got *fetched, always bool) (bool, error) {
	release, err := r.f.reserve(ctx, &got.response)
	if err != nil {
		return false, err
	}
	defer release()
	d := r.f.read(ctx, &got.response)
	if d.kind != "html" || always {
		return d.kind == "html", nil
	}
	p := d.page
	if p == nil {
		p = page.Parse(d.text)
	}
	if !p.Shell || page.AbsenceOf(p) == page.RobotCheck {
		return false, nil
	}
	out := FetchedPage{PageFields: PageFields{NeedsJavaScript: true}}
	(&view{env: r.f.env}).credit(&out, p.Content())
	return out.NeedsJavaScript, nil
}

func (r renderer) runScripts(ctx context.Context, sent http.Header, got *fetched, gate *gate) (*fetched, error) {
	program := internet.Of(r.f.env).Browser
	if program == "auto" {
		var err error
		if program, err = browser.Find(); err != nil {
			return nil, err
		}
	}
	if r.f.env.Room != nil {
		release, err := r.f.env.Room.Wait(ctx, browser.MaxMemory)
		if err != nil {
			return nil, err
		}
		defer release()
	}
	p, err := browser.Render(ctx, browser.Job{Program: program, URL: r.f.url, Headers: sent, Gate: gate,
		Agent: internet.Of(r.f.env).Agent, Language: r.f.env.Localize("en, *;q=0.5")})
	if err != nil {
		return nil, err
	}
	shown := *got
	shown.cached, shown.at, shown.browser = false, r.f.env.Now(), p.Browser
	shown.url, shown.body, shown.incomplete = p.URL, []byte(p.HTML), p.Busy
	shown.url.Fragment = ""
	shown.header = maps.Clone(got.header)
	shown.header.Set("Content-Type", "text/html; charset=utf-8")
	for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding"} {
		shown.header.Del(name)
	}
	return &shown, nil
}

// renderError explains why a page could not be rendered.
func (r renderer) renderError(err error) *tools.Error {
	var failed *browser.StartError
	var private *internet.PrivateAddressError
	var known *tools.Error
	env := r.f.env
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &private):
		return tools.AsError(env, refusePrivate(env, err))
	case errors.Is(err, browser.ErrNone):
		return env.Fail(tools.Unavailable, "No Chromium, Chrome or Edge was found").
			WithHint(env.Hint("Ask the person for the path of one: %s",
				tools.Use("config set", "browser", tools.Placeholder("PATH"))))
	case errors.Is(err, browser.ErrUnsupported):
		return env.Fail(tools.Unavailable, "Pages are not rendered on this system")
	case errors.As(err, &failed):
		return env.Fail(tools.Unavailable, "The browser did not start: %s", failed.Reason)
	case errors.Is(err, browser.ErrMemory):
		return env.Fail(tools.LimitExceeded, "The scripts of the page take too much memory")
	case errors.Is(err, browser.ErrBusy):
		return env.Fail(tools.LimitExceeded, "The scripts of the page do not end")
	case errors.Is(err, context.DeadlineExceeded):
		return env.Fail(tools.Timeout, "The page was not rendered in %s",
			env.Count(r.f.in.Timeout, "%d second", "%d seconds"))
	case errors.Is(err, context.Canceled):
		return tools.AsError(env, err)
	}
	return env.Fail(tools.Upstream, "The browser could not show the page: %v", err)
}

// gate applies the rules of web fetch to the requests of a browser.
type gate struct {
	f      *fetch
	mu     sync.Mutex
	client client // of all requests; each uses a copy of it
}

// do calls a function with a client of its own, which it may change.
func (g *gate) do(use func(c *client)) {
	g.mu.Lock()
	c := g.client
	g.mu.Unlock()
	use(&c)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.client.private = g.client.private || c.private
	g.client.viaProxy = g.client.viaProxy || c.viaProxy
}

// Check refuses private hosts and, if robots.txt counts, pages that it does not allow.
func (g *gate) Check(ctx context.Context, u *url.URL, document bool) (err error) {
	if u.User != nil {
		return &redirectError{user: true}
	}
	g.do(func(c *client) {
		to := *u
		if err = c.checkHost(ctx, &to); err == nil && document && g.f.in.Robots && u.String() != g.f.url.String() {
			one := *g.f
			one.url, one.client = &to, c
			err = one.checkRobots(ctx)
		}
	})
	return err
}

// Dial connects to an address that is allowed.
func (g *gate) Dial(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	g.do(func(c *client) { conn, err = c.dial(ctx, network, addr) })
	return conn, err
}

// Via returns the person's proxy for an address.
func (g *gate) Via(u *url.URL) (via *url.URL, err error) {
	g.do(func(c *client) { via, err = c.proxy(&http.Request{URL: u}) })
	return via, err
}
