package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"techo/internal/testenv"
)

// TestMemoryGate checks that every interface offers investigate_memory only if
// all three conditions hold.
func TestMemoryGate(t *testing.T) {
	flags := []string{"--enable-memory", "--user=tanaka", "--memory-context"}
	vars := []string{"TECHO_MEMORY", "TECHO_USER", "TECHO_MEMORY_CONTEXT"}
	for set := range 1 << len(flags) {
		for _, byFlag := range []bool{true, false} {
			w := newWorld(t)
			w.env["TECHO_MAX_PER_TURN"] = "9"
			var args []string
			for i := range flags {
				on := set>>i&1 == 1
				switch {
				case on && byFlag:
					args = append(args, flags[i])
				case on:
					w.env[vars[i]] = []string{"1", "tanaka", "true"}[i]
				}
			}
			all := set == 1<<len(flags)-1
			line := func(words ...string) []string { return append(words, args...) }
			catalogue := fmt.Sprint(w.run(line("tools", "--format", "names")...).ok())
			if strings.Contains(catalogue, "investigate_memory") != all {
				t.Errorf("%q: catalogue %s", args, catalogue)
			}
			listed := fmt.Sprint(w.run(line("tools", "--format", "names", "--all")...).ok())
			if !strings.Contains(listed, "investigate_memory") {
				t.Errorf("%q: not even with --all: %s", args, listed)
			}
			call := w.run(line("call", "investigate_memory", `{"memory_ids":["mem_a"]}`)...)
			batch := w.feed(`{"tool":"investigate_memory","input":{"memory_ids":["mem_a"]}}`+"\n",
				line("call", "--batch")...)
			if batch.out != call.out || batch.code != 0 {
				t.Errorf("%q: a batch answers %s, a call %s", args, batch.out, call.out)
			}
			if all {
				call.ok()
			} else if e := call.fails("unavailable"); strings.Contains(e.Hint, "--enable-memory") == (set&1 == 1) {
				t.Errorf("%q: hint %q", args, e.Hint)
			}
			// A person who types ids has
			w.run(line("memory", "investigate", "mem_a")...).ok()
			w.run(line("investigate_memory", "mem_a")...).ok()
		}
	}
	w := newWorld(t)
	w.env["TECHO_MEMORY"] = "maybe"
	w.run("version").fails("invalid_input", "/enable-memory")
	w.run("version", "--enable-memory=perhaps").fails("invalid_input", "/enable-memory")
}

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

// TestMemoryCrowd has many processes add memories, some of them equal, while
// others search and export: none is lost or stored twice.
func TestMemoryCrowd(t *testing.T) {
	bin := testenv.Program(t)
	w := newWorld(t)
	const writers, each = 6, 8
	var wg sync.WaitGroup
	for p := range writers {
		wg.Go(func() {
			for i := range each {
				w.exec(bin, "", "memory", "add", fmt.Sprintf("Fact number %d about the garden.", (p/2)*each+i)).ok()
				if i%4 == 0 {
					w.exec(bin, "", "memory", "search", "garden fact").ok()
					w.exec(bin, "", "export", "memories", "--to-dir", "out", "--user", "tanaka").ok()
				}
			}
		})
	}
	wg.Wait()
	want := writers / 2 * each
	if got := w.run("memory", "list").ok()["total"]; got != float64(want) {
		t.Errorf("%v memories, want %d", got, want)
	}
	w.run("store", "verify").ok()
	w.run("export", "memories", "--to-dir", "out", "--user", "tanaka").ok()
	files, err := filepath.Glob(filepath.Join(w.dir, "out", "mem_*.md"))
	left, _ := filepath.Glob(filepath.Join(w.dir, "out", ".techo-export-*"))
	if err != nil || len(files) != want || len(left) > 0 {
		t.Errorf("%d files, want %d; left over: %q", len(files), want, left)
	}
}

// TestImportKilled kills imports: each batch is stored completely or not at all,
// and running the import again completes it.
func TestImportKilled(t *testing.T) {
	bin := testenv.Program(t)
	w := newWorld(t)
	const lines = 4000
	var b strings.Builder
	for i := range lines {
		text, _ := json.Marshal(fmt.Sprintf("Line %d of many, about subject %d.", i, i%97))
		fmt.Fprintf(&b, "{\"full_text\":%s}\n", text)
	}
	file := filepath.Join(w.dir, "m.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run("memo", "add", "a", "x", "--priority", "1").ok() // so that there is a store to verify
	for range 5 {
		c := exec.Command(bin, "import", "memories", file)
		for name, value := range w.env {
			c.Env = append(c.Env, name+"="+value)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		w.exec(bin, "", "store", "verify").ok()
	}
	out := w.exec(bin, "", "import", "memories", file).ok()
	if out["imported"].(float64)+out["existing"].(float64) != lines {
		t.Errorf("%v", out)
	}
	if got := w.run("memory", "search", "subject", "--limit", "1").ok()["total"]; got != float64(lines) {
		t.Errorf("%v memories have the word, want %d", got, lines)
	}
}
