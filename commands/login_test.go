package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"techo/commands/system"
)

// clientOf returns a world without a store, and a server that it can log in to.
func clientOf(t *testing.T, server *world, flags ...string) (*world, *served) {
	t.Helper()
	s := server.serve(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	w := newWorld(t)
	delete(w.env, "TECHO_STORE") // it would come before a login
	delete(w.env, "TECHO_NOW")   // a server refuses it
	return w, s
}

// TestLogin: after a login the calls go to the server, until the logout.
func TestLogin(t *testing.T) {
	far := newWorld(t)
	alice := far.token("alice")
	w, s := clientOf(t, far)
	if out := w.feed(alice, "login", s.Base).ok(); out["user"] != "alice" || out["server"] != s.Base {
		t.Error(out)
	}
	w.run("memory", "add", "Max is a dog.").ok()
	w.run("memo", "add", "ramen", "Tanaka likes ramen", "--priority", "4").ok()
	if got := far.run("memory", "list", "--user", "alice", "--fields", "total").out; !strings.Contains(got, "1") {
		t.Error("not on the server:", got)
	}
	want := far.run("memo", "get", "ramen", "-o", "text").out
	if got := w.run("memo", "get", "ramen", "-o", "text"); got.out != want || got.code != 0 {
		t.Errorf("text %q, want %q", got.out, want)
	}
	w.run("memo", "get", "none", "--lang", "ja").fails("not_found")
	w.run("memory", "add", "x", "--user", "bob").fails("forbidden")
	w.run("fs", "write", "here.txt", "hello").ok()
	if _, err := os.Stat(filepath.Join(w.dir, "here.txt")); err != nil {
		t.Error("fs does not run here:", err)
	}
	for _, args := range [][]string{{"store", "info"}, {"store", "compact"}} {
		w.run(args...).fails("unavailable")
	}
	own := filepath.Join(w.dir, "own")
	if got := w.run("memo", "list", "--store", own, "--fields", "total").out; got != "{\"total\":0}\n" {
		t.Error("--store does not come first:", got)
	}
	if out := w.run("logout").ok(); out["user"] != "alice" || out["server"] != s.Base {
		t.Error(out)
	}
	if got := w.run("memo", "list", "--fields", "total").out; got != "{\"total\":0}\n" {
		t.Error("after the logout:", got)
	}
	w.run("logout").ok()
	w.run("logout", s.Base, "--lang", "ja").fails("not_found")
}

// TestLoginRefused: a login keeps nothing unless the server accepts the token.
func TestLoginRefused(t *testing.T) {
	far := newWorld(t)
	far.token("alice")
	w, s := clientOf(t, far)
	w.feed("techo_wrong", "login", s.Base).fails("unavailable")
	w.feed("", "login", s.Base).fails("unavailable")
	if _, err := os.Stat(filepath.Join(w.dir, ".local/state/techo/logins.json")); err == nil {
		t.Error("a login was kept")
	}
}

// TestClientBatch: a batch works through a server, each call with its id.
func TestClientBatch(t *testing.T) {
	far := newWorld(t)
	w, s := clientOf(t, far)
	w.env["TECHO_STORE"], w.env["TECHO_TOKEN"] = s.Base, far.token("alice")
	out := w.feed(`{"tool":"add_memo","input":{"name":"a","content":"x","priority":1},"id":1}
{"tool":"list_memo","input":{},"id":2}
{"tool":"get_memo","input":{"memo_name":"b"},"id":3}
`, "call", "--batch").out
	text := `{"tool":"list_memo","input":{},"id":1}` + "\n" + `{"tool":"list_memo","input":{}}` + "\n"
	want := far.feed(text, "call", "--batch").out
	if got := w.feed(text, "call", "--batch", "-o", "text").out; got != want {
		t.Errorf("with -o text %q, want %q", got, want)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{`"id":1`, `"total":1`, `"not_found"`} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d: %s", i, lines[i])
		}
	}
}

