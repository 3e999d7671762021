package commands

import (
	"fmt"
	"strings"
	"testing"

	"techo/internal/mcptest"
)

// investigate is the tool that reads memories in full.
const investigate = "investigate_memory"

// TestTurns checks the limit of calls in a turn on servers. Only the flag and the
// header of the host name a turn; calls without one count by client and minute.
func TestTurns(t *testing.T) {
	w := newWorld(t)
	flags := []string{"--enable-memory", "--memory-context", "--user", "tanaka"}
	id := w.run("memory", "add", "The dog is called Max", "--user",
		"tanaka").ok()["memory"].(map[string]any)["id"].(string)
	input := fmt.Sprintf(`{"memory_ids":[%q]}`, id)
	s := w.serve(t, append([]string{"serve"}, flags...)...)
	path := "/tools/" + investigate
	s.Want(200, "Max", "POST", path, input)
	s.Want(200, "Max", "POST", path, input)
	s.Want(429, `"rate_limited"`, "POST", path, input)
	s.Want(429, `"rate_limited"`, "POST", path, input, "Techo-Lang: ja")
	s.Want(400, `"path":"/max_per_turn"`, "POST", path,
		fmt.Sprintf(`{"memory_ids":[%q],"max_per_turn":9,"turn":"x"}`, id))
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.Want(429, `"retryable":false`, "POST", path, input, "Techo-Turn: 1")
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 2")
	s.Want(400, `"path":"/turn"`, "POST", path, input, "Techo-Turn: "+strings.Repeat("x", 200))
	for range 3 { // the memory service has no limit
		s.Want(200, "Max", "GET", "/memories/full?user_id=tanaka&ids="+id, "")
	}
	for _, catalogue := range []string{"/tools", "/tools?format=openai", "/tools?format=anthropic"} {
		if list := s.Want(200, investigate, "GET", catalogue, ""); strings.Contains(list, "max_per_turn") ||
			strings.Contains(list, `"turn"`) {
			t.Errorf("%s contains the turn or its limit", catalogue)
		}
	}

	for _, session := range []string{"one", "another"} { // each MCP session is a client
		c := w.client(t, nil, append(flags, "--max-per-turn", "1")...)
		if text, isError := mcptest.Call(t, c, investigate, input); isError {
			t.Errorf("%s session: %s", session, text)
		}
		if text, isError := mcptest.Call(t, c, investigate, input); !isError ||
			!strings.Contains(text, `"rate_limited"`) {
			t.Errorf("%s session, second call: %s", session, text)
		}
	}
}
