package commands

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"techo/commands/serve"
	"techo/internal/mcptest"
	"techo/internal/private"
	"techo/internal/testenv"
	"techo/tools"
)

func bearer(token string) string { return "Authorization: Bearer " + token }

func (w *world) token(user string, flags ...string) string {
	w.t.Helper()
	return w.run(append([]string{"token", "add", "--user", user}, flags...)...).ok()["token"].(string)
}

func (w *world) personsToken(user string, flags ...string) string {
	w.t.Helper()
	args := append([]string{"token", "add", "--user", user, "--audience", "person"}, flags...)
	return w.confirm(args...).ok()["token"].(string)
}

// TestOwnerToken checks that the first start on TCP creates a token and prints it,
// and that later starts use it without printing it.
func TestOwnerToken(t *testing.T) {
	w := newWorld(t)
	shown := regexp.MustCompile(`(?m)^    (techo_[0-9a-f]{64})$`)
	var tokens []string
	for i := range 3 {
		args := []string{"serve", "--listen", "127.0.0.1:0"}
		if i == 2 {
			args = []string{"mcp", "--http", "127.0.0.1:0", "--lang", "ja"}
		}
		s := w.serve(t, args...)
		for _, h := range [][]string{{}, {bearer("")}, {bearer(serve.NewToken())}, {"Authorization: Basic x"}} {
			s.Want(401, `"unavailable"`, "POST", "/mcp", "{}", h...)
		}
		s.Want(200, `"ok":true`, "GET", "/health", "")
		path := filepath.Join(w.dir, ".local", "state", "techo", "token")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || private.Modes && st.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		token := strings.TrimSpace(string(b))
		if status, answer := s.Ask("POST", "/mcp", "{}", bearer(token), "Content-Type: application/json",
			"Accept: application/json, text/event-stream"); status == 401 {
			t.Errorf("the token is refused: %s", answer)
		}
		testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), path) })
		if m := shown.FindStringSubmatch(s.log.String()); i == 0 && (m == nil || m[1] != token) || i > 0 && m != nil {
			t.Errorf("start %d shows %q\n%s", i, m, s.log)
		}
		if i == 0 && !strings.Contains(s.log.String(), s.Base+" as the header Authorization: Bearer") {
			t.Errorf("no address with the token:\n%s", s.log)
		}
		tokens = append(tokens, token)
		s.stop()
	}
	if len(slices.Compact(tokens)) != 1 {
		t.Errorf("several tokens: %q", tokens)
	}
}

// TestOwnerTokenFile refuses a token file that is not a regular file, or that contains no token.
func TestOwnerTokenFile(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, ".local", "state", "techo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path, text := filepath.Join(dir, "token"), serve.NewToken()+"\n"
	for name, spoil := range map[string]func() error{
		"short":    func() error { return os.WriteFile(path, []byte(text[:20]), 0o600) },
		"a folder": func() error { return os.Mkdir(path, 0o700) },
		"a link": func() error {
			other := filepath.Join(w.dir, "other")
			if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
				return err
			}
			return os.Symlink(other, path)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		a := w.run("serve", "--listen", "127.0.0.1:0")
		if a.code != 4 || !strings.Contains(a.out, path) {
			t.Errorf("%s: exit %d %s", name, a.code, a.out)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	delete(w.env, "HOME")
	w.env["TECHO_TOKEN"] = "chosen"
	w.serve(t, "serve", "--listen", "127.0.0.1:0").Want(200, `"total":0`, "POST", "/tools/list_memo", "",
		bearer("chosen"))
}

// TestServeNoToken serves without a token, and creates none.
func TestServeNoToken(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--no-token")
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(serve.NewToken()))
	testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), "no token is required") })
	if _, err := os.Stat(filepath.Join(w.dir, ".local/state/techo/token")); err == nil {
		t.Error("a token was created")
	}
}

// TestServeUserToken adds and removes tokens of users while a server runs. The
// server creates no token of its own if there are tokens of users.
func TestServeUserToken(t *testing.T) {
	w := newWorld(t)
	first := w.token("alice")
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	if strings.Contains(s.log.String(), "    techo_") {
		t.Errorf("a token was created although users have tokens:\n%s", s.log)
	}
	added := w.run("token", "add", "--user", "bob").ok()
	for _, token := range []string{first, added["token"].(string)} {
		s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", bearer(token))
		s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(token[:len(token)-1]))
		s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(token), bearer(token))
	}
	if list := w.run("token", "list").out; strings.Count(list, `"last_used_at":"`+noon+`"`) != 2 {
		t.Errorf("the use of the tokens is not recorded: %s", list)
	}
	w.run("token", "remove", added["id"].(string)).ok()
	s.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(added["token"].(string)))
	s.Want(200, `"total":0`, "POST", "/tools/list_memo", "", bearer(first))
	if log := s.log.String(); strings.Contains(log, first) {
		t.Errorf("the log contains a token:\n%s", log)
	}
}

