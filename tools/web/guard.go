package web

import (
	"context"
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
	"techo/tools/internet"
)

// checkName rejects a host that is private by its name or literal address, without
// a lookup.
func (c *client) checkName(u *url.URL) error {
	return internet.Of(c.env).CheckHost(u.Hostname(), internet.PortOf(u), c.public)
}

// checkHost rejects private hosts before dialling. With a proxy this is the only
// check, since the proxy resolves the name.
func (c *client) checkHost(ctx context.Context, u *url.URL) error {
	if err := c.checkName(u); err != nil {
		return err
	}
	host, port := u.Hostname(), internet.PortOf(u)
	if a, literal := address.Parse(host); literal { // normal form, so that resolvers cannot interpret it differently
		u.Host = net.JoinHostPort(a.String(), port)
		if port == internet.PortOf(&url.URL{Scheme: u.Scheme}) {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		return nil
	}
	if via, err := c.proxy(&http.Request{URL: u}); err != nil || via == nil {
		return nil
	}
	found, err := c.lookup(ctx, host)
	if err != nil || len(found) == 0 {
		return nil // the proxy may know the name
	}
	var refused []error
	for _, a := range found {
		if err := internet.Of(c.env).CheckAddress(host, port, a, c.public); err != nil {
			refused = append(refused, err)
		}
	}
	cloud := slices.IndexFunc(refused, func(err error) bool {
		private := new(internet.PrivateAddressError)
		return errors.As(err, &private) && private.Cloud != ""
	})
	switch {
	case cloud >= 0:
		return refused[cloud]
	case len(refused) == len(found):
		return refused[0]
	}
	return nil
}

func (c *client) proxy(req *http.Request) (*url.URL, error) {
	if internet.Of(c.env).Proxy == nil {
		return nil, nil
	}
	via, err := internet.Of(c.env).Proxy(req.URL)
	c.viaProxy = c.viaProxy || via != nil
	return via, err
}

// dial connects and checks the address of the actual connection, so that redirects
// and changing name server answers cannot reach a private address. The person's
// own proxy may be private.
func (c *client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	isProxy := c.isProxy(addr)
	d := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, remote string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(remote)
		if err != nil {
			return err
		}
		if !isProxy {
			err = internet.Of(c.env).CheckAddress(host, port, to.Addr(), c.public)
		}
		c.private = c.private || err == nil && !c.public(to.Addr())
		return err
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
		if last == nil || !errors.As(err, new(*internet.PrivateAddressError)) {
			last = err
		}
	}
	return nil, last
}

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

// isProxy reports whether an address belongs to the configured proxy.
func (c *client) isProxy(addr string) bool {
	if internet.Of(c.env).Proxy == nil {
		return false
	}
	for _, scheme := range []string{"http", "https"} {
		via, err := internet.Of(c.env).Proxy(&url.URL{Scheme: scheme, Host: "example.com"})
		if err == nil && via != nil && net.JoinHostPort(via.Hostname(), internet.PortOf(via)) == addr {
			return true
		}
	}
	return false
}
