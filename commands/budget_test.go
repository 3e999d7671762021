package commands

import (
	"strings"
	"testing"

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
			answer := mcptest.Answers(t, w.feed(hello(version)+call, "mcp").out)["2"]
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
			unbounded := mcptest.Answers(t, w.feed(hello(version)+call, "mcp", "--max-bytes", "0").out)["2"]
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
