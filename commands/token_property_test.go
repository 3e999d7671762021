package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/tools"
	"techo/tools/schema"
)

// secrets are words of bob's memories, which no request of alice contains.
var secrets = []string{"quagga", "numbat", "okapi", "axolotl"}

// neighbour makes random requests with the token of alice: every tool with arguments of
// its schema, every route, and headers and parameters that could name bob.
type neighbour struct {
	*rand.Rand
	token   string // of alice
	offered []*tools.Tool
	known   []string // ids of bob's memories, changes and questions
}

// user returns a name that a faulty server could take for bob.
func (n *neighbour) user() string {
	return []string{"bob", "BOB", "bob ", " bob", "alice,bob", "alice\x00bob", "ｂｏｂ", "*", "", "alice",
		"b\u200bob"}[n.IntN(11)]
}

// headers returns the header of alice's token and headers that could name bob.
func (n *neighbour) headers() []string {
	headers := []string{bearer(n.token)}
	for range n.IntN(4) {
		name := []string{"Techo-User", "techo-user", "X-Forwarded-User", "Remote-User", "X-User", "Cookie",
			"Idempotency-Key", "Mcp-Session-Id", "Techo-Turn"}[n.IntN(9)]
		value := n.user()
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

// text returns a text for a field, which a tool could take for a name, an id, a time or a
// question.
func (n *neighbour) text(field string) string {
	switch {
	case n.IntN(3) == 0:
		return n.known[n.IntN(len(n.known))]
	case n.IntN(3) > 0 && strings.Contains(field, "date"), field == "start":
		return "2026-01-02"
	case n.IntN(3) > 0 && strings.Contains(field, "name"):
		return "memo-1"
	}
	return []string{"bob", "memory", "memories", "animal", "family", "memo-1", "*", "2026-01-02", "today", "10:00",
		"1ms", "person", "project", "http://127.0.0.1:1/", "../bob", "%", ""}[n.IntN(17)]
}

// value returns a value of a schema, or now and then of another type.
func (n *neighbour) value(field string, s *schema.Schema) any {
	switch kind := s.Kind; {
	case n.IntN(40) == 0:
		return []any{nil, true, -1, "bob", []string{"bob"}, map[string]string{"user": "bob"}}[n.IntN(6)]
	case len(s.Enum) > 0:
		return s.Enum[n.IntN(len(s.Enum))]
	case kind == schema.Integer:
		return 1 + n.IntN(1+n.IntN(100))
	case kind == schema.Boolean:
		return n.IntN(2) == 0
	case kind == schema.Array:
		list := []any{}
		for range 1 + n.IntN(3) {
			list = append(list, n.value(field, s.Items))
		}
		return list
	case kind == schema.Object:
		return n.fields(s)
	}
	return n.text(field)
}

// fields returns the required fields of an object, some others, and now and then an
// unknown one.
func (n *neighbour) fields(s *schema.Schema) map[string]any {
	given := map[string]any{}
	for _, p := range s.Properties {
		if p.Required || n.IntN(3) == 0 {
			given[p.Name] = n.value(p.Name, p.Schema)
		}
	}
	if n.IntN(10) == 0 {
		given[[]string{"user", "user_id", "owner", "as", "Techo-User"}[n.IntN(5)]] = "bob"
	}
	return given
}

// parameters returns a query that could name bob.
func (n *neighbour) parameters() string {
	q := url.Values{}
	for range n.IntN(3) {
		q.Add([]string{"user_id", "user", "Techo-User", "ids", "token", "names", "format", "audience"}[n.IntN(8)],
			[]string{n.user(), "alice", n.text(""), "person", "mcp"}[n.IntN(5)])
	}
	return q.Encode()
}

func (n *neighbour) request(tool *tools.Tool) (method, path, body string) {
	given := n.fields(tool.Input())
	if tool.Input().Property("wait") != nil {
		given["wait"] = "1ms" // bob does not answer
	}
	input, _ := json.Marshal(given)
	switch n.IntN(8) {
	case 0:
		method = []string{"GET", "GET", "POST", "HEAD", "PUT"}[n.IntN(5)]
		path = []string{"/tools", "/tools/" + tool.Name, "/memories/full", "/whoami", "/metrics", "/health", "/ready",
			"/", "/page/events", "/page/session", "/memories", "/users/bob", "/mcp/../memories/full",
			"/transfer/export_memories", "/transfer/export_memos"}[n.IntN(15)]
	case 1:
		method, path = "POST", "/mcp"
		input, _ = json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1,
			"method": []string{"tools/call", "tools/call", "tools/list", "resources/list", "prompts/list"}[n.IntN(5)],
			"params": map[string]any{"name": tool.Name, "arguments": json.RawMessage(input), "user": "bob",
				"_meta": map[string]string{"user": "bob", "io.modelcontextprotocol/protocolVersion": "2025-06-18"}}})
	default:
		method, path = "POST", "/tools/"+tool.Name
		if n.IntN(6) > 0 {
			return method, path, string(input)
		}
	}
	return method, path + "?" + n.parameters(), string(input)
}

