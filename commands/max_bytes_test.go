package commands

import (
	"fmt"
	"strings"
	"testing"

	"techo/internal/mcptest"
)

// TestErrorsWithinMaxBytes checks that --max-bytes of a server also limits errors of
// requests that reach no tool, and lists.
func TestErrorsWithinMaxBytes(t *testing.T) {
	const maxBytes = 1024
	w, long := newWorld(t), strings.Repeat("long", 10_000)
	s := w.serve(t, "serve", "--max-bytes", fmt.Sprint(maxBytes))
	for _, path := range []string{"/tools/" + long, "/" + long, "/tools?" + long + "=1"} {
		for _, method := range []string{"GET", "POST", "PUT"} {
			if status, answer := s.Ask(method, path, ""); status < 400 || len(answer) > maxBytes+1 {
				t.Errorf("%s %.20s: %d, %d bytes", method, path, status, len(answer))
			}
		}
	}
	s.Want(422, `"limit_exceeded"`, "GET", "/tools?format=openai", "")

	megabyte := strings.Repeat("long", 1<<18)
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + megabyte + `","arguments":{}}}` + "\n"
	for _, limit := range []string{"1024", "100000"} {
		answer := mcptest.Answers(t, w.feed(mcptest.Hello+call, "mcp", "--max-bytes", limit).out)["2"]
		if !strings.Contains(answer, "-32602") || len(answer) > maxBytes+100 {
			t.Errorf("an unknown tool, --max-bytes %s: %d bytes: %.200s", limit, len(answer), answer)
		}
	}
	id := `{"jsonrpc":"2.0","id":"` + megabyte + `","method":"ping"}` + "\n"
	if answer := w.feed(id, "mcp").out; len(answer) > maxBytes {
		t.Errorf("a long id: %d bytes", len(answer))
	}
}
