package tools

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"techo/internal/address"
)

// PrivateAddressError is a request to an address outside of the public internet.
type PrivateAddressError struct{ Host string }

func (e *PrivateAddressError) Error() string { return e.Host + ": not on the public internet" }

// AllowsPrivate reports whether the person allows private addresses for a host.
func (w *Web) AllowsPrivate(host, port string) bool {
	return w.AllowPrivate || slices.ContainsFunc(w.Allow, func(a string) bool {
		return strings.EqualFold(a, host) || strings.EqualFold(a, net.JoinHostPort(host, port)) ||
			strings.EqualFold(a, host+":"+port)
	})
}

// GuardedClient returns a client for addresses that came from a call. It connects
// only to the public internet and to hosts that the person allows, and checks the
// address of each connection. It follows no redirects.
func (env *Env) GuardedClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{Proxy: http.ProxyURL(nil), TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2: true, DisableKeepAlives: true}
	transport.DialContext = dialer.DialContext
	if env.Web.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return env.Web.Proxy(r.URL) }
	}
	return &http.Client{
		Transport:     &guardedTransport{env, transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// guardedTransport rejects private addresses.
type guardedTransport struct {
	env *Env
	to  *http.Transport
}

// RoundTrip checks the host by its name, and, without a proxy, the address of the
// connection.
func (g *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	host, port := r.URL.Hostname(), r.URL.Port()
	if port == "" {
		port = map[bool]string{true: "443", false: "80"}[r.URL.Scheme == "https"]
	}
	if g.env.Web.AllowsPrivate(host, port) {
		return g.to.RoundTrip(r)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	a, literal := address.Parse(host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || literal && !address.Public(a) {
		return nil, &PrivateAddressError{host}
	}
	if via, err := g.to.Proxy(r); err != nil || via != nil {
		if err != nil {
			return nil, err
		}
		return g.to.RoundTrip(r) // the proxy looks the name up
	}
	guarded := g.to.Clone()
	guarded.DialContext = (&net.Dialer{Timeout: 10 * time.Second,
		Control: func(_, remote string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(remote)
			if err == nil && !address.Public(to.Addr()) {
				err = &PrivateAddressError{host}
			}
			return err
		}}).DialContext
	return guarded.RoundTrip(r)
}

// IsPrivateAddress reports whether a request failed because its address is private.
func IsPrivateAddress(err error) bool { return errors.As(err, new(*PrivateAddressError)) }