// TestServeTokenNarrow checks that a token's --only and --read-only narrow the tools
// of the server further.
func TestServeTokenNarrow(t *testing.T) {
	w := newWorld(t)
	reads, memos := w.token("alice", "--read-only"), w.token("alice", "--only", "memo,web_fetch")
	s := w.serve(t, "serve", "--only", "memo,memory")
	memo := `{"name":"a","content":"x","priority":1}`
	s.Want(403, `the token is --read-only`, "POST", "/tools/add_memo", memo, bearer(reads))
	s.Want(403, `--read-only のため`, "POST", "/tools/add_memo", memo, bearer(reads), "Techo-Lang: ja")
	s.Want(200, `"memo":`, "POST", "/tools/add_memo", memo, bearer(memos))
	s.Want(200, `"total":1`, "POST", "/tools/list_memo", "", bearer(reads))
	s.Want(403, `The token does not allow it`, "POST", "/tools/list_memory", "", bearer(memos))
	s.Want(403, `--only に含まれていません`, "POST", "/tools/list_memory", "", bearer(memos), "Techo-Lang: ja")
	s.Want(403, `The token does not allow it`, "GET", "/memories/full?user_id=alice&ids=a", "", bearer(memos))
	s.Want(403, `--only does not include it`, "POST", "/tools/web_fetch", `{}`, bearer(memos))
	s.Want(200, `"missing":["a"]`, "GET", "/memories/full?user_id=alice&ids=a", "", bearer(reads))
	for token, gone := range map[string]string{reads: "add_memo", memos: "list_memory"} {
		if list := s.Want(200, `"list_memo"`, "GET", "/tools?format=names", "", bearer(token)); strings.Contains(list,
			gone) {
			t.Errorf("%s is offered: %s", gone, list)
		}
		c := connectHTTP(t, s.Base+"/mcp", "2026-07-28", token)
		if mcptest.Offers(t, c, gone) {
			t.Errorf("%s is offered over MCP", gone)
		}
		if text, isError := mcptest.Call(t, c, gone, `{}`); !isError || !strings.Contains(text, `"unavailable"`) {
			t.Errorf("%s over MCP: %s", gone, text)
		}
	}
}

type authorized struct{ token string }

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestServeForeignUser checks that a request with a user's token cannot name another
// user, on each route and in each language, while the owner may name any user.
func TestServeForeignUser(t *testing.T) {
	w := newWorld(t)
	token := w.token("ハ\u309aン")
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--user", "tanaka")
	for _, path := range []string{"/tools/list_memory", "/mcp", "/nowhere"} {
		s.Want(403, `"code":"forbidden","message":"This token is not for the user \"bob\""`, "POST", path, "{}",
			bearer(token), "Techo-User: bob")
		s.Want(403, `このトークンはユーザー「bob」のものではありません`, "POST", path, "{}",
			bearer(token), "Techo-User: パン", "Techo-User: bob", "Techo-Lang: ja")
		s.Want(403, `"forbidden"`, "POST", path+"?user_id=bob", "{}", bearer(token))
	}
	s.Want(403, `"forbidden"`, "GET", "/tools", "", bearer(token), "Techo-User: bob")
	s.Want(403, `"forbidden"`, "GET", "/memories/full?user_id=bob&ids=a", "", bearer(token))
	s.Want(200, `"missing":["a"]`, "GET", "/memories/full?user_id=%E3%83%91%E3%83%B3&ids=a", "", bearer(token))
	s.Want(200, `"user_id":"パン"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer(token))
	s.Want(200, `"user_id":"パン"`, "POST", "/tools/add_memory", `{"full_text":"y"}`, bearer(token),
		"Techo-User: パン")
	s.Want(200, `"user_id":"bob"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer("owner"), "Techo-User: bob")
	s.Want(200, `"user_id":"tanaka"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer("owner"))
	for _, version := range []string{"2025-06-18", "2026-07-28"} {
		text, isError := mcptest.Call(t, connectHTTP(t, s.Base+"/mcp", version, token), "add_memory",
			fmt.Sprintf(`{"full_text":"over MCP %s"}`, version))
		if isError || !strings.Contains(text, `"user_id":"パン"`) {
			t.Errorf("%s: %s", version, text)
		}
	}
}

// TestAudiences checks that every tool names its audience, and that no agent is
// offered a tool that answers questions or writes prompts.
func TestAudiences(t *testing.T) {
	beyond := map[string]tools.Audience{
		"memo_context": tools.Hosts, "memory_context": tools.Hosts, "answer_question": tools.Persons,
	}
	for _, tool := range families() {
		if want, ok := beyond[tool.Name]; ok && tool.For != want {
			t.Errorf("%s is for %q, want %q", tool.Name, tool.For, want)
		}
		if !slices.Contains([]tools.Audience{tools.Agents, tools.Hosts, tools.Persons}, tool.For) {
			t.Errorf("%s is for %q", tool.Name, tool.For)
		}
	}
}

// TestAudienceMCP checks the audiences over MCP. A call of a tool that is not offered
// returns the flag that offers it.
func TestAudienceMCP(t *testing.T) {
	w := newWorld(t)
	c := w.client(t, nil)
	for _, name := range []string{"memo_context", "memory_context", "answer_question"} {
		if mcptest.Offers(t, c, name) {
			t.Errorf("%s is offered to agents", name)
		}
	}
	text, isError := mcptest.Call(t, c, "memo_context", "{}")
	if !isError || !strings.Contains(text, `"unavailable"`) ||
		!strings.Contains(text, "--audience host") {
		t.Errorf("by name: %s", text)
	}
	if text, isError := mcptest.Call(t, w.client(t, nil, "--audience", "host"), "memo_context", "{}"); isError {
		t.Errorf("to a host: %s", text)
	}
}

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
	if _, list := s.Ask("GET", "/tools?format=names&audience=agent", "", bearer(tokens["person"])); strings.Contains(list,
		"memo_context") {
		t.Errorf("a list for agents: %s", list)
	}
	s.Want(403, "needs a token that the person made with --audience person", "POST", "/tools/undo_change", `{}`,
		bearer(tokens["agent"]))
	s.Want(401, "", "POST", "/tools/list_memo", "{}", bearer(serve.NewToken()))
	s.Want(403, "This token cannot have --purge", "POST", "/tools/remove_memo", `{"memo_name":"ramen"}`,
		bearer(tokens["agent"]), "Techo-Purge: true")
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
