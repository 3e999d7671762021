package commands

import (
	"fmt"
	"strings"
	"testing"
)

// TestErrorsWithinMaxBytes bounds errors of requests that reach no tool, and
// arrays, on the servers.
func TestErrorsWithinMaxBytes(t *testing.T) {
	const most = 1024
	w, long := newWorld(t), strings.Repeat("long", 10_000)
	s := w.serve(t, "serve", "--max-bytes", fmt.Sprint(most))
	for _, path := range []string{"/tools/" + long, "/" + long, "/tools?" + long + "=1"} {
		for _, method := range []string{"GET", "POST", "PUT"} {
			if status, answer := s.ask(method, path, ""); status < 400 || len(answer) > most+1 {
				t.Errorf("%s %.20s: %d, %d bytes", method, path, status, len(answer))
			}
		}
	}
	s.want(422, `"limit_exceeded"`, "GET", "/tools?format=openai", "")

	megabyte := strings.Repeat("long", 1<<18)
	call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + megabyte + `","arguments":{}}}` + "\n"
	for _, bound := range []string{"1024", "100000"} {
		answer := byID(t, w.feed(hello+call, "mcp", "--max-bytes", bound).out)["2"]
		if !strings.Contains(answer, "-32602") || len(answer) > most+100 {
			t.Errorf("an unknown tool, --max-bytes %s: %d bytes: %.200s", bound, len(answer), answer)
		}
	}
	id := `{"jsonrpc":"2.0","id":"` + megabyte + `","method":"ping"}` + "\n"
	if answer := w.feed(id, "mcp").out; len(answer) > most {
		t.Errorf("a long id: %d bytes", len(answer))
	}
}
