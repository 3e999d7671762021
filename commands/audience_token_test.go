package commands

import (
	"strings"
	"testing"

	"techo/commands/serve"
	"techo/internal/mcptest"
)

// TestTokenAudience: through one server an agent's token calls agents' tools, a host's also hosts'
// tools, and a person's all, over HTTP and MCP. No header widens a token.
func TestTokenAudience(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "3").ok()
	tokens := map[string]string{"agent": w.token("alice"), "person": w.personsToken("alice"),
		"host": w.confirm("token", "add", "--user", "alice", "--audience", "host").ok()["token"].(string)}
	calls := []struct{ tool, input, audience string }{
		{"list_memo", "{}", "agent"}, {"memo_context", "{}", "host"}, {"list_history", "{}", "host"},
		{"undo_change", `{"id":"h1","dry_run":true}`, "person"}, {"create_space", `{"name":"team"}`, "person"},
	}
	order := map[string]int{"agent": 1, "host": 2, "person": 3}
	for ceiling := range order {
		s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", ceiling)
		for own, token := range tokens {
			allowed := min(order[own], order[ceiling])
			overMCP := connectHTTP(t, s.Base+"/mcp", "2025-06-18", token)
			for _, c := range calls {
				what := ceiling + "'s server, " + own + "'s token: " + c.tool
				_, answer := s.Ask("POST", "/tools/"+c.tool, c.input, bearer(token), "Techo-Audience: person")
				text, _ := mcptest.Call(t, overMCP, c.tool, c.input)
				for _, got := range []string{answer, text} {
					if strings.Contains(got, `"unavailable"`) != (order[c.audience] > allowed) {
						t.Errorf("%s: %s", what, got)
					}
				}
				if mcptest.Offers(t, overMCP, c.tool) && order[c.audience] > allowed {
					t.Errorf("%s is offered", what)
				}
			}
			want := `"audience":"` + []string{"", "agent", "host", "person"}[allowed] + `"`
			s.Want(200, want, "GET", "/whoami", "", bearer(token))
		}
	}
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", "person")
	s.Want(403, "needs a token that the person made with --audience person", "POST", "/tools/undo_change", `{}`,
		bearer(tokens["agent"]))
	s.Want(401, "", "POST", "/tools/list_memo", "{}", bearer(serve.NewToken()))
	s.Want(403, "This token cannot have --purge", "POST", "/tools/remove_memo", `{"memo_name":"ramen"}`,
		bearer(tokens["agent"]), "Techo-Purge: true")
}

// TestTokenOfPerson: no program makes itself a token for more than agents.
func TestTokenOfPerson(t *testing.T) {
	w := newWorld(t)
	for _, audience := range []string{"host", "person"} {
		w.run("token", "add", "--user", "alice", "--audience", audience).fails("forbidden")
		declined := *w
		declined.types = []string{"no"}
		declined.run("token", "add", "--user", "alice", "--audience", audience).fails("cancelled")
	}
	w.run("token", "add", "--user", "alice", "--audience", "root").fails("invalid_input", "/audience")
	if got := w.run("token", "list", "--fields", "tokens").out; got != `{"tokens":[]}`+"\n" {
		t.Error("tokens were made:", got)
	}
	w.personsToken("alice")
	if got := w.run("token", "list").out; !strings.Contains(got, `"audience":"person"`) {
		t.Error(got)
	}
}

// TestLoginAudience: a login names the rights of its token, and asks for it at a terminal.
func TestLoginAudience(t *testing.T) {
	far := newWorld(t)
	w, s := clientOf(t, far, "--audience", "person")
	out := w.feed(far.token("alice"), "login", s.Base).ok()
	if out["audience"] != "agent" || !strings.Contains(out["message"].(string), "what agents may") {
		t.Error(out)
	}
	w.run("memo", "add", "ramen", "x", "--priority", "3").ok()
	w.run("undo").fails("unavailable")
	w.typing, w.types = true, []string{far.personsToken("alice")}
	if out = w.run("login", s.Base).ok(); out["audience"] != "person" ||
		!strings.Contains(out["message"].(string), "what persons may") {
		t.Error(out)
	}
	w.types = nil
	w.run("undo").ok()
}
