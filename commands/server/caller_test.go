package server

import (
	"net/http"
	"testing"

	"techo/commands/catalogue"
	"techo/commands/run"
	"techo/commands/system"
	"techo/store/token"
	"techo/tools"
)

// TestClients counts calls by token, else by the address of the owner's
// connection.
func TestClients(t *testing.T) {
	tok := &token.Token{ID: "t1", User: "alice"}
	for want, callers := range map[string][]Caller{
		"http": {{}, {Address: "@"}, {Address: "127.0.0.1:1"}, {Address: "127.0.0.2:2"}, {Address: "[::1]:3"},
			{Address: "[::ffff:127.0.0.1]:3"}},
		"http 192.0.2.7": {{Address: "192.0.2.7:1"}, {Address: "192.0.2.7:2"},
			{Address: "[::ffff:192.0.2.7]:3"}},
		"http 192.0.2.8":         {{Address: "192.0.2.8:1"}},
		"http 2001:db8::/64":     {{Address: "[2001:db8::1]:1"}, {Address: "[2001:db8::2%eth0]:2"}},
		"http 2001:db8:0:1::/64": {{Address: "[2001:db8:0:1::1]:1"}},
		"http token t1":          {{Token: tok}, {Token: tok, Address: "192.0.2.7:1"}},
		"http token t2":          {{Token: &token.Token{ID: "t2", User: "alice"}, Address: "192.0.2.7:1"}},
	} {
		for _, c := range callers {
			if got := c.client(); got != want {
				t.Errorf("%+v: %q, want %q", c, got, want)
			}
		}
	}
}

// TestUnidentified offers no tool to a request without an authenticated caller.
func TestUnidentified(t *testing.T) {
	r := run.New(system.System{Getenv: func(string) string { return "" }}, []*tools.Tool{quick("quick")})
	h, e := NewRemote(r, catalogue.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	own, problems := h.Of(t.Context()).ForRequest(http.Header{"Techo-User": {"tanaka"}})
	if len(problems) > 0 || own.Options.User != "anonymous" {
		t.Errorf("the user is %q, %v", own.Options.User, problems)
	}
	for _, tool := range own.Offered {
		if tool.When == nil || tool.When(own.Env()) == nil {
			t.Errorf("%s is offered", tool.Name)
		}
	}
}
