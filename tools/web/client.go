package web

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"techo/internal/address"
	"techo/internal/neterr"
	"techo/tools"
	"techo/tools/internet"
)

// Limits of a request.
const (
	maxRedirects = 5
	maxBody      = 5 << 20   // bytes, decompressed
	maxSaved     = 100 << 20 // bytes of a body that is saved to a file
	maxHeaders   = 256 << 10
	headerWait   = 20 * time.Second
)

// client fetches pages from the public internet.
type client struct {
	env    *tools.Env
	public func(netip.Addr) bool // reports whether an address is on the public internet
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	roots *x509.CertPool // trusted certificates; nil means the system's

	cookies  *cookiejar.Jar // of the redirects that are being followed
	private  bool           // a private address was reached
	viaProxy bool           // a proxy was used
}

func newClient(env *tools.Env) *client {
	return &client{env: env, public: address.Public,
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}}
}

// request describes a page to fetch.
type request struct {
	url      *url.URL
	headers  http.Header
	etag     string // of the cached page, or ""
	since    string
	maxBytes int // of the body
}

// response is the answer after all redirects.
type response struct {
	url        *url.URL // after the last redirect
	redirects  []string
	status     int
	statusText string
	header     http.Header
	body       []byte
	incomplete bool // the body was interrupted or cut
	large      bool // the body exceeded the limit
}

// fetch gets a page and follows redirects.
func (c *client) fetch(ctx context.Context, r request) (*response, error) {
	transport := &http.Transport{
		Proxy:                  c.proxy,
		DialContext:            c.dial,
		DisableKeepAlives:      true,
		DisableCompression:     true, // read decompresses with a limit
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  headerWait,
		MaxResponseHeaderBytes: maxHeaders,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.roots},
	}
	defer transport.CloseIdleConnections()
	out := &response{url: r.url, redirects: []string{}}
	// Cookies live as long as the redirects of one page.
	c.cookies, _ = cookiejar.New(nil) // never fails
	again := true
	for {
		if err := c.checkHost(ctx, out.url); err != nil {
			return out, err
		}
		done, err := c.send(ctx, transport, r, out)
		wait, retry := c.retryDelay(out, err)
		switch {
		case again && retry && pause(ctx, wait):
			again = false
		case done || err != nil:
			return out, err
		}
	}
}

// Limits of the single retry.
const (
	defaultRetryDelay = 200 * time.Millisecond
	maxRetryDelay     = 5 * time.Second // longest accepted Retry-After
	minRetryTime      = 2 * time.Second // least time left that makes a retry worthwhile
)

// retryDelay reports whether a retry may help, and after how long: the connection
// was cut before the answer, or the server sent Retry-After.
func (c *client) retryDelay(out *response, err error) (wait time.Duration, retry bool) {
	switch {
	case out.status == 0 && (neterr.Reset(err) || errors.Is(err, io.EOF)):
		return defaultRetryDelay, true
	case err != nil || out.status != http.StatusServiceUnavailable:
		return 0, false
	}
	after := out.header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		wait = time.Duration(min(n, 3600)) * time.Second
	} else if at, err := http.ParseTime(after); err == nil {
		wait = at.Sub(c.env.Now())
	} else {
		return 0, false
	}
	return max(wait, 0), wait <= maxRetryDelay
}

// pause waits. It returns false if the context ends before a retry could succeed.
func pause(ctx context.Context, wait time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait+minRetryTime {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// send sends one request. done is false after a redirect, whose target is then in
// out.
func (c *client) send(ctx context.Context, transport *http.Transport, r request, out *response) (done bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, out.url.String(), nil)
	if err != nil {
		return false, err
	}
	c.setHeaders(req, r, out)
	out.status, out.body, out.incomplete = 0, nil, false
	res, err := transport.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	out.status, out.statusText, out.header = res.StatusCode, res.Status, res.Header
	c.cookies.SetCookies(out.url, res.Cookies())
	if next := res.Header.Get("Location"); next != "" && isRedirect(res.StatusCode) {
		return false, out.follow(next)
	}
	if res.StatusCode == http.StatusNotModified {
		return true, nil
	}
	return true, out.read(res, r.maxBytes)
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

// setHeaders sets the headers of a request. The caller's own headers go only to
// the host of the original URL.
func (c *client) setHeaders(req *http.Request, r request, out *response) {
	req.Header = http.Header{
		"User-Agent": {internet.Of(c.env).Agent},
		"Accept": {"text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, " +
			"text/plain;q=0.8, */*;q=0.5"},
		"Accept-Encoding": {"gzip, deflate, br"},
		"Accept-Language": {c.env.Localize("en, *;q=0.5")},
	}
	if out.url.Host == r.url.Host && out.url.Scheme == r.url.Scheme {
		for name, values := range r.headers {
			req.Header[name] = values
		}
	}
	if req.Header.Get("Cookie") == "" {
		for _, cookie := range c.cookies.Cookies(out.url) {
			req.AddCookie(cookie)
		}
	}
	if len(out.redirects) == 0 && r.etag != "" {
		req.Header.Set("If-None-Match", r.etag)
	}
	if len(out.redirects) == 0 && r.since != "" {
		req.Header.Set("If-Modified-Since", r.since)
	}
}

type redirectError struct {
	scheme string // scheme of the target, or "" after too many redirects
	user   bool   // the target has a user name or password
}

func (e *redirectError) Error() string { return "redirect: " + e.scheme }

// follow sets the next URL from a redirect.
func (out *response) follow(location string) error {
	next, err := out.url.Parse(location)
	if err != nil || next.Host == "" && (next.Scheme == "http" || next.Scheme == "https") {
		return fmt.Errorf("redirect without an address: %q", location)
	}
	if next.Scheme != "http" && next.Scheme != "https" {
		return &redirectError{scheme: next.Scheme}
	}
	if next.User != nil { // it would pass for the host, or send a stranger's secret there
		return &redirectError{user: true}
	}
	next.Fragment, next.RawQuery = "", escapeQuery(next.RawQuery)
	if len(out.redirects) == maxRedirects {
		return &redirectError{}
	}
	out.redirects = append(out.redirects, displayURL(next))
	out.url = next
	return nil
}

// displayURL returns the URL as text, with international host names unescaped.
func displayURL(u *url.URL) string {
	if u.Host == "" {
		return u.String() // a file has no address
	}
	escaped := (&url.URL{Host: u.Host}).String()
	return strings.Replace(u.String(), escaped, "//"+u.Host, 1)
}
