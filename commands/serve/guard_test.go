package serve

import (
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestGuard sends the headers that web pages and rebound host names make a
// browser send, to each route of both servers.
func TestGuard(t *testing.T) {
	hosts := []string{"notes.example"}
	_, c := setup{Options: Options{Hosts: hosts}}.start(t)
	guardRoutes(c, "/tools/list_memo", "/tools", "/health", "/memories/full?user_id=u&ids=a", "/mcp")
	_, c = setup{Options: Options{Hosts: hosts, MCPOnly: true}}.start(t)
	guardRoutes(c, "/", "/health", "/mcp")
}

func guardRoutes(c *testenv.Client, paths ...string) {
	port := c.Base[strings.LastIndex(c.Base, ":"):]
	refused := [][]string{
		{"Host: evil.example"},
		{"Host: evil.example" + port},
		{"Host: evil.example", "Origin: http://evil.example"},
		{"Host: evil.example" + port, "Origin: http://evil.example" + port, "Sec-Fetch-Site: same-origin"},
		{"Host: 127.0.0.1.evil.example"},
		{"Host: localhost.evil.example" + port},
		{"Host: localhost@evil.example"},
		{"Origin: http://evil.example"},
		{"Origin: null"},
		{"Origin: http://localhost:1"},
		{"Origin: https://127.0.0.1.evil.example" + port},
		{"Origin: file://"},
		{"Sec-Fetch-Site: cross-site"},
		{"Sec-Fetch-Site: same-site"},
		{"Origin: http://127.0.0.1" + port, "Origin: http://evil.example"},
	}
	accepted := [][]string{
		{},
		{"Host: localhost" + port},
		{"Host: LocalHost"},
		{"Host: [::1]" + port},
		{"Host: notes.example"},
		{"Host: localhost" + port, "Origin: http://localhost" + port},
		{"Host: notes.example", "Origin: https://notes.example", "Sec-Fetch-Site: same-origin"},
		{"Sec-Fetch-Site: none"},
	}
	for _, path := range paths {
		method, body := "GET", ""
		var protocol []string
		switch path {
		case "/", "/mcp":
			method, body = "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
			protocol = []string{"Content-Type: application/json", "Accept: application/json, text/event-stream"}
		case "/tools/list_memo":
			method = "POST"
		}
		for _, headers := range refused {
			c.Want(403, `"forbidden"`, method, path, body, append(headers, protocol...)...)
			c.Want(403, `"forbidden"`, "OPTIONS", path, "", headers...) // the preflight of a browser
		}
		for _, headers := range accepted {
			c.Want(200, "", method, path, body, append(headers, protocol...)...)
		}
	}
}
