package commands

import (
	"fmt"
	"strings"
	"techo/commands/serve"
	"testing"
)

// TestTurns bounds the calls of a turn on servers: only the host's flag and
// header name a turn, and calls without one are counted by client and minute.
func TestTurns(t *testing.T) {
	w := newWorld(t)
	gate := []string{"--enable-memory", "--memory-context", "--user", "tanaka"}
	id := w.run("memory", "add", "The dog is called Max", "--user",
		"tanaka").ok()["memory"].(map[string]any)["id"].(string)
	input := fmt.Sprintf(`{"memory_ids":[%q]}`, id)
	s := w.serve(t, append([]string{"serve"}, gate...)...)
	path := "/tools/" + serve.InvestigateName
	s.want(200, "Max", "POST", path, input)
	s.want(200, "Max", "POST", path, input)
	s.want(429, `"rate_limited"`, "POST", path, input)
	s.want(429, `"rate_limited"`, "POST", path, input, "Techo-Lang: ja")
	s.want(400, `"path":"/max_per_turn"`, "POST", path,
		fmt.Sprintf(`{"memory_ids":[%q],"max_per_turn":9,"turn":"x"}`, id))
	s.want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.want(429, `"retryable":false`, "POST", path, input, "Techo-Turn: 1")
	s.want(200, "Max", "POST", path, input, "Techo-Turn: 2")
	s.want(400, `"path":"/turn"`, "POST", path, input, "Techo-Turn: "+strings.Repeat("x", 200))
	for range 3 { // the memory service itself counts nothing
		s.want(200, "Max", "GET", "/memories/full?user_id=tanaka&ids="+id, "")
	}
	for _, catalogue := range []string{"/tools", "/tools?format=openai", "/tools?format=anthropic"} {
		if list := s.want(200, serve.InvestigateName, "GET", catalogue, ""); strings.Contains(list, "max_per_turn") ||
			strings.Contains(list, `"turn"`) {
			t.Errorf("%s names the turn or its limit", catalogue)
		}
	}

	for _, session := range []string{"one", "another"} { // each MCP session is a client
		c := w.client(t, nil, append(gate, "--max-per-turn", "1")...)
		if text, isError := callMCP(t, c, serve.InvestigateName, input); isError {
			t.Errorf("%s: %s", session, text)
		}
		if text, isError := callMCP(t, c, serve.InvestigateName, input); !isError ||
			!strings.Contains(text, `"rate_limited"`) {
			t.Errorf("%s, once more: %s", session, text)
		}
	}
}
