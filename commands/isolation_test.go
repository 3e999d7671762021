package commands

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// attacker makes random requests that try to reach a memory of bob with the token
// of alice.
type attacker struct {
	*rand.Rand
	token string // of alice
	id    string // of a memory of bob
}

// user returns a name that a faulty server could take for bob.
func (a *attacker) user() string {
	return []string{"bob", "BOB", "bob ", " bob", "alice,bob", "alice\x00bob", "ｂｏｂ", "*", "", "alice",
		"b\u200bob"}[a.IntN(11)]
}

// headers returns the header of alice's token and headers that could name bob.
func (a *attacker) headers() []string {
	headers := []string{bearer(a.token)}
	for range a.IntN(4) {
		name := []string{"Techo-User", "techo-user", "X-Forwarded-User", "Remote-User", "X-User", "Cookie",
			"Idempotency-Key", "Mcp-Session-Id", "Techo-Turn"}[a.IntN(9)]
		value := a.user()
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

func (a *attacker) request() (method, path, body string) {
	tool := []string{
		"list_memory", "search_memory", "memory_context", "get_memory", "investigate_memory", "edit_memory",
		"remove_memory", "add_memory",
	}[a.IntN(8)]
	input := map[string]string{
		"list_memory": `"limit":100`, "search_memory": `"query":"treasure"`, "memory_context": `"message":"treasure"`,
		"get_memory":         fmt.Sprintf(`"id":%q`, a.id),
		"investigate_memory": fmt.Sprintf(`"memory_ids":[%q]`, a.id),
		"edit_memory":        fmt.Sprintf(`"id":%q,"caption":"taken"`, a.id),
		"remove_memory":      fmt.Sprintf(`"ids":[%q]`, a.id), "add_memory": `"full_text":"mine"`,
	}[tool]
	if a.IntN(3) == 0 {
		input += fmt.Sprintf(`,%q:%q`, []string{"user", "user_id", "userId", "Techo-User", "as"}[a.IntN(5)], "bob")
	}
	query := ""
	for range a.IntN(3) {
		query += "&" + []string{"user_id", "user", "Techo-User", "token"}[a.IntN(4)] + "=" +
			strings.NewReplacer(" ", "%20", "\x00", "%00").Replace(a.user())
	}
	switch a.IntN(5) {
	case 0:
		return "GET", fmt.Sprintf("/memories/full?ids=%s%s", a.id, query), ""
	case 1:
		return "GET", fmt.Sprintf("/memories/full?user_id=%s&ids=%s%s", []string{"bob", "alice"}[a.IntN(2)], a.id,
			query), ""
	case 2:
		meta := fmt.Sprintf(`"_meta":{"user":"bob","user_id":"bob","io.modelcontextprotocol/protocolVersion":%q}`,
			[]string{"2025-06-18", "2026-07-28"}[a.IntN(2)])
		return "POST", "/mcp?" + strings.TrimPrefix(query, "&"),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
				`"params":{"name":%q,"arguments":{%s},"user":"bob",%s}}`, tool, input, meta)
	}
	path = "/tools/" + tool
	if query != "" {
		path += "?" + query[1:]
	}
	return "POST", path, "{" + input + "}"
}

// TestServeIsolation sends random requests with alice's token. No answer contains
// data of bob, and no request changes them.
func TestServeIsolation(t *testing.T) {
	w := newWorld(t)
	alice, bob := w.token("alice"), w.token("bob")
	w.env["TECHO_TOKEN"] = "owner"
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet", "--enable-memory", "--memory-context")
	text := `{"full_text":"the treasure of Bob is under the oak","caption":"Bob's treasure"}`
	added := s.Want(200, `"created":true`, "POST", "/tools/add_memory", text, bearer(bob), "Idempotency-Key: bobs-key")
	s.Want(200, `"created":true`, "POST", "/tools/add_memory", `{"full_text":"alice has no treasure"}`, bearer(alice))
	a := &attacker{testenv.Random(t), alice, regexp.MustCompile(`mem_[a-z0-9]+`).FindString(added)}
	before := s.Want(200, "under the oak", "GET", "/memories/full?user_id=bob&ids="+a.id, "", bearer("owner"))
	statuses := map[int]int{}
	for range 1500 {
		method, path, body := a.request()
		headers := a.headers()
		if strings.HasPrefix(path, "/mcp") {
			headers = append(headers, "Content-Type: application/json", "Accept: application/json, text/event-stream")
		}
		status, answer := s.Ask(method, path, body, headers...)
		statuses[status]++
		if strings.Contains(answer, "oak") || strings.Contains(answer, "Bob's") ||
			strings.Contains(answer, `"user_id":"bob"`) || status >= 500 {
			t.Fatalf("%s %s %q %s\nanswer %d %s", method, path, headers, body, status, answer)
		}
	}
	t.Logf("statuses %v", statuses)
	for _, status := range []int{200, 400, 403} {
		if statuses[status] < 20 {
			t.Errorf("too few answers with status %d: %v", status, statuses)
		}
	}
	if after := s.Want(200, "under the oak", "GET", "/memories/full?user_id=bob&ids="+a.id, "",
		bearer("owner")); after != before {
		t.Errorf("changed\n%sto\n%s", before, after)
	}
	if list := w.run("memory", "list", "--user", "bob").ok(); list["total"] != 1.0 {
		t.Errorf("bob has %v", list)
	}
}
