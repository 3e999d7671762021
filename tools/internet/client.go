// Package internet limits requests to the internet.
package internet

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
	"techo/tools"
)

// Settings are the settings of requests, with their rules.
type Settings struct{ tools.WebSettings }

// Of returns the settings of a call.
func Of(env *tools.Env) Settings { return Settings{env.Web} }

// PrivateAddressError is a request to an address outside of the public internet.
type PrivateAddressError struct {
	Host  string
	Cloud string // the clouds whose machines find a service there, or ""
}

func (e *PrivateAddressError) Error() string { return e.Host + ": not on the public internet" }

// AllowsPrivate reports whether the person allows private addresses for a host.
func (s Settings) AllowsPrivate(host, port string) bool {
	return s.AllowPrivate || s.names(host, port)
}

// names reports whether the person named a host that may be private.
func (s Settings) names(host, port string) bool {
	return slices.ContainsFunc(s.Allow, func(a string) bool {
		return strings.EqualFold(a, host) || strings.EqualFold(a, net.JoinHostPort(host, port)) ||
			strings.EqualFold(a, host+":"+port)
	})
}

// CheckHost returns an error for a host that is private by its name or as an address in any
// spelling. It looks nothing up. AllowPrivate does not admit the services of clouds, which
// give a machine's credentials to whoever asks: only naming the host does.
func (s Settings) CheckHost(host, port string, public func(netip.Addr) bool) error {
	a, literal := address.Parse(host)
	if s.names(host, port) || literal && s.names(a.Unmap().String(), port) {
		return nil
	}
	if cloud := address.CloudOf(host); cloud != "" {
		return &PrivateAddressError{host, cloud}
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if !s.AllowPrivate && (name == "localhost" || strings.HasSuffix(name, ".localhost") || literal && !public(a)) {
		return &PrivateAddressError{Host: host}
	}
	return nil
}

// CheckAddress returns an error for an address that a host may not lead to. The person must
// have named the address of a cloud's service, or the name that the cloud gave it.
func (s Settings) CheckAddress(host, port string, a netip.Addr, public func(netip.Addr) bool) error {
	plain := a.Unmap().WithZone("").String()
	cloud := address.Cloud(a)
	switch {
	case s.names(plain, port):
	case cloud != "" && (address.CloudOf(host) == "" || !s.names(host, port)):
		return &PrivateAddressError{plain, cloud}
	case public(a), s.AllowsPrivate(host, port):
	default:
		return &PrivateAddressError{Host: host}
	}
	return nil
}

// GuardedClient returns a client for addresses that came from a call. It connects
// only to the public internet and to hosts that the person allows, and checks the
// address of each connection. It follows no redirects.
func GuardedClient(env *tools.Env) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{Proxy: http.ProxyURL(nil), TLSHandshakeTimeout: 10 * time.Second,
		ForceAttemptHTTP2: true, DisableKeepAlives: true}
	transport.DialContext = dialer.DialContext
	settings := Of(env)
	if settings.Proxy != nil {
		transport.Proxy = func(r *http.Request) (*url.URL, error) { return settings.Proxy(r.URL) }
	}
	return &http.Client{
		Transport:     &guardedTransport{settings, transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// PortOf returns the port of a URL, by its scheme if it names none.
func PortOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// guardedTransport rejects private addresses.
type guardedTransport struct {
	of Settings
	to *http.Transport
}

// RoundTrip checks the host by its name, and, without a proxy, the address of the
// connection.
func (g *guardedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	host, port := r.URL.Hostname(), PortOf(r.URL)
	if err := g.of.CheckHost(host, port, address.Public); err != nil {
		return nil, err
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
			if err == nil {
				err = g.of.CheckAddress(host, port, to.Addr(), address.Public)
			}
			return err
		}}).DialContext
	return guarded.RoundTrip(r)
}

// IsPrivateAddress reports whether a request failed because its address is private.
func IsPrivateAddress(err error) bool { return errors.As(err, new(*PrivateAddressError)) }
