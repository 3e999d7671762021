package commands

import (
	"fmt"
	"strings"
	"testing"

	mcpface "techo/commands/mcp"
)

// TestHTTPIDs answers each request over HTTP under the id that it had, and
// refuses what is no id.
func TestHTTPIDs(t *testing.T) {
	s := newWorld(t).serve(t, "serve")
	headers := []string{"Content-Type: application/json", "Accept: application/json, text/event-stream",
		"MCP-Protocol-Version: 2025-06-18"}
	for _, id := range []string{"9007199254740993", "-9007199254740993", "123456789012345678901234567890", "0", "-1",
		`"a"`, `"\u00e9<"`, "2.0"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		got := s.Want(200, `"result":{}`, "POST", "/mcp", body, headers...)
		if !strings.Contains(got, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`) {
			t.Errorf("%s: %s", id, got)
		}
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"none"}}`, id)
		if _, got := s.Ask("POST", "/mcp", body, headers...); !strings.Contains(got,
			`{"jsonrpc":"2.0","id":`+id+`,"error":`) {
			t.Errorf("%s: %s", id, got)
		}
	}
	for _, id := range []string{"1.5", "1e2", "null", "true", "[1]", "{}", `"` + strings.Repeat("x", mcpface.MaxID) +
		`"`} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id)
		s.Want(400, `"id":null`, "POST", "/mcp", body, headers...)
	}
	headers[2] = "MCP-Protocol-Version: 2025-03-26" // the last one with batches
	batch := `[{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`
	got := s.Want(200, `"id":9007199254740993,"result":{}`, "POST", "/mcp", batch, headers...)
	if !strings.Contains(got, `"id":1,"result":{}`) {
		t.Error(got)
	}
}
