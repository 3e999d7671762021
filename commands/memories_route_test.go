package commands

import (
	"context"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"techo/tools"
)

// investigating is a tool of the shape of investigate_memory, which has one
// memory of one user, and is to be had by nobody who is not a person.
func investigating() *tools.Tool {
	type memory struct {
		ID       string   `json:"id"`
		Caption  string   `json:"caption"`
		Created  string   `json:"created_at"`
		FullText string   `json:"full_text"`
		Passages []string `json:"passages"`
	}
	type out struct {
		Query    string   `json:"query"`
		Memories []memory `json:"memories"`
		Missing  []string `json:"missing"`
		Message  string   `json:"message"`
	}
	return tools.Define(tools.Tool{
		Name: investigateName, Command: "memory investigate",
		When: func(env *tools.Env) *tools.Error { return env.Fail(tools.Unavailable, tools.Say{EN: "off", JA: "off"}) },
	}, func(_ context.Context, env *tools.Env, in struct {
		IDs []string `json:"memory_ids" least:"1" en:"Ids" ja:"ID"`
	}) (out, error) {
		o := out{Memories: []memory{}, Missing: []string{}, Message: "so"}
		for _, id := range in.IDs {
			if id == "mem_a" && env.User == "tanaka" {
				o.Memories = append(o.Memories, memory{"mem_a", "About <a> dog", "2026-01-01T00:00:00Z", "犬の名前は Pochi & so on", []string{}})
			} else {
				o.Missing = append(o.Missing, id)
			}
		}
		return o, nil
	})
}

// memoryService serves that tool.
func memoryService(t *testing.T, in narrowIn) *served {
	t.Helper()
	s := newWorld(t).session()
	s.offered = append(s.offered, investigating())
	h, e := newHost(s, in)
	if e != nil {
		t.Fatal(e)
	}
	server := httptest.NewServer((&httpFace{host: h, mcp: mcpHandler(newMCP(h))}).handler())
	t.Cleanup(server.Close)
	return &served{t: t, base: server.URL, client: server.Client()}
}

// TestMemoryService answers what its clients read, and no more.
func TestMemoryService(t *testing.T) {
	s := memoryService(t, narrowIn{})
	for _, c := range []struct{ query, want string }{
		{"user_id=tanaka&ids=mem_a,mem_b", `{"memories":[{"id":"mem_a","caption":"About <a> dog","created_at":"2026-01-01T00:00:00Z","full_text":"犬の名前は Pochi & so on"}],"missing":["mem_b"]}` + "\n"},
		{"user_id=tanaka&ids=mem_b&ids=mem_a%2C", `"missing":["mem_b"]`},
		{"user_id=suzuki&ids=mem_a", `{"memories":[],"missing":["mem_a"]}` + "\n"},
	} {
		s.want(200, c.want, "GET", "/memories/full?"+c.query, "")
	}
	s.want(400, `"path":"/user_id"`, "GET", "/memories/full?ids=mem_a", "")
	s.want(400, `"path":"/ids"`, "GET", "/memories/full?user_id=tanaka", "")
	s.want(400, `at least 1`, "GET", "/memories/full?user_id=tanaka&ids=,", "")
	s.want(400, `"invalid_input"`, "GET", "/memories/full?user_id=tanaka&ids=%ff", "")
	s.want(405, "", "POST", "/memories/full", "")

	// The tool itself has conditions, which are not met here.
	s.want(403, `"code":"unavailable"`, "POST", "/tools/investigate_memory", `{"memory_ids":["mem_a"]}`)
	if list := s.want(200, "", "GET", "/tools?format=names", ""); strings.Contains(list, investigateName) {
		t.Errorf("it is offered: %s", list)
	}
	s.want(200, `"off":{"message":"off"`, "GET", "/tools?format=names&all=true", "")
	memoryService(t, narrowIn{Only: []string{"memo"}}).want(403, `--only`, "GET", "/memories/full?user_id=tanaka&ids=mem_a", "")
}

// TestMemoryServiceClients lets programs read the service that are not ours.
func TestMemoryServiceClients(t *testing.T) {
	python := findProgram(t, "python3")
	if exec.Command(python, "-c", "import httpx").Run() != nil {
		if python = "/usr/bin/python3"; exec.Command(python, "-c", "import httpx").Run() != nil {
			isMissing(t, "python3-httpx is not installed here")
		}
	}
	s := memoryService(t, narrowIn{})
	out, err := exec.Command(python, "../testdata/clients/memory_service.py", s.base, "tanaka", "mem_a", "mem_b").CombinedOutput()
	want := `*Investigating: dogs*

## Retrieved Memories

### [mem_a] About <a> dog
**Created:** 2026-01-01T00:00:00Z

犬の名前は Pochi & so on

----
INDEX.md:
# Memory Index

- [mem_a](mem_a.md): About <a> dog
mem_a.md:
# About <a> dog

**ID:** mem_a
**Created:** 2026-01-01T00:00:00Z

## Full Content

犬の名前は Pochi & so on
`
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	out, err = exec.Command(python, "../testdata/clients/memory_service.py", s.base, "suzuki", "mem_a").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "No memories found with the provided IDs.\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
