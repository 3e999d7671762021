package commands

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"techo/commands/serve"
	"techo/internal/testenv"
)

// memoryService serves a store with one memory of one user, and returns its id.
func memoryService(t *testing.T, args ...string) (s *served, id string) {
	t.Helper()
	w := newWorld(t)
	m := w.run("memory", "add", "犬の名前は Pochi & so on", "--caption", "About <a> dog", "--user",
		"tanaka").ok()["memory"].(map[string]any)
	return w.serve(t, append([]string{"serve"}, args...)...), m["id"].(string)
}

// TestMemoryService answers what its clients read, and no more.
func TestMemoryService(t *testing.T) {
	s, id := memoryService(t)
	whole := fmt.Sprintf(
		`{"memories":[{"id":%q,"caption":"About <a> dog","created_at":"2026-01-02T12:00:00Z","full_text":"犬の名前は Pochi & so on"}],"missing":["mem_zzzzzzzz"]}`+"\n", id)
	for _, c := range []struct{ query, want string }{
		{"user_id=tanaka&ids=" + id + ",mem_zzzzzzzz", whole},
		{"user_id=tanaka&ids=mem_zzzzzzzz&ids=" + id + "%2C", whole},
		{"user_id=suzuki&ids=" + id, fmt.Sprintf(`{"memories":[],"missing":[%q]}`+"\n", id)},
	} {
		s.want(200, c.want, "GET", "/memories/full?"+c.query, "")
	}
	s.want(400, `"path":"/user_id"`, "GET", "/memories/full?ids="+id, "")
	s.want(400, `"path":"/ids"`, "GET", "/memories/full?user_id=tanaka", "")
	s.want(400, `at least 1`, "GET", "/memories/full?user_id=tanaka&ids=,", "")
	s.want(400, `"invalid_input"`, "GET", "/memories/full?user_id=tanaka&ids=%ff", "")
	s.want(400, `"path":"/user_id"`, "GET", "/memories/full?user_id=%ff&ids="+id, "")
	s.want(400, `"path":"/user"`, "POST", "/tools/list_memory", "{}", "Techo-User: \xff")
	s.want(400, `given twice`, "GET", "/memories/full?user_id=tanaka&user_id=suzuki&ids="+id, "")
	s.want(400, `"path":"/user_id"`, "GET", "/memories/full?user_id=a%00b&ids="+id, "")
	s.want(405, "", "POST", "/memories/full", "")
	narrow, id := memoryService(t, "--only", "memo")
	narrow.want(403, `--only`, "GET", "/memories/full?user_id=tanaka&ids="+id, "")
}

// TestServeMemoryGate offers investigate_memory over HTTP when its three conditions
// are met, and says which is not when it is called all the same. A header
// names the user as the flag does.
func TestServeMemoryGate(t *testing.T) {
	for _, c := range []struct {
		flags   []string
		header  string
		missing string
	}{
		{[]string{"--enable-memory", "--memory-context"}, "Techo-User: tanaka", ""},
		{[]string{"--enable-memory", "--memory-context", "--user", "tanaka"}, "Techo-Lang: en", ""},
		{[]string{"--enable-memory", "--memory-context"}, "Techo-Lang: en", "--user"},
		{[]string{"--enable-memory", "--user", "tanaka"}, "Techo-Lang: en", "--memory-context"},
		{[]string{"--memory-context"}, "Techo-User: tanaka", "--enable-memory"},
	} {
		s, id := memoryService(t, c.flags...)
		input := fmt.Sprintf(`{"memory_ids":[%q]}`, id)
		list := s.want(200, "", "GET", "/tools?format=names", "", c.header)
		if offered := strings.Contains(list, `"`+serve.InvestigateName+`"`); offered != (c.missing == "") {
			t.Errorf("%q, %s: offered: %v", c.flags, c.header, offered)
		}
		if c.missing == "" {
			s.want(200, "Pochi", "POST", "/tools/"+serve.InvestigateName, input, c.header)
		} else {
			s.want(403, c.missing, "POST", "/tools/"+serve.InvestigateName, input, c.header)
		}
	}
}

// TestMemoryServiceClients lets programs read the service that are not ours.
func TestMemoryServiceClients(t *testing.T) {
	python := testenv.Tool(t, "python3")
	if exec.Command(python, "-c", "import httpx").Run() != nil {
		if python = "/usr/bin/python3"; exec.Command(python, "-c", "import httpx").Run() != nil {
			testenv.Missing(t, "python3-httpx is not installed here")
		}
	}
	s, id := memoryService(t)
	out, err := exec.Command(python, "../testdata/clients/memory_service.py", s.base, "tanaka", id,
		"mem_zzzzzzzz").CombinedOutput()
	want := strings.ReplaceAll(`*Investigating: dogs*

## Retrieved Memories

### [ID] About <a> dog
**Created:** 2026-01-02T12:00:00Z

犬の名前は Pochi & so on

----
INDEX.md:
# Memory Index

- [ID](ID.md): About <a> dog
ID.md:
# About <a> dog

**ID:** ID
**Created:** 2026-01-02T12:00:00Z

## Full Content

犬の名前は Pochi & so on
`, "ID", id)
	want = strings.Replace(want, "**"+id+":**", "**ID:**", 1)
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	out, err = exec.Command(python, "../testdata/clients/memory_service.py", s.base, "suzuki", id).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "No memories found with the provided IDs.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestMemoryServiceToken reads from a server that wants a token, with the built
// program. The log of the server does not show the token.
func TestMemoryServiceToken(t *testing.T) {
	const token = "a-long-random-text"
	w := newWorld(t)
	id := w.run("memory", "add", "Pochi is a dog.", "--user", "tanaka").ok()["memory"].(map[string]any)["id"].(string)
	w.env["TECHO_TOKEN"] = token
	s := w.serve(t, "serve", "--listen", "127.0.0.1:0")
	c, bin := newWorld(t), testenv.Program(t)
	c.env["TECHO_MEMORY_SERVICE_URL"], c.env["TECHO_MAX_PER_TURN"] = s.base, "9"
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
