package commands

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	mcpface "techo/commands/mcp"
	"techo/commands/offer"
	"techo/commands/serve"
	"techo/commands/server"
	"techo/internal/private"
	"techo/tools"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer is the header of a token.
func bearer(token string) string { return "Authorization: Bearer " + token }

// token makes a token of a user.
func (w *world) token(user string, flags ...string) string {
	w.t.Helper()
	return w.run(append([]string{"token", "add", "--user", user}, flags...)...).ok()["token"].(string)
}

// TestServeOwnToken makes a token at the first start on TCP, shows it once and
// keeps it for the next starts.
func TestServeOwnToken(t *testing.T) {
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
			s.want(403, `"unavailable"`, "POST", "/mcp", "{}", h...)
		}
		s.want(200, `"ok":true`, "GET", "/health", "")
		path := filepath.Join(w.dir, ".local", "state", "techo", "token")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || private.Modes && st.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		token := strings.TrimSpace(string(b))
		if status, answer := s.ask("POST", "/mcp", "{}", bearer(token), "Content-Type: application/json",
			"Accept: application/json, text/event-stream"); status == 403 {
			t.Errorf("the token is refused: %s", answer)
		}
		eventually(t, func() bool { return strings.Contains(s.log.String(), path) })
		if m := shown.FindStringSubmatch(s.log.String()); i == 0 && (m == nil || m[1] != token) || i > 0 && m != nil {
			t.Errorf("start %d shows %q\n%s", i, m, s.log)
		}
		if i == 0 && !strings.Contains(s.log.String(), s.base+" as the header Authorization: Bearer") {
			t.Errorf("no address beside the token:\n%s", s.log)
		}
		tokens = append(tokens, token)
		s.stop()
	}
	if len(slices.Compact(tokens)) != 1 {
		t.Errorf("several tokens: %q", tokens)
	}
}