// furnish gives bob memories: one is changed, one is replaced and one is
// removed, and returns the ids of all that he has.
func furnish(t *testing.T, s *served, bob string) (known []string) {
	t.Helper()
	call := func(tool string, input any, parts ...string) string {
		body, err := json.Marshal(input)
		if err != nil {
			t.Fatal(err)
		}
		answer := s.Want(200, "", "POST", "/tools/"+tool, string(body), append([]string{bearer(bob)}, parts...)...)
		var found struct {
			Memory  struct{ ID string }
			Changes []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			t.Fatal(err)
		}
		for _, c := range found.Changes {
			known = append(known, c.ID)
		}
		if found.Memory.ID != "" {
			known = append(known, found.Memory.ID)
		}
		return found.Memory.ID
	}
	type in = map[string]any
	first := call("add_memory", in{"full_text": "The animal of the family is a quagga", "session": "okapi"},
		"Idempotency-Key: bobs-key")
	call("edit_memory", in{"id": first, "caption": "Our numbat"})
	old := call("add_memory", in{"full_text": "The animal of memo-1 was an axolotl", "topic": "okapi"})
	call("supersede_memory", in{"memory_id": old, "full_text": "The animal of memo-1 is a numbat"})
	gone := call("add_memory", in{"full_text": "A memory of the okapi today", "created_at": "2026-01-02T10:00:00Z"})
	call("remove_memory", in{"ids": []string{gone}})
	call("list_history", in{"limit": 100})
	slices.Sort(known)
	return slices.Compact(known)
}

// TestTokenProperty: whatever alice asks for with her token, by any tool, route, header
// or parameter, no answer contains a word of bob's memories, and bob's memories stay as
// they were.
func TestTokenProperty(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if os.Getenv(testenv.DatabaseVariable) != "" {
		w.env["TECHO_STORE"] = testenv.Database(t)
		w.run("store", "migrate").ok()
	}
	alice, bob := w.personsToken("alice"), w.personsToken("bob")
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--audience", "person", "--page", "--enable-memory",
		"--memory-context", "--max-per-turn", "1000000")
	s.Want(200, "", "POST", "/tools/add_memo", `{"name":"memo-1","content":"shared","priority":3}`, bearer(bob))
	n := &neighbour{testenv.Random(t), alice, families(), furnish(t, s, bob)}
	exported := func() string { return w.run("export", "memories", "--to", "-", "--user", "bob").out }
	before := exported()
	for _, word := range secrets {
		if !strings.Contains(before, word) && word != "axolotl" {
			t.Fatalf("bob has no %s: %s", word, before)
		}
	}
	done := map[string]int{} // answers with a result, by tool
	for i := range 2000 {
		tool := n.offered[i%len(n.offered)]
		if tool.Name == "" {
			continue
		}
		method, path, body := n.request(tool)
		headers := append(n.headers(), "Content-Type: application/json",
			"Accept: application/json, text/event-stream")
		status, answer := s.Ask(method, path, body, headers...)
		for _, word := range secrets {
			if strings.Contains(answer, word) {
				t.Fatalf("%s %s %q %s\nanswer %d %s", method, path, headers, body, status, answer)
			}
		}
		if status == 500 {
			t.Errorf("%s %s %q %s\nanswer %d %s", method, path, headers, body, status, answer)
		}
		if status == 200 && method == "POST" && strings.HasPrefix(path, "/tools/") {
			done[tool.Name]++
		}
	}
	if len(done) < 20 {
		t.Errorf("only %d tools had a result: %v", len(done), done)
	}
	if after := exported(); after != before {
		t.Errorf("bob's memories changed\n%sto\n%s", before, after)
	}
	t.Log(fmt.Sprint(len(n.known), " ids of bob, results by tool: ", done))
}
