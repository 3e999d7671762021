package identifier

import (
	"strings"
	"testing"
)

func TestIn(t *testing.T) {
	for text, want := range map[string]bool{
		"where is getUser": true, "commit 8c1d2e3f": true, "0x7fff": true, "user_by_id": true, `"dark mode"`: true,
		"「暗いモード」": true, "call 5550142": true, "node.js": true, "the H100 cluster": true,
		"": false, "where do I live": false, "at 3pm on the 2nd": false, "in 2023": false, "Who is Sato?": false,
		"明日の3時": false,
	} {
		if got := In(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"what was the bug in parseInvoiceTotal?": "parseInvoiceTotal", "user_by_idの不具合": "user_by_id",
		"commit 8c1d2e3f and 0x7fff": "8c1d2e3f 0x7fff", "HTTPServer or httpServer": "httpServer",
		"GitHub, iPhone, McDonald and H100": "GitHub", "in 2026_11 or 1234567": "",
		"defaced facade 3f": "", "": "",
	} {
		if got := strings.Join(Names(text), " "); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