// TestServeOwnTokenKept takes no token from a file that others can read, that is
// a link, or that holds something else.
func TestServeOwnTokenKept(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, ".local", "state", "techo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path, text := filepath.Join(dir, "token"), serve.NewToken()+"\n"
	for name, spoil := range map[string]func() error{
		"empty":    func() error { return os.WriteFile(path, nil, 0o600) },
		"short":    func() error { return os.WriteFile(path, []byte(text[:20]), 0o600) },
		"readable": func() error { return os.WriteFile(path, []byte(text), 0o644) },
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
		a := w.run("serve", "--listen", "127.0.0.1:0", "--lang", map[bool]string{true: "ja"}[name == "empty"])
		if a.code != 4 || !strings.Contains(a.out, path) {
			t.Errorf("%s: exit %d %s", name, a.code, a.out)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	delete(w.env, "HOME")
	w.run("serve", "--listen", "127.0.0.1:0").fails("unavailable")
	w.env["TECHO_TOKEN"] = "chosen"
	w.serve(t, "serve", "--listen", "127.0.0.1:0").want(200, `"total":0`, "POST", "/tools/list_memo", "",
		bearer("chosen"))
}

// TestServeNoToken leaves the token out where only this machine can call, and
// nowhere else.
func TestServeNoToken(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--no-token")
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "")
	s.want(403, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(serve.NewToken()))
	eventually(t, func() bool { return strings.Contains(s.log.String(), "no token is needed") })
	w.run("serve", "--listen", "0.0.0.0:0", "--no-token").fails("forbidden")
	w.run("serve", "--listen", ":0", "--no-token", "--lang", "ja").fails("forbidden")
	w.run("mcp", "--http", ":0", "--no-token").fails("forbidden")
	w.run("serve", "--no-token").fails("invalid_input", "/no_token")
	w.run("mcp", "--no-token").fails("invalid_input", "/no_token")
	w.env["TECHO_TOKEN"] = "x"
	w.run("serve", "--listen", "127.0.0.1:0", "--no-token", "--lang", "ja").fails("invalid_input", "/no_token")
	for _, dir := range []string{".local/state/techo/token"} {
		if _, err := os.Stat(filepath.Join(w.dir, dir)); err == nil {
			t.Errorf("%s was made", dir)
		}
	}
}

// TestServeUserToken takes tokens that are added while it runs, and refuses them
// when they are removed. It makes no token of its own beside them.
func TestServeUserToken(t *testing.T) {
	w := newWorld(t)
	first := w.token("alice")
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	if strings.Contains(s.log.String(), "    techo_") {
		t.Errorf("a token is made beside those of users:\n%s", s.log)
	}
	added := w.run("token", "add", "--user", "bob").ok()
	for _, token := range []string{first, added["token"].(string)} {
		s.want(200, `"total":0`, "POST", "/tools/list_memo", "", bearer(token))
		s.want(403, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(token[:len(token)-1]))
		s.want(403, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(token), bearer(token))
	}
	if list := w.run("token", "list").out; strings.Count(list, `"last_used_at":"`+noon+`"`) != 2 {
		t.Errorf("the use is not noted: %s", list)
	}
	w.run("token", "remove", added["id"].(string)).ok()
	s.want(403, `"unavailable"`, "POST", "/tools/list_memo", "", bearer(added["token"].(string)))
	s.want(200, `"total":0`, "POST", "/tools/list_memo", "", bearer(first))
	if log := s.log.String(); strings.Contains(log, first) {
		t.Errorf("the log shows a token:\n%s", log)
	}
}

// TestServeTokenNarrow offers to a token what it allows, and nothing that the
// server leaves out.
func TestServeTokenNarrow(t *testing.T) {
	w := newWorld(t)
	reads, memos := w.token("alice", "--read-only"), w.token("alice", "--only", "memo,web_fetch")
	s := w.serve(t, "serve", "--only", "memo,memory")
	memo := `{"name":"a","content":"x","priority":1}`
	s.want(403, `the token is --read-only`, "POST", "/tools/add_memo", memo, bearer(reads))
	s.want(403, `--read-only のため`, "POST", "/tools/add_memo", memo, bearer(reads), "Techo-Lang: ja")
	s.want(200, `"memo":`, "POST", "/tools/add_memo", memo, bearer(memos))
	s.want(200, `"total":1`, "POST", "/tools/list_memo", "", bearer(reads))
	s.want(403, `The token does not allow it`, "POST", "/tools/list_memory", "", bearer(memos))
	s.want(403, `--only に含まれていません`, "POST", "/tools/list_memory", "", bearer(memos), "Techo-Lang: ja")
	s.want(403, `The token does not allow it`, "GET", "/memories/full?user_id=alice&ids=a", "", bearer(memos))
	s.want(403, `among those of --only`, "POST", "/tools/web_fetch", `{}`, bearer(memos))
	s.want(200, `"missing":["a"]`, "GET", "/memories/full?user_id=alice&ids=a", "", bearer(reads))
	for token, gone := range map[string]string{reads: "add_memo", memos: "list_memory"} {
		if list := s.want(200, `"list_memo"`, "GET", "/tools?format=names", "", bearer(token)); strings.Contains(list,
			gone) {
			t.Errorf("%s is offered: %s", gone, list)
		}
		c := mcpWith(t, s, token, mcpface.ManyRequests)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.Name == gone {
				t.Errorf("%s is offered over MCP", gone)
			}
		}
		if text, isError := callMCP(t, c, gone, `{}`); !isError || !strings.Contains(text, `"unavailable"`) {
			t.Errorf("%s over MCP: %s", gone, text)
		}
	}
}

// sender adds a header to each request.
type sender struct{ headers []string }

func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// mcpWith connects a client with a token to a server, in a version of the
// protocol.
func mcpWith(t *testing.T, s *served, token, version string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp",
		HTTPClient: &http.Client{Transport: sender{[]string{bearer(token)}}}}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestServeFiles offers files over HTTP only where --root says so.
