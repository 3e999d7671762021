package serve

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"techo/tools"
)

// guard decides which requests are heard.
//
// A page in a browser on this machine can send requests to it, and by a name
// that its owner points at this machine (DNS rebinding) can also read the
// answers. What a page cannot do is to choose the Host and the Origin that its
// browser sends. So a request has to come by an address or a name that is
// ours, and if it comes from a page, from one of ours. There is none.
type guard struct {
	socket bool     // a unix socket: no browser gets there
	names  []string // by which clients may call this machine
}

// check returns why a request is not heard, nil if it is.
func (g guard) check(env *tools.Env, r *http.Request) *tools.Error {
	switch {
	case !g.socket && !g.isOurs(r.Host):
		return env.Fail(tools.Forbidden, "This server is not called %q", r.Host).
			WithHint(env.Localize("Call it by its address or localhost, or start it with --host NAME"))
	case g.isForeign(r):
		return env.Fail(tools.Forbidden, "A page from elsewhere may not call this server").
			WithHint(env.Localize("Call it from a program, not from a browser"))
	}
	return nil
}

// isOurs reports whether a Host is this machine: an address, which nobody can
// point elsewhere, localhost, or a name that was allowed.
func (g guard) isOurs(host string) bool {
	name := hostName(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(g.names, func(n string) bool { return strings.EqualFold(n, name) })
}

// hostName is a Host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// isForeign reports whether a request comes from a page of another origin. The
// headers that tell are set by the browser; a program sends none of them.
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
