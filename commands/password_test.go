package commands

import (
	"strings"
	"testing"
)

// TestPasswordKept: the password in the address of a store is neither printed nor written to
// the files that start techo.
func TestPasswordKept(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_STORE"] = "postgres://tanaka:hunter2@127.0.0.1:1/d?namespace=n"
	for _, line := range []string{
		"setup claude", "setup claude --dry-run", "mcp --install claude", "serve --unit systemd",
		"serve --unit launchd",
	} {
		for _, lang := range []string{"en", "ja"} {
			a := w.run(append(strings.Fields(line), "--lang", lang)...)
			e := a.fails("invalid_input")
			if strings.Contains(a.out, "hunter2") || !strings.Contains(e.Hint, "~/.pgpass") {
				t.Errorf("%s: %s", line, a.out)
			}
		}
	}
	for _, line := range []string{
		"config list", "config get store", "config list -o text", "config get store -o text",
		"setup claude --project --dry-run", "setup claude --remove --dry-run",
	} {
		a, shown := w.run(strings.Fields(line)...), "postgres://tanaka@127.0.0.1:1/d?namespace=n"
		if a.code != 0 || strings.Contains(a.out, "hunter2") ||
			strings.HasPrefix(line, "config") && !strings.Contains(a.out, shown) {
			t.Errorf("%s: %d %s", line, a.code, a.out)
		}
	}
	w.env["TECHO_STORE"], w.env["TECHO_MEMORY_SERVICE_URL"] = "", "http://u:hunter2@127.0.0.1"
	if a := w.run("config", "list"); a.code != 0 || strings.Contains(a.out, "hunter2") {
		t.Error(a.code, a.out)
	}
}
