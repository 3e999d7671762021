package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"techo/internal/mcptest"
)

// TestDefaultBudget checks that a result over MCP and HTTP has at most 64 KiB unless
// more was asked for, and that it contains how to go on.
func TestDefaultBudget(t *testing.T) {
	const budget = 64 << 10
	w := newWorld(t)
	w.put("long.txt", strings.Repeat("word ", 400_000))
	w.put("code.go", strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"reading the file: %w\", err) "+
		"// and more of it\n\t}\n", 2000))
	calls := map[string]string{
		"read_file":  `{"path":"code.go"}`,
		"grep":       `{"pattern":"return","max_results":1000}`,
		"list_files": `{"path":"."}`,
	}
	hello := func(version string) string { return strings.ReplaceAll(mcptest.Hello, "2025-06-18", version) }
	for tool, input := range calls {
		for _, version := range []string{"2025-06-18", "2024-11-05"} {
			call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` +
				input + `}}` + "\n"
			answer := mcptest.Answers(t, w.feed(hello(version)+call, "mcp", "--profile", "full").out)["2"]
			if len(answer) > budget {
				t.Errorf("%s with %s: %d bytes", tool, version, len(answer))
			}
			if strings.Contains(answer, `"structuredContent"`) != (version > "2025") {
				t.Errorf("%s with %s: %.200s", tool, version, answer)
			}
			next := strings.Contains(answer, "continue with") || strings.Contains(answer, "go on with")
			if tool != "list_files" && !next {
				t.Errorf("%s does not name a next step: %s", tool, answer[max(0, len(answer)-400):])
			}
			unbounded := mcptest.Answers(t, w.feed(hello(version)+call, "mcp", "--max-bytes",
				"0").out)["2"]
			if tool == "read_file" && len(unbounded) <= budget {
				t.Errorf("%s without a limit: %d bytes", tool, len(unbounded))
			}
		}
	}
	s := w.serve(t, "serve", "--root", w.dir)
	status, answer := s.Ask("POST", "/tools/read_file", `{"path":"long.txt"}`)
	if status != 200 || len(answer) > budget+1 || !strings.Contains(answer, "continue with offset 1 and line_offset") {
		t.Errorf("%d, %d bytes: %s", status, len(answer), answer[max(0, len(answer)-300):])
	}
	if out := w.run("fs", "read", "code.go", "--limit", "6000").out; len(out) < budget {
		t.Errorf("a command has %d bytes", len(out))
	}
}

// TestSentOnce checks that structured content is sent where the schema of the result is
// listed, and otherwise only by a server that does not save tokens.
func TestSentOnce(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "3").ok()
	call := func(id, tool, input string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}`+"\n",
			id, tool, input)
	}
	for _, test := range []struct {
		version, flags string
		twice          bool
	}{
		{"2025-11-25", "--profile=full", true}, {"2025-06-18", "--profile=full", true},
		{"2025-03-26", "--profile=full", false}, {"2025-06-18", "--profile=memory", false},
		{"2025-11-25", "--lang=en", false}, {"2024-11-05", "--lang=en", false},
		{"2025-11-25", "--result-schemas", true}, {"2025-03-26", "--result-schemas", false},
	} {
		hello := strings.ReplaceAll(mcptest.Hello, "2025-06-18", test.version)
		out := w.feed(hello+call("2", "get_memo", `{"memo_name":"ramen"}`), "mcp", test.flags).out
		answer := mcptest.Answers(t, out)["2"]
		if !strings.Contains(answer, `"text":"{\"memo\"`) ||
			strings.Contains(answer, `"structuredContent":{"memo"`) != test.twice {
			t.Errorf("%v: %s", test, answer)
		}
	}
	for flag, want := range map[string]bool{"--lang=en": false, "--result-schemas": true} {
		session := w.client(t, nil, flag)
		mcptest.Call(t, session, "find_tools", `{"query":"list_todos"}`)
		for _, tool := range []string{"list_todos", "list_memo"} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{}})
			if err != nil || (result.StructuredContent != nil) != want {
				t.Errorf("%s, %s: %v, %v", flag, tool, result, err)
			}
		}
	}
}

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
