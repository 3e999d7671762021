package serve

import (
	"net/http"
	"strings"
	"testing"

	"techo/commands/remote"
)

// TestAnswerHeaders: each kind of answer is neither kept by proxies nor taken for
// another type, and says that it is from a techo serve.
func TestAnswerHeaders(t *testing.T) {
	_, c := setup{}.start(t)
	for _, test := range []struct{ method, path, output, contentType string }{
		{"POST", "/tools/list_memo", "", "application/json"},
		{"POST", "/tools/list_memo", "text", "text/plain; charset=utf-8"},
		{"POST", "/tools/no_tool", "text", "application/json"},
		{"GET", "/metrics", "", "text/plain; version=0.0.4; charset=utf-8"},
		{"GET", "/no/route", "", "application/json"},
		{"PUT", "/tools", "", "application/json"},
		{"GET", "/health", "", "application/json"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, c.Base+test.path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Techo-Output", test.output)
		answer, err := c.HTTP.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		for name, want := range map[string]string{
			"Content-Type": test.contentType, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			remote.ProtocolHeader: remote.Protocol,
		} {
			if got := answer.Header[name]; len(got) != 1 || got[0] != want {
				t.Errorf("%s %s: %s: %q, want %q", test.method, test.path, name, got, want)
			}
		}
	}
}