// TestClientAsk: all commands of ask work with the questions of this machine while a server
// is the store.
func TestClientAsk(t *testing.T) {
	far := newWorld(t)
	w, s := clientOf(t, far)
	w.env["TECHO_STORE"], w.env["TECHO_TOKEN"] = s.Base, far.token("alice")
	if a := w.run("ask", "deploy?", "--wait", "0", "--fields", "question_id"); a.code != 6 ||
		!strings.Contains(a.out, `"q1"`) {
		t.Fatal(a.code, a.out)
	}
	w.run("ask", "show", "q1").ok()
	w.run("ask", "cancel", "q1")
	if out := w.run("ask", "history").ok(); !strings.Contains(fmt.Sprint(out), "deploy?") {
		t.Error(out)
	}
	for _, line := range []string{"ask wait q1 --wait 0", "ask watch"} { // watch needs a terminal
		if a := w.run(strings.Fields(line)...); strings.Contains(a.out, s.Base) {
			t.Errorf("%s: %s", line, a.out)
		}
	}
}

var memoryIDs = regexp.MustCompile(`mem_\w+`)

// fetchTimes are the times of web pages. The two worlds of a test have different clocks.
var fetchTimes = regexp.MustCompile(`"fetched_at":"[^"]*"`)

// TestClientFetch: web fetch reads a file of this machine while a server is the store.
func TestClientFetch(t *testing.T) {
	far, here := newWorld(t), newWorld(t)
	w, s := clientOf(t, far)
	w.env["TECHO_STORE"], w.env["TECHO_TOKEN"] = s.Base, far.token("alice")
	for _, x := range []*world{w, here} {
		x.put("page.html", "<title>Soba</title><p>Tanaka likes soba")
	}
	for _, line := range []string{
		"web fetch page.html", "web fetch page.html page.html", "web fetch none.html", "web fetch /none.html -o text",
	} {
		want, got := here.run(strings.Fields(line)...), w.run(strings.Fields(line)...)
		same := fetchTimes.ReplaceAllString(got.out, "") == fetchTimes.ReplaceAllString(want.out, "")
		if !same || got.code != want.code {
			t.Errorf("%s: %d %s, want %d %s", line, got.code, got.out, want.code, want.out)
		}
	}
	w.run("web", "fetch", "http://127.0.0.1:1/page.html").fails("forbidden")
	if _, err := os.Stat(filepath.Join(w.dir, ".local/share/techo")); err == nil {
		t.Error("a store was made here")
	}
}

// TestClientInvestigate: the command memory investigate needs no condition through a server
// either, unlike a model's call. A token that does not allow it stays refused.
func TestClientInvestigate(t *testing.T) {
	far := newWorld(t)
	alice, other := far.token("alice"), far.token("alice", "--only", "memo")
	w, s := clientOf(t, far)
	w.env["TECHO_STORE"], w.env["TECHO_TOKEN"] = s.Base, alice
	out := w.run("memory", "add", "Max is a dog.", "--fields", "memory.id").out
	id := memoryIDs.FindString(out)
	investigate := []string{"memory", "investigate", id}
	if text := w.run(append(investigate, "-o", "text")...).text(); !strings.Contains(text, "Max is a dog.") {
		t.Error(text)
	}
	w.run("call", "investigate_memory", `{"memory_ids":["`+id+`"]}`).fails("unavailable")
	w.run(append(investigate, "--to-dir", "d", "--turn", "2")...).ok()
	if b, err := os.ReadFile(filepath.Join(w.dir, "d", id+".md")); !strings.Contains(string(b), "Max is a dog.") {
		t.Error(string(b), err)
	}
	w.env["TECHO_TOKEN"] = other
	w.run(investigate...).fails("unavailable")
}

