package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/mcptest"
)

// TestServeFiles checks that servers over HTTP offer the file tools only with
// --root.
func TestServeFiles(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "a.txt"), []byte("kept\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id := w.run("memory", "add", "text", "--user", "u").ok()["memory"].(map[string]any)["id"].(string)
	memory := []string{"--enable-memory", "--memory-context", "--user", "u", "--max-per-turn", "100"}
	files := []string{"grep", "glob", "read_file", "write_file", "edit_file", "undo_edit"}
	for _, command := range [][]string{{"serve"}, {"mcp", "--http", "127.0.0.1:0", "--no-token"}} {
		s := w.serve(t, append(slices.Clone(command), memory...)...)
		c := connectHTTP(t, s.Base+"/mcp", "", "")
		for _, name := range files {
			if mcptest.Offers(t, c, name) {
				t.Errorf("%q offers %s", command, name)
			}
		}
		for _, call := range []struct{ tool, input string }{
			{"read_file", `{"path":"a.txt"}`}, {"write_file", `{"path":"b.txt","content":"x"}`},
			{"grep", `{"pattern":"kept"}`},
			{investigate, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":"out"}`, id)},
			{investigate, fmt.Sprintf(`{"memory_ids":[%q],"to_dir":""}`, id)},
		} {
			text, isError := mcptest.Call(t, c, call.tool, call.input)
			if !isError || !strings.Contains(text, `"unavailable"`) || !strings.Contains(text, "--root DIR") ||
				strings.Contains(text, "kept") {
				t.Errorf("%q: %s: %s", command, call.tool, text)
			}
			if command[0] == "serve" {
				s.Want(403, `--root DIR`, "POST", "/tools/"+call.tool, call.input)
				s.Want(403, `"unavailable"`, "POST", "/tools/"+call.tool, call.input, "Techo-Lang: ja")
			}
		}
	}
	for _, name := range []string{"b.txt", "out"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	s := w.serve(t, "serve", "--root", w.dir)
	s.Want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
	s.Want(403, `"forbidden"`, "POST", "/tools/read_file", `{"path":"/etc/passwd"}`)
	w.env["TECHO_ROOTS"] = w.dir
	w.serve(t, "serve").Want(200, `kept`, "POST", "/tools/read_file", `{"path":"a.txt"}`)
}
