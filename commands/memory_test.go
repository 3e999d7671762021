package commands

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/mcptest"
)

// TestMemoryIsolation reads, changes and removes under another user's name, by
// every way: nothing is found.
func TestMemoryIsolation(t *testing.T) {
	w := newWorld(t)
	added := w.run("memory", "add", "Tanaka has a dog named Max.", "--session", "s", "--user", "tanaka").ok()
	id := added["memory"].(map[string]any)["id"].(string)
	w.run("memory", "add", "Nothing about animals.", "--user", "suzuki").ok()
	for _, args := range [][]string{
		{"memory", "list", "--session", "s"}, {"memory", "search", "dog named Max"},
		{"memory", "search", "dog", "--session", "s"},
		{"memory", "context", "dog Max", "--fields", "references"},
		{"memory", "investigate", id, "--fields", "memories"},
		{"memory", "investigate", id, "--to-dir", "out", "--fields", "files"},
		{"memory", "remove", id, "--fields", "removed"},
		{"memory", "search", "dogg", "--fields", "results,suggestions"},
		{"export", "memories", "--to-dir", "folder", "--fields", "written"},
	} {
		got := w.run(append(args, "--user", "suzuki")...)
		got.ok()
		if strings.Contains(got.out, "Max\"") && !strings.Contains(got.out, `"query":"dog named Max"`) ||
			strings.Contains(got.out, "Tanaka") || strings.Contains(got.out, id) {
			t.Errorf("%q: %s", args, got.out)
		}
	}
	w.run("memory", "get", id, "--user", "suzuki").fails("not_found")
	w.run("memory", "edit", id, "--caption", "x", "--user", "suzuki").fails("not_found")
	_ = filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(path, id) {
			t.Errorf("%s was written", path)
		}
		return nil
	})
	if got := fmt.Sprint(w.run("memory", "get", id, "--user", "tanaka").ok()); !strings.Contains(got, "Max") {
		t.Errorf("gone: %s", got)
	}
}

// TestMemoryKeys uses one idempotency key for two users: neither sees the other's
// result.
func TestMemoryKeys(t *testing.T) {
	w := newWorld(t)
	for _, user := range []string{"tanaka", "suzuki", "tanaka"} {
		got := w.run("memory", "add", "A plain fact.", "--idempotency-key", "k", "--user", user).ok()
		if by := got["memory"].(map[string]any)["user_id"]; by != user || got["created"] != true {
			t.Errorf("%s was given %v", user, got)
		}
	}
	w.run("memory", "add", "Another fact.", "--idempotency-key", "k", "--user", "tanaka").fails("conflict")
}

// TestMemoryUser reads the user from the flag, the environment and the system,
// and checks that an unusable name is refused before anything is stored.
func TestMemoryUser(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"\xff", strings.Repeat("x", 257), strings.Repeat("あ", 86)} {
		w.run("memory", "add", "fact", "--user", name).fails("invalid_input", "/user")
		w.env["TECHO_USER"] = name
		w.run("memory", "list").fails("invalid_input", "/user")
		delete(w.env, "TECHO_USER")
	}
	of := func() any {
		return w.run("memory", "add", "fact").ok()["memory"].(map[string]any)["user_id"]
	}
	w.env["USER"], w.env["LOGNAME"] = "\xff", "suzuki"
	if got := of(); got != "suzuki" {
		t.Errorf("with a broken name: %v", got)
	}
	delete(w.env, "USER")
	delete(w.env, "LOGNAME")
	want := "default"
	if u, err := user.Current(); err == nil {
		want = u.Username
	}
	if got := of(); got != want {
		t.Errorf("without a name: %v, want %v", got, want)
	}
	w.env["TECHO_USER"] = strings.Repeat("あ", 85)
	if got := of(); got != w.env["TECHO_USER"] {
		t.Errorf("a long name: %v", got)
	}
	w.run("store", "verify").ok()
}

// investigate is the tool that reads memories in full.
const investigate = "investigate_memory"

// TestTurns checks the limit of calls in a turn on servers. Only the flag and the
// header of the host name a turn; calls without one count by client and minute.
func TestTurns(t *testing.T) {
	w := newWorld(t)
	flags := []string{"--enable-memory", "--memory-context", "--user", "tanaka"}
	id := w.run("memory", "add", "The dog is called Max", "--user",
		"tanaka").ok()["memory"].(map[string]any)["id"].(string)
	input := fmt.Sprintf(`{"memory_ids":[%q]}`, id)
	s := w.serve(t, append([]string{"serve"}, flags...)...)
	path := "/tools/" + investigate
	s.Want(200, "Max", "POST", path, input)
	s.Want(200, "Max", "POST", path, input)
	s.Want(429, `"rate_limited"`, "POST", path, input)
	s.Want(429, `"rate_limited"`, "POST", path, input, "Techo-Lang: ja")
	s.Want(400, `"path":"/max_per_turn"`, "POST", path,
		fmt.Sprintf(`{"memory_ids":[%q],"max_per_turn":9,"turn":"x"}`, id))
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 1")
	s.Want(429, `"retryable":false`, "POST", path, input, "Techo-Turn: 1")
	s.Want(200, "Max", "POST", path, input, "Techo-Turn: 2")
	s.Want(400, `"path":"/turn"`, "POST", path, input, "Techo-Turn: "+strings.Repeat("x", 200))
	for range 3 { // the memory service has no limit
		s.Want(200, "Max", "GET", "/memories/full?user_id=tanaka&ids="+id, "")
	}
	for _, catalogue := range []string{"/tools", "/tools?format=openai", "/tools?format=anthropic"} {
		if list := s.Want(200, investigate, "GET", catalogue, ""); strings.Contains(list, "max_per_turn") ||
			strings.Contains(list, `"turn"`) {
			t.Errorf("%s contains the turn or its limit", catalogue)
		}
	}

	for _, session := range []string{"one", "another"} { // each MCP session is a client
		c := w.client(t, nil, append(flags, "--max-per-turn", "1")...)
		if text, isError := mcptest.Call(t, c, investigate, input); isError {
			t.Errorf("%s session: %s", session, text)
		}
		if text, isError := mcptest.Call(t, c, investigate, input); !isError ||
			!strings.Contains(text, `"rate_limited"`) {
			t.Errorf("%s session, second call: %s", session, text)
		}
	}
}