// TestLoginOvershadowed: a login says so if another store comes first. The setting store is the
// server only if calls go there.
func TestLoginOvershadowed(t *testing.T) {
	far := newWorld(t)
	alice := far.token("alice")
	w, s := clientOf(t, far)
	w.env["TECHO_STORE"] = filepath.Join(w.dir, "own")
	for lang, want := range map[string]string{"en": "TECHO_STORE comes first", "ja": "TECHO_STORE が優先"} {
		out := w.feed(alice, "login", s.Base, "--lang", lang).ok()
		if !strings.Contains(out["message"].(string), want) {
			t.Error(out)
		}
	}
	w.env["TECHO_STORE"] = s.Base + "/"
	if out := w.feed(alice, "login", s.Base).ok(); !strings.Contains(out["message"].(string), "Calls now go to") {
		t.Error(out)
	}
	w.run("memo", "list").ok() // with the token of the other spelling
	delete(w.env, "TECHO_STORE")
	set := w.run("config", "get", "store").ok()["settings"].([]any)[0].(map[string]any)
	if set["value"] != s.Base || set["from"] != "file" || !strings.HasSuffix(set["file"].(string), "logins.json") {
		t.Error(set)
	}
	w.run("init").ok()
	if out := w.feed(alice, "login", s.Base).ok(); !strings.Contains(out["message"].(string), ".techo comes first") {
		t.Error(out)
	}
	w.run("logout", s.Base+"/").ok()
}

// TestClientServes: a server needs the store itself. Neither a login nor TECHO_STORE starts
// one, or writes a file that does, whose calls would fail or go to another store.
func TestClientServes(t *testing.T) {
	far := newWorld(t)
	w, s := clientOf(t, far)
	w.feed(far.token("alice"), "login", s.Base).ok()
	for _, store := range []string{"", s.Base} {
		w.env["TECHO_STORE"] = store
		for _, line := range []string{
			"serve", "serve --unit systemd", "page --no-open", "mcp --http 127.0.0.1:0", "mcp --install claude",
			"setup claude", "cal subscribe http://127.0.0.1:1", "token list",
		} {
			e := w.run(strings.Fields(line)...).fails("unavailable")
			name := "techo " + strings.Join(strings.Fields(line)[:1], " ")
			if !strings.HasPrefix(e.Message, name) || !strings.Contains(e.Message, "through the server "+s.Base) ||
				!strings.Contains(e.Hint, "--store "+filepath.Join(w.dir, ".local/share/techo")) {
				t.Errorf("%s: %+v", line, e)
			}
		}
		w.run("setup", "claude", "--project", "--dry-run").ok()
		w.run("setup", "claude", "--remove").ok()
	}
}

// TestCopyServer: the store of a server is copied there.
func TestCopyServer(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "ramen", "x", "--priority", "4").ok()
	for _, address := range []string{"http://127.0.0.1:1", "https://h", "unix:/s"} {
		w.run("store", "copy", address, "b").fails("unavailable", "/from")
		w.run("store", "copy", w.env["TECHO_STORE"], address, "--lang", "ja").fails("unavailable", "/to")
	}
}

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

// TestDoctorServer: doctor checks a server, the token and the version, in both languages.
func TestDoctorServer(t *testing.T) {
	far, near := newWorld(t), newWorld(t)
	all, some := far.token("alice"), far.token("alice", "--read-only", "--only", "memo")
	far.env["TECHO_TOKEN"] = "owner"
	near.useServer(far.serve(t, "serve", "--listen", "127.0.0.1:0", "--quiet").Base)
	doctor := func(token string, args ...string) answer {
		near.env["TECHO_TOKEN"] = token
		return near.run(append([]string{"doctor"}, args...)...)
	}
	if out := doctor(all).ok(); out["ok"] != true || len(out["findings"].([]any)) != 0 ||
		!strings.Contains(out["message"].(string), " (version "+system.Version+") can read its store; calls are "+
			"those of alice") {
		t.Error(out)
	}
	for lang, want := range map[string]string{"en": "allows only memo", "ja": "許可するのは memo だけです"} {
		if got := doctor(some, "--lang", lang, "-o", "text"); got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%d %s", got.code, got.out)
		}
	}
	if got := doctor(far.token("alice", "--spaces", "own")); !strings.Contains(got.out, "allows only the spaces own") {
		t.Error(got.out)
	}
	near.env["TECHO_USER"] = "bob"
	if out := doctor("owner").ok(); !strings.HasSuffix(out["message"].(string), "calls are those of bob") {
		t.Error(out)
	}
	if got := doctor("wrong"); got.code != 4 || !strings.Contains(got.out, "techo login") {
		t.Errorf("%d %s", got.code, got.out)
	}
}
