package commands

import (
	"strings"
	"testing"

	"techo/internal/testenv"
)

// TestMemoryServiceToken reads memories with the built program from a server that
// requires a token. The log of the server does not contain the token.
func TestMemoryServiceToken(t *testing.T) {
	const token = "a-long-random-text"
	w := newWorld(t)
	id := w.run("memory", "add", "Pochi is a dog.", "--user", "tanaka").ok()["memory"].(map[string]any)["id"].(string)
	w.env["TECHO_TOKEN"] = token
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	c, bin := newWorld(t), testenv.Program(t)
	c.env["TECHO_MEMORY_SERVICE_URL"], c.env["TECHO_MAX_PER_TURN"] = s.Base, "9"
	e := c.exec(bin, "", "memory", "investigate", id).fails("upstream")
	if !strings.Contains(e.Hint, "TECHO_MEMORY_SERVICE_TOKEN") {
		t.Errorf("without a token: %+v", e)
	}
	c.env["TECHO_MEMORY_SERVICE_TOKEN"] = token + "1"
	if e := c.exec(bin, "", "memory", "investigate", id).fails("upstream"); strings.Contains(e.Message+e.Hint, token) {
		t.Errorf("the token is shown: %+v", e)
	}
	c.env["TECHO_MEMORY_SERVICE_TOKEN"] = token
	if found := c.exec(bin, "", "memory", "investigate", id).ok()["memories"].([]any); len(found) != 1 {
		t.Errorf("found %v", found)
	}
	if log := s.log.String(); strings.Contains(log, token) {
		t.Errorf("the log shows the token:\n%s", log)
	}
}