func TestServeFiles(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := w.run("memory", "add", "text", "--user", "u").ok()["memory"].(map[string]any)["id"].(string)
	gate := []string{"--enable-memory", "--memory-context", "--user", "u", "--max-per-turn", "100"}
	files := []string{"grep", "glob", "read_file", "write_file", "edit_file", "undo_edit"}
	for _, face := range [][]string{{"serve"}, {"mcp", "--http", "127.0.0.1:0", "--no-token"}} {
		s := w.serve(t, append(slices.Clone(face), gate...)...)
		c := connect(t, &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp"}, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if slices.Contains(files, tool.Name) {
				t.Errorf("%q offers %s", face, tool.Name)
			}
		}
		for _, call := range []struct{ tool, input string }{
			{"read_file", `{"path":"a.txt"}`}, {"write_file", `{"path":"b.txt","content":"x"}`},
			{"grep", `{"pattern":"kept"}`},
			{serve.InvestigateName, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":"out"}`, memory)},
			{serve.InvestigateName, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":""}`, memory)},
		} {
			text, isError := callMCP(t, c, call.tool, call.input)
			if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, "--root DIR") ||
				strings.Contains(text, "kept") {
				t.Errorf("%q: %s: %s", face, call.tool, text)
			}
			if face[0] == "serve" {
				s.want(403, `--root DIR`, "POST", "/tools/"+call.tool, call.input)
				s.want(403, `"unavailable"`, "POST", "/tools/"+call.tool, call.input, "Techo-Lang: ja")
			}
		}
	}
	for _, name := range []string{"b.txt", "out"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	s := w.serve(t, "serve", "--root", w.dir)
	s.want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
	s.want(403, `"forbidden"`, "POST", "/tools/read_file", `{"path":"/etc/passwd"}`)
	w.env["TECHO_ROOTS"] = w.dir
	w.serve(t, "serve").want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
}

// isolation tries to reach the memories of one user with another's token.
type isolation struct {
	*rand.Rand
	server *served
	token  string // of alice
	id     string // of a memory of bob
}

// user is a name by which bob could be meant.
func (i *isolation) user() string {
	return []string{"bob", "BOB", "bob ", " bob", "alice,bob", "alice\x00bob", "ｂｏｂ", "*", "", "alice",
		"b\u200bob"}[i.IntN(11)]
}

// headers are those of alice's token with some that could mean bob.
func (i *isolation) headers() []string {
	headers := []string{bearer(i.token)}
	for range i.IntN(4) {
		name := []string{"Techo-User", "techo-user", "X-Forwarded-User", "Remote-User", "X-User", "Cookie",
			"Idempotency-Key", "Mcp-Session-Id", "Techo-Turn"}[i.IntN(9)]
		value := i.user()
		if strings.ContainsRune(value, 0) {
			value = "bob"
		}
		if name == "Idempotency-Key" {
			value = "bobs-key"
		}
		headers = append(headers, name+": "+value)
	}
	return headers
}

// request is a route with a body.
func (i *isolation) request() (method, path, body string) {
	tool := []string{
		"list_memory", "search_memory", "memory_context", "get_memory", "investigate_memory", "edit_memory",
		"remove_memory", "add_memory",
	}[i.IntN(8)]
	input := map[string]string{
		"list_memory": `"limit":100`, "search_memory": `"query":"treasure"`, "memory_context": `"message":"treasure"`,
		"get_memory":         fmt.Sprintf(`"id":%q`, i.id),
		"investigate_memory": fmt.Sprintf(`"memory_ids":[%q]`, i.id),
		"edit_memory":        fmt.Sprintf(`"id":%q,"caption":"taken"`, i.id),
		"remove_memory":      fmt.Sprintf(`"ids":[%q]`, i.id), "add_memory": `"full_text":"mine"`,
	}[tool]
	if i.IntN(3) == 0 {
		input += fmt.Sprintf(`,%q:%q`, []string{"user", "user_id", "userId", "Techo-User", "as"}[i.IntN(5)], "bob")
	}
	query := ""
	for range i.IntN(3) {
		query += "&" + []string{"user_id", "user", "Techo-User", "token"}[i.IntN(4)] + "=" +
			strings.NewReplacer(" ", "%20", "\x00", "%00").Replace(i.user())
	}
	switch i.IntN(5) {
	case 0:
		return "GET", fmt.Sprintf("/memories/full?ids=%s%s", i.id, query), ""
	case 1:
		return "GET", fmt.Sprintf("/memories/full?user_id=%s&ids=%s%s", []string{"bob", "alice"}[i.IntN(2)], i.id,
			query), ""
	case 2:
		meta := fmt.Sprintf(`"_meta":{"user":"bob","user_id":"bob","io.modelcontextprotocol/protocolVersion":%q}`,
			[]string{"2025-06-18", mcpface.ManyRequests}[i.IntN(2)])
		return "POST", "/mcp?" + strings.TrimPrefix(query, "&"),
			fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{%s},"user":"bob",%s}}`,
				tool, input, meta)
	}
	path = "/tools/" + tool
	if query != "" {
		path += "?" + query[1:]
	}
	return "POST", path, "{" + input + "}"
}

// TestServeIsolation sends random requests with alice's token: nothing of bob is
// in an answer, and nothing of his is changed.
func TestServeIsolation(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newWorld(t)
	alice, bob := w.token("alice"), w.token("bob")
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--enable-memory", "--memory-context")
	text := `{"full_text":"the treasure of Bob is under the oak","caption":"Bob's treasure"}`
	added := s.want(200, `"created":true`, "POST", "/tools/add_memory", text, bearer(bob), "Idempotency-Key: bobs-key")
	s.want(200, `"created":true`, "POST", "/tools/add_memory", `{"full_text":"alice has no treasure"}`, bearer(alice))
	i := &isolation{rand.New(rand.NewPCG(seed, 0)), s, alice, regexp.MustCompile(`mem_[a-z0-9]+`).FindString(added)}
	before := s.want(200, "under the oak", "GET", "/memories/full?user_id=bob&ids="+i.id, "", bearer("owner"))
	statuses := map[int]int{}
	for range 1500 {
		method, path, body := i.request()
		headers := i.headers()
		if strings.HasPrefix(path, "/mcp") {
			headers = append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream")
		}
		status, answer := s.ask(method, path, body, headers...)
		statuses[status]++
		if strings.Contains(answer, "oak") || strings.Contains(answer, "Bob's") ||
			strings.Contains(answer, `"user_id":"bob"`) || status >= 500 {
			t.Fatalf("%s %s %q %s\nanswers %d %s", method, path, headers, body, status, answer)
		}
	}
	t.Logf("statuses %v", statuses)
	for _, status := range []int{200, 400, 403} {
		if statuses[status] < 20 {
			t.Errorf("hardly any %d: %v", status, statuses)
		}
	}
	if after := s.want(200, "under the oak", "GET", "/memories/full?user_id=bob&ids="+i.id, "",
		bearer("owner")); after != before {
		t.Errorf("changed\n%sto\n%s", before, after)
	}
	if list := w.run("memory", "list", "--user", "bob").ok(); list["total"] != 1.0 {
		t.Errorf("bob has %v", list)
	}
}

// TestServeForeignUser refuses to name another user with a user's token, on each
// route and in each language. The owner may name any.
func TestServeForeignUser(t *testing.T) {
	w := newWorld(t)
	token := w.token("ハ\u309aン")
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--user", "tanaka")
	for _, path := range []string{"/tools/list_memory", "/mcp", "/nowhere"} {
		s.want(403, `"code":"forbidden","message":"This token is not for the user \"bob\""`, "POST", path, "{}",
			bearer(token), "Techo-User: bob")
		s.want(403, `このトークンはユーザー「bob」のものではありません`, "POST", path, "{}", bearer(token), "Techo-User: パン",
			"Techo-User: bob", "Techo-Lang: ja")
		s.want(403, `"forbidden"`, "POST", path+"?user_id=bob", "{}", bearer(token))
	}
	s.want(403, `"forbidden"`, "GET", "/tools", "", bearer(token), "Techo-User: bob")
	s.want(403, `"forbidden"`, "GET", "/memories/full?user_id=bob&ids=a", "", bearer(token))
	s.want(200, `"missing":["a"]`, "GET", "/memories/full?user_id=%E3%83%91%E3%83%B3&ids=a", "", bearer(token))
	s.want(200, `"user_id":"パン"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer(token))
	s.want(200, `"user_id":"パン"`, "POST", "/tools/add_memory", `{"full_text":"y"}`, bearer(token), "Techo-User: パン")
	s.want(200, `"user_id":"bob"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer("owner"), "Techo-User: bob")
	s.want(200, `"user_id":"tanaka"`, "POST", "/tools/add_memory", `{"full_text":"x"}`, bearer("owner"))
	for _, version := range []string{"2025-06-18", mcpface.ManyRequests} {
		text, isError := callMCP(t, mcpWith(t, s, token, version), "add_memory",
			fmt.Sprintf(`{"full_text":"over MCP %s"}`, version))
		if isError || !strings.Contains(text, `"user_id":"パン"`) {
			t.Errorf("%s: %s", version, text)
		}
	}
}

// TestServeUnidentified offers nothing to a request that nobody was identified
// for.
func TestServeUnidentified(t *testing.T) {
	w := newWorld(t)
	s := w.session()
	t.Cleanup(s.Close)
	h, e := server.NewRemote(s, offer.Choice{Audience: tools.Agents})
	if e != nil {
		t.Fatal(e)
	}
	own, faults := h.Of(context.Background()).ForRequest(http.Header{"Techo-User": {"tanaka"}})
	if len(faults) > 0 || own.Options.User != "nobody" {
		t.Errorf("acts for %q, %v", own.Options.User, faults)
	}
	for _, tool := range own.Offered {
		if tool.When == nil || tool.When(own.Env()) == nil {
			t.Errorf("%s is offered", tool.Name)
		}
	}
}
