package commands

import (
	"crypto/sha256"
	"crypto/subtle"
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
	socket bool     // a unix socket: no browser gets there, and its mode says who does
	names  []string // by which clients may call this machine
	token  string   // "" asks for none
}

// check returns why a request is not heard, nil if it is.
func (g guard) check(env *tools.Env, r *http.Request) *tools.Error {
	switch {
	case !g.socket && !g.isOurs(r.Host):
		return env.Fail(tools.Forbidden, tools.Say{EN: "This server is not called %q", JA: "このサーバーは「%s」という名前ではありません"}, r.Host).
			WithHint(env.Say(tools.Say{EN: "Call it by its address or localhost, or start it with --host NAME", JA: "アドレスか localhost で呼び出すか、--host NAME を付けて起動してください"}))
	case g.isForeign(r):
		return env.Fail(tools.Forbidden, tools.Say{EN: "A page from elsewhere may not call this server", JA: "他のサイトのページからは呼び出せません"}).
			WithHint(env.Say(tools.Say{EN: "Call it from a program, not from a browser", JA: "ブラウザではなくプログラムから呼び出してください"}))
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
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) || u.Scheme != "http" && u.Scheme != "https" {
			return true
		}
	}
	return false
}

// authorized reports whether a request shows the token.
func (g guard) authorized(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	a, b := sha256.Sum256([]byte(strings.TrimSpace(shown))), sha256.Sum256([]byte(g.token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// refused is the answer to a request without the token.
func (g guard) refused(env *tools.Env) *tools.Error {
	return env.Fail(tools.Unavailable, tools.Say{EN: "The token is missing or wrong", JA: "トークンがないか、正しくありません"}).
		WithHint(env.Say(tools.Say{EN: "Send the header Authorization: Bearer $TECHO_TOKEN", JA: "ヘッダー Authorization: Bearer $TECHO_TOKEN を送ってください"}))
}
