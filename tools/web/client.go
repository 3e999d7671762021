package web

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"techo/internal/address"
	"techo/tools"
)

// Limits of a request.
const (
	maxRedirects = 5
	maxBody      = 5 << 20 // bytes, decompressed
	maxHeaders   = 256 << 10
	headerWait   = 20 * time.Second
)

// client fetches pages, and keeps to the public internet.
type client struct {
	env    *tools.Env
	public func(netip.Addr) bool // which addresses are on the public internet
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	private bool // an address that is not public was reached
}

func newClient(env *tools.Env) *client {
	return &client{env: env, public: address.Public, lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}}
}

// request is what is asked for.
type request struct {
	url     *url.URL
	headers http.Header
	etag    string // of what is known already, "" is nothing
	since   string
}

// response is what came.
type response struct {
	url        *url.URL // the last one
	redirects  []string
	status     int
	statusText string
	header     http.Header
	body       []byte
	incomplete bool // the body broke off, or was cut
}

// privateError says that an address is not on the public internet.
type privateError struct{ host string }

func (e *privateError) Error() string { return e.host + ": not on the public internet" }

// fetch gets a page, through all its redirects.
func (c *client) fetch(ctx context.Context, r request) (*response, error) {
	transport := &http.Transport{
		Proxy:                  c.proxy,
		DialContext:            c.dial,
		DisableKeepAlives:      true,
		DisableCompression:     true, // decompression has limits here
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  headerWait,
		MaxResponseHeaderBytes: maxHeaders,
		ForceAttemptHTTP2:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
	}
	defer transport.CloseIdleConnections()
	out := &response{url: r.url, redirects: []string{}}
	for {
		if err := c.checkHost(ctx, out.url); err != nil {
			return out, err
		}
		done, err := c.once(ctx, transport, r, out)
		if done || err != nil {
			return out, err
		}
	}
}

// once sends one request. done is false when it was answered by a redirect,
// which out then points to.
func (c *client) once(ctx context.Context, transport *http.Transport, r request, out *response) (done bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, out.url.String(), nil)
	if err != nil {
		return false, err
	}
	c.setHeaders(req, r, out)
	res, err := transport.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	out.status, out.statusText, out.header = res.StatusCode, res.Status, res.Header
	if next := res.Header.Get("Location"); next != "" && isRedirect(res.StatusCode) {
		return false, out.follow(next)
	}
	if res.StatusCode == http.StatusNotModified {
		return true, nil
	}
	return true, out.read(res)
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

// setHeaders writes the headers of a request. What the caller gave goes to the
// host that it was given for, and to no other.
func (c *client) setHeaders(req *http.Request, r request, out *response) {
	req.Header = http.Header{
		"User-Agent":      {c.env.Web.Agent},
		"Accept":          {"text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.8, text/plain;q=0.8, */*;q=0.5"},
		"Accept-Encoding": {"gzip"},
		"Accept-Language": {c.env.Say(tools.Say{EN: "en, *;q=0.5", JA: "ja, en;q=0.7, *;q=0.5"})},
	}
	if out.url.Host == r.url.Host && out.url.Scheme == r.url.Scheme {
		for name, values := range r.headers {
			req.Header[name] = values
		}
	}
	if len(out.redirects) == 0 && r.etag != "" {
		req.Header.Set("If-None-Match", r.etag)
	}
	if len(out.redirects) == 0 && r.since != "" {
		req.Header.Set("If-Modified-Since", r.since)
	}
}

// redirectError says that a redirect leads nowhere.
type redirectError struct {
	scheme string // that it leads to, "" when there were too many
}

func (e *redirectError) Error() string { return "redirect: " + e.scheme }

// follow goes where a redirect points to.
func (out *response) follow(location string) error {
	next, err := out.url.Parse(location)
	if err != nil || next.Host == "" && (next.Scheme == "http" || next.Scheme == "https") {
		return fmt.Errorf("redirected to no address: %q", location)
	}
	if next.Scheme != "http" && next.Scheme != "https" {
		return &redirectError{next.Scheme}
	}
	next.User, next.Fragment = nil, ""
	if len(out.redirects) == maxRedirects {
		return &redirectError{}
	}
	out.redirects = append(out.redirects, next.String())
	out.url = next
	return nil
}

// encodingError says that a body was packed in a way that nobody asked for.
type encodingError struct{ name string }

