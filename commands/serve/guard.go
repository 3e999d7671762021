package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"techo/commands/page"
	"techo/tools"
)

// guard refuses requests that web pages send.
//
// A page in a browser on this machine can send requests to the server. If the
// owner of the page's host name points that name at this machine (DNS
// rebinding), the page can also read the answers. But a page cannot choose the
// Host and Origin headers that its browser sends. So Host must be an address or
// an allowed name, and Origin must be absent or match Host. The server's
// own page has the same origin. A one-time link is opened from anywhere: its key, which
// no other page can guess, protects it.
type guard struct {
	socket bool     // listens on a unix socket, which browsers cannot reach
	names  []string // host names by which clients may call this machine
}

// check returns an error for a request that is refused.
func (g guard) check(env *tools.Env, r *http.Request) *tools.Error {
	switch {
	case !g.socket && !g.isOurs(r.Host):
		return env.Fail(tools.Forbidden, "%q is not a name of this server", r.Host).
			WithHint(env.Hint("Call it by its address or localhost, or start it with --host NAME"))
	case g.isForeign(r) && !opensPage(r):
		return env.Fail(tools.Forbidden, "Web pages cannot call this server").
			WithHint(env.Hint("Call it from a program, not from a browser"))
	}
	return nil
}

// opensPage reports whether a browser navigates to a one-time link of the page. Scripts
// cannot read the answer, which is not CORS-enabled.
func opensPage(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == page.OpenPath && len(r.Header.Values("Origin")) == 0 &&
		r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOurs reports whether a Host stands for this machine: an address, which
// cannot be rebound, localhost, or an allowed name.
func (g guard) isOurs(host string) bool {
	name := hostName(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(g.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// hostName returns a Host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// isForeign reports whether a request comes from a page of another origin.
// Browsers set the headers Sec-Fetch-Site and Origin; other programs do not.
func (g guard) isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
	default:
		return true
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) || u.Scheme != "http" &&
			u.Scheme != "https" {
			return true
		}
	}
	return false
}
