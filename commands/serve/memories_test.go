package serve

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"techo/internal/testenv"
)

// memoryService starts a server with one memory of the user tanaka, and returns
// its id.
func memoryService(t *testing.T, flags map[string]string) (c *testenv.Client, id string) {
	t.Helper()
	_, c = setup{flags: flags}.start(t)
	added := c.Want(200, `"created":true`, "POST", "/tools/add_memory",
		`{"full_text":"犬の名前は Pochi & so on","caption":"About <a> dog"}`, "Techo-User: tanaka")
	return c, regexp.MustCompile(`mem_[a-z0-9]+`).FindString(added)
}

// TestMemoryService checks the answers and the errors of the memory service.
func TestMemoryService(t *testing.T) {
	c, id := memoryService(t, nil)
	whole := fmt.Sprintf(`{"memories":[{"id":%q,"caption":"About <a> dog","created_at":"2026-01-02T12:00:00Z",`+
		`"full_text":"犬の名前は Pochi & so on"}],"missing":["mem_zzzzzzzz"]}`+"\n", id)
	for _, q := range []struct{ query, want string }{
		{"user_id=tanaka&ids=" + id + ",mem_zzzzzzzz", whole},
		{"user_id=tanaka&ids=mem_zzzzzzzz&ids=" + id + "%2C", whole},
		{"user_id=suzuki&ids=" + id, fmt.Sprintf(`{"memories":[],"missing":[%q]}`+"\n", id)},
	} {
		c.Want(200, q.want, "GET", "/memories/full?"+q.query, "")
	}
	c.Want(400, `"path":"/user_id"`, "GET", "/memories/full?ids="+id, "")
	c.Want(400, `"path":"/ids"`, "GET", "/memories/full?user_id=tanaka", "")
	c.Want(400, `at least 1`, "GET", "/memories/full?user_id=tanaka&ids=,", "")
	c.Want(400, `"invalid_input"`, "GET", "/memories/full?user_id=tanaka&ids=%ff", "")
	c.Want(400, `"path":"/user_id"`, "GET", "/memories/full?user_id=%ff&ids="+id, "")
	c.Want(400, `"path":"/user"`, "POST", "/tools/list_memory", "{}", "Techo-User: \xff")
	c.Want(400, `given twice`, "GET", "/memories/full?user_id=tanaka&user_id=suzuki&ids="+id, "")
	c.Want(400, `"path":"/user_id"`, "GET", "/memories/full?user_id=a%00b&ids="+id, "")
	c.Want(400, `"path":"/user","message":"is not a field of this input","hint":"Did you mean 'user_id'?"`,
		"GET", "/memories/full?user_id=tanaka&user=suzuki&ids="+id, "")
	c.Want(405, "", "POST", "/memories/full", "")
	_, narrow := setup{only: []string{"memo"}}.start(t)
	narrow.Want(403, `--only`, "GET", "/memories/full?user_id=tanaka&ids="+id, "")
}

// TestMemoryGate offers investigate_memory if its three conditions are met, and
// otherwise answers a call with the missing one. A header names the user like the
// flag.
func TestMemoryGate(t *testing.T) {
	const on = "true"
	for _, g := range []struct {
		flags   map[string]string
		header  string
		missing string
	}{
		{map[string]string{"enable-memory": on, "memory-context": on}, "Techo-User: tanaka", ""},
		{map[string]string{"enable-memory": on, "memory-context": on, "user": "tanaka"}, "Techo-Lang: en", ""},
		{map[string]string{"enable-memory": on, "memory-context": on}, "Techo-Lang: en", "--user"},
		{map[string]string{"enable-memory": on, "user": "tanaka"}, "Techo-Lang: en", "--memory-context"},
		{map[string]string{"memory-context": on}, "Techo-User: tanaka", "--enable-memory"},
	} {
		c, id := memoryService(t, g.flags)
		input := fmt.Sprintf(`{"memory_ids":[%q]}`, id)
		list := c.Want(200, "", "GET", "/tools?format=names", "", g.header)
		if offered := strings.Contains(list, `"`+investigate+`"`); offered != (g.missing == "") {
			t.Errorf("%q, %s: offered: %v", g.flags, g.header, offered)
		}
		if g.missing == "" {
			c.Want(200, "Pochi", "POST", "/tools/"+investigate, input, g.header)
		} else {
			c.Want(403, g.missing, "POST", "/tools/"+investigate, input, g.header)
		}
	}
}

// TestMemoryServiceClients reads memories with the program of another project.
func TestMemoryServiceClients(t *testing.T) {
	python := testenv.Tool(t, "python3")
	if exec.Command(python, "-c", "import httpx").Run() != nil {
		if python = "/usr/bin/python3"; exec.Command(python, "-c", "import httpx").Run() != nil {
			testenv.Missing(t, "python3-httpx is not installed here")
		}
	}
	c, id := memoryService(t, nil)
	out, err := exec.Command(python, "../../testdata/clients/memory_service.py", c.Base, "tanaka", id,
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
	out, err = exec.Command(python, "../../testdata/clients/memory_service.py", c.Base, "suzuki", id).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "No memories found with the provided IDs.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
