package server

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/store/ledger"
	"techo/store/token"
	"techo/tools"
	"techo/tools/space"
)

// Caller is the authenticated sender of a request over HTTP.
type Caller struct {
	Token   *token.Token // nil: the owner of the server, who may name any user
	Address string       // of the connection, HOST:PORT; anything else is a local socket
	Page    bool         // the person, in a session of the page
	Secret  bool         // that the person's secret has unlocked
}

// CheckUser returns an error if a request names another user than the user of
// its token.
func (c Caller) CheckUser(env *tools.Env, r *http.Request) *tools.Error {
	if c.Token == nil {
		return nil
	}
	named := append(r.Header.Values(run.FindSetting("user").Header), r.URL.Query()["user_id"]...)
	for _, user := range named {
		if !ledger.SameUser(user, c.Token.User) {
			return env.Fail(tools.Forbidden, "This token is not for the user %q", user).
				WithHint(env.Hint("Do not name a user: the token belongs to %s", c.Token.User))
		}
	}
	return nil
}

// client returns the name under which the calls of a client are counted if the
// host names no turn: the token, or the address of the owner's connection. No body
// or header of a request can change it. All programs of this machine are one
// client, because they could connect from any of its loopback addresses. An IPv6
// network of 64 bits is one client too.
func (c Caller) client() string {
	switch {
	case c.Page:
		return pageClient
	case c.Token != nil:
		return "http token " + c.Token.ID
	}
	from, err := netip.ParseAddrPort(c.Address)
	address := from.Addr().Unmap().WithZone("")
	switch {
	case err != nil, address.IsLoopback():
		return "http"
	case address.Is6():
		network, _ := address.Prefix(64) // never fails for IPv6
		return "http " + network.String()
	}
	return "http " + address.String()
}

// pageClient is the name of the page: as a client, and as the channel of an answer.
const pageClient = "page"

// callerKey is the key under which the context of a request carries its Host.
type callerKey struct{}

// WithCaller returns a context whose requests are answered as an authenticated
// caller's.
func (h *Host) WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, h.forCaller(c))
}

// Of returns the host for the caller of a request. Without an authenticated
// caller it is a host without any tools.
func (h *Host) Of(ctx context.Context) *Host {
	if own, ok := ctx.Value(callerKey{}).(*Host); ok {
		return own
	}
	return h.forCaller(Caller{Token: &token.Token{User: "anonymous", Only: []string{""}}})
}

// forCaller returns a host for one caller. The host for a user's token acts for that
// user, and offers only the tools that the token allows.
func (h *Host) forCaller(c Caller) *Host {
	own, r := *h, *h.Run
	r.ClientName = c.client()
	if c.Page {
		r.Vouched, r.SecretGiven = pageClient, c.Secret
	}
	if c.Token != nil {
		own.Audience = tools.Audience(c.Token.Audience).Within(h.Audience)
		r.Offered = AllowedTo(r.Offered, c.Token)
		r.Sharing = tools.SharingSettings{Member: true, Only: c.Token.Spaces}
	}
	own.Run, own.caller = &r, c
	return &own
}

// MetricsOnly is the name in store.Token.Only that allows to read the metrics of a
// server.
const MetricsOnly = "metrics"

// TokenOf returns the token of an authenticated caller; nil is the owner of the
// server, or a client over stdin and stdout.
func TokenOf(ctx context.Context) *token.Token {
	if own, ok := ctx.Value(callerKey{}).(*Host); ok {
		return own.caller.Token
	}
	return nil
}

// Identity names the caller and the user of a request. Data that a client
// carries from one request to the next is bound to it.
func (h *Host) Identity(user string) string {
	switch {
	case h.caller.Page:
		return "page\x00" + user
	case h.caller.Token == nil:
		return "owner\x00" + user
	}
	return "token\x00" + h.caller.Token.ID + "\x00" + user
}

// AllowedTo returns the tools, with those switched off that a token does not
// allow.
func AllowedTo(all []*tools.Tool, t *token.Token) []*tools.Tool {
	return catalogue.SwitchOff(catalogue.ForToken(all, tools.Audience(t.Audience)), func(tool *tools.Tool) tools.Advice {
		switch {
		case len(t.Only) > 0 && !catalogue.InGroups(tool, t.Only):
			return tools.Advise("The token does not allow it (%s)", tools.Flag("only"))
		case catalogue.Leads(tool): // what it leads to is checked itself
		case t.ReadOnly && tool.Effect != tools.Reads:
			return tools.Advise("It changes something, and the token is %s", tools.Flag("read-only"))
		case len(t.Spaces) > 0 && strings.HasPrefix(tool.Command, "space ") && tool.Name != space.ListName:
			return tools.Advise("A token with %s cannot manage spaces", tools.Flag("spaces"))
		case len(t.Spaces) > 0 && tool.Sharing == tools.NotShared && tool.Name != space.ListName:
			return tools.Advise("It uses no shared space, and the token allows only some (%s)", tools.Flag("spaces"))
		}
		return tools.Advice{}
	})
}