func (e *encodingError) Error() string { return "content encoding " + e.name }

// slowError says that a body did not end in time.
type slowError struct {
	got int
	err error
}

func (e *slowError) Error() string { return fmt.Sprintf("body: %d bytes: %v", e.got, e.err) }
func (e *slowError) Unwrap() error { return e.err }

// read reads a body up to its limit, and unpacks it.
func (out *response) read(res *http.Response) error {
	from := io.Reader(res.Body)
	switch name := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding"))); name {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(from)
		if err == io.EOF { // nothing at all
			return nil
		}
		if err != nil {
			return badPacking(err)
		}
		z.Multistream(true)
		from = z
	default:
		return &encodingError{name}
	}
	var err error
	out.body, err = io.ReadAll(io.LimitReader(from, maxBody+1))
	if len(out.body) > maxBody {
		out.body, out.incomplete = out.body[:maxBody], true
		return nil
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), strings.HasPrefix(err.Error(), "flate:"):
		return badPacking(err)
	case errors.Is(err, io.ErrUnexpectedEOF) && len(out.body) > 0, errors.Is(err, syscall.ECONNRESET) && len(out.body) > 0:
		out.incomplete = true
		return nil
	}
	return &slowError{len(out.body), err}
}

func badPacking(err error) error {
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || strings.HasPrefix(err.Error(), "flate:") || errors.Is(err, io.ErrUnexpectedEOF) {
		return &encodingError{}
	}
	return &slowError{0, err}
}

// allowed reports whether a host was named as one that may be private.
func (c *client) allowed(host, port string) bool {
	if c.env.Web.AllowPrivate {
		return true
	}
	return slices.ContainsFunc(c.env.Web.Allow, func(a string) bool {
		return strings.EqualFold(a, host) || strings.EqualFold(a, net.JoinHostPort(host, port)) || strings.EqualFold(a, host+":"+port)
	})
}

// checkHost refuses a host that is seen to be private before anything is
// dialled. Through a proxy this is all that can be done.
func (c *client) checkHost(ctx context.Context, u *url.URL) error {
	host, port := u.Hostname(), portOf(u)
	a, literal := address.Parse(host)
	if literal { // as the address that it is, whatever a resolver makes of it
		u.Host = net.JoinHostPort(a.String(), port)
		if port == portOf(&url.URL{Scheme: u.Scheme}) {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
	}
	if c.allowed(host, port) || literal && c.allowed(a.String(), port) {
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || literal && !c.public(a) {
		return &privateError{host}
	}
	if literal {
		return nil
	}
	if via, err := c.proxy(&http.Request{URL: u}); err == nil && via != nil {
		found, err := c.lookup(ctx, host)
		if err == nil && len(found) > 0 && !slices.ContainsFunc(found, c.public) {
			return &privateError{host}
		}
	}
	return nil
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func (c *client) proxy(req *http.Request) (*url.URL, error) {
	if c.env.Web.Proxy == nil {
		return nil, nil
	}
	return c.env.Web.Proxy(req.URL)
}

// dial connects, and looks at the address that it really connects to: no
// redirect, no second answer of a name server leads anywhere else. The proxy
// that the person chose may be anywhere.
func (c *client) dial(ctx context.Context, network, where string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(where)
	if err != nil {
		return nil, err
	}
	free := c.allowed(host, port) || c.isProxy(where)
	d := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, real string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(real)
		switch {
		case err != nil:
			return err
		case c.public(to.Addr()):
		case free:
			c.private = true
		default:
			return &privateError{host}
		}
		return nil
	}}
	found, err := c.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	var last error
	for _, a := range found {
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return conn, nil
		}
		if last == nil || !errors.As(err, new(*privateError)) {
			last = err
		}
	}
	return nil, last
}

// resolve finds the addresses of a host.
func (c *client) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	found, err := c.lookup(ctx, host)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, err
}

// isProxy reports whether an address is that of a proxy for some page.
func (c *client) isProxy(where string) bool {
	if c.env.Web.Proxy == nil {
		return false
	}
	for _, scheme := range []string{"http", "https"} {
		via, err := c.env.Web.Proxy(&url.URL{Scheme: scheme, Host: "example.com"})
		if err == nil && via != nil && net.JoinHostPort(via.Hostname(), portOf(via)) == where {
			return true
		}
	}
	return false
}
