package commands

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/browser"
	"techo/internal/testenv"
)

func clientOfAlice(t *testing.T, far *world, flags ...string) (*world, *served) {
	t.Helper()
	w, s := clientOf(t, far, flags...)
	w.feed(far.personsToken("alice"), "login", s.Base).ok()
	return w, s
}

// TestPurgeUnconfirmed: whoever can start a server or reach one must not purge without the person.
func TestPurgeUnconfirmed(t *testing.T) {
	w := newWorld(t)
	purge := func(args ...string) {
		t.Helper()
		w.run("memo", "add", "sec", "x", "--priority", "3")
		s := w.serve(t, append([]string{"serve", "--audience", "person"}, args...)...)
		headers := []string{"Techo-Purge: true"}
		if len(args) > 0 {
			headers = append(headers, "Authorization: Bearer "+w.env["TECHO_TOKEN"])
		}
		s.Want(403, `"code":"unavailable"`, "POST", "/tools/remove_memo", `{"memo_name":"sec"}`, headers...)
		w.run("memo", "get", "sec").ok()
	}
	purge()
	w.env["TECHO_TOKEN"] = strings.Repeat("agent-token-", 4)
	purge("--listen", "127.0.0.1:0")
	delete(w.env, "TECHO_TOKEN")
	w.run("config", "set", "serve-purge", "token").fails("forbidden")
	w.confirm("config", "set", "serve-purge", "token").ok()
	purge()
}

// TestPurgeThroughServer: --purge reaches a server for persons, and is refused by all others.
func TestPurgeThroughServer(t *testing.T) {
	far := newWorld(t)
	far.confirm("config", "set", "serve-purge", "token").ok()
	w, s := clientOfAlice(t, far, "--audience", "person")
	total := func() (changes int) { // without the notes that something was purged
		for _, family := range []string{"memo", "memory", "calendar"} {
			changes += int(w.run("history", "--family", family).ok()["total"].(float64))
		}
		return changes
	}
	w.run("memo", "add", "sec", "password is hunter2", "--priority", "3").ok()
	w.run("memo", "edit", "sec", "--content", "gone").ok()
	w.confirm("undo", "h2", "--purge").ok()
	if got := w.run("memo", "get", "sec", "--fields", "memo.content").out; got != `{"memo":{"content":"gone"}}`+"\n" {
		t.Error("undo --purge undid the change:", got)
	}
	w.confirm("memo", "remove", "sec", "--purge").ok()
	id := w.run("memory", "add", "password is hunter2").ok()["memory"].(map[string]any)["id"].(string)
	w.confirm("memory", "remove", id, "--purge").ok()
	event := w.run("cal", "create", "--title", "hunter2", "--start", "2026-03-02 10:00").ok()["event"].(map[string]any)
	w.confirm("cal", "delete", event["event_id"].(string), "--purge").ok()
	todo := w.run("todo", "add", "hunter2").ok()["todo"].(map[string]any)
	w.confirm("todo", "remove", todo["todo_id"].(string), "--purge").ok()
	if total() != 0 {
		t.Error("the history still has", w.run("history").out)
	}

	w.run("memo", "add", "sec", "password is hunter2", "--priority", "3").ok()
	token := "Authorization: Bearer " + far.personsToken("alice")
	s.Want(400, `"path":"/purge"`, "POST", "/tools/edit_memo", `{"memo_name":"sec","content":"x"}`, token,
		"Techo-Purge: true")
	s.Want(400, `"path":"/purge"`, "POST", "/tools/remove_memo", `{"memo_name":"sec"}`, token, "Techo-Purge: yes")

	w, _ = clientOfAlice(t, far)
	e := w.confirm("memo", "remove", "sec", "--purge").fails("unavailable")
	if e.Hint != "The server must be started with --audience person" {
		t.Error(e.Hint)
	}
	e = w.confirm("memo", "remove", "sec", "--purge", "--lang", "ja").fails("unavailable")
	if e.Message != "このサーバーでは --purge を使えません" {
		t.Error(e.Message)
	}
	w.run("memo", "get", "sec").ok()
	if e := w.run("undo").fails("unavailable"); e.Hint != "The server must be started with --audience person" {
		t.Error(e.Hint)
	}
}

// TestSettingsOfServer: a flag that has no effect on a server is refused, never ignored.
func TestSettingsOfServer(t *testing.T) {
	w, _ := clientOfAlice(t, newWorld(t))
	for _, args := range [][]string{
		{"memo", "list", "--history-days", "0"},
		{"memo", "list", "--history-bytes", "2000000"},
		{"memo", "list", "--enable-memory"},
		{"memo", "list", "--memory-context"},
		{"memo", "list", "--memory-service-url", "http://127.0.0.1:1"},
		{"memory", "investigate", "mem_a", "--max-per-turn", "1"},
		{"web", "fetch", "http://127.0.0.1:1", "--allow-private"},
	} {
		e := w.run(args...).fails("unavailable")
		if !strings.Contains(e.Message, " does not take --") || !strings.Contains(e.Hint, "--store "+w.dir) {
			t.Errorf("%q: %s\n%s", args, e.Message, e.Hint)
		}
	}
	w.run("memo", "list", "--enable-memory=false").ok()
	w.env["TECHO_HISTORY_DAYS"] = "30" // of this machine
	w.run("memo", "list").ok()
	w.env["TECHO_NOW"] = noon
	e := w.run("memo", "list", "--history-days", "0", "--lang", "ja").fails("unavailable")
	if !strings.HasSuffix(e.Message, " では TECHO_NOW, --history-days を使えません") {
		t.Error(e.Message)
	}
	w.put("memos.json", `[{"name":"a","content":"x","priority":1}]`)
	w.run("import", "memos", "memos.json").fails("unavailable")
}

// TestTurnsThroughServer: a server counts the calls of a model, and those of a command in a turn that it names.
func TestTurnsThroughServer(t *testing.T) {
	far := newWorld(t)
	w, s := clientOfAlice(t, far, "--enable-memory", "--memory-context")
	id := w.run("memory", "add", "The dog is called Rex").ok()["memory"].(map[string]any)["id"].(string)
	for range 3 {
		w.run("memory", "investigate", id).ok()
	}
	token := "Authorization: Bearer " + far.personsToken("alice")
	for _, status := range []int{200, 200, 429} {
		s.Want(status, "", "POST", "/tools/investigate_memory", `{"memory_ids":["`+id+`"]}`, token)
	}
	w.run("memory", "investigate", id, "--turn", "7").ok()
	w.run("memory", "investigate", id, "--turn", "7").ok()
	w.run("memory", "investigate", id, "--turn", "7").fails("rate_limited", "/turn")
}

// TestHoursThroughServer: a server suggests times in the hours that the caller set.
func TestHoursThroughServer(t *testing.T) {
	w, _ := clientOfAlice(t, newWorld(t), "--working-hours", "10:00-12:00")
	suggest := func(flags ...string) string {
		return w.run(append([]string{"cal", "suggest", "--date-from", "2030-01-07", "--date-to", "2030-01-07",
			"--duration-minutes", "60", "--strategy", "earliest", "--limit", "1", "--fields", "suggestions.start"},
			flags...)...).out
	}
	for _, c := range []struct{ variable, flag, want string }{
		{"", "", "T10:00"}, {"06:00-08:00", "", "T06:00"}, {"06:00-08:00", "07:00-08:00", "T07:00"},
	} {
		w.env["TECHO_WORKING_HOURS"] = c.variable
		var flags []string
		if c.flag != "" {
			flags = []string{"--working-hours", c.flag}
		}
		if got := suggest(flags...); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s", c, got)
		}
	}
	delete(w.env, "TECHO_WORKING_HOURS")
	w.run("cal", "create", "--title", "x", "--start", "2030-01-07 10:00", "--end", "2030-01-07 10:30").ok()
	if got := suggest("--event-buffer", "20"); !strings.Contains(got, "T11:00") {
		t.Error("--event-buffer is ignored:", got)
	}
}

// TestSaveOfClient: a page is saved on the machine of the caller.
func TestSaveOfClient(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("the body"))
	}))
	defer site.Close()
	w, _ := clientOfAlice(t, newWorld(t))
	w.run("web", "fetch", site.URL, "--allow-private", "--save", "body").ok()
	if got, err := os.ReadFile(filepath.Join(w.dir, "body")); string(got) != "the body" {
		t.Errorf("saved %q, %v", got, err)
	}
	w.run("web", "fetch", site.URL, "--allow-private", "--save", "body").fails("already_exists")
	w.run("web", "fetch", site.URL, "--allow-private", "--save", "body", "--force").ok()
}

// TestBrowserUnconfirmed: only the person can let pages run scripts in a browser.
func TestBrowserUnconfirmed(t *testing.T) {
	w := newWorld(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>App</title><p id=p></p><script>p.append("made by a script")</script>`)
	}))
	t.Cleanup(page.Close)
	w.env["TECHO_WEB_ALLOW"] = "127.0.0.1"
	w.env["TECHO_BROWSER"] = "auto"
	render := []string{"web", "fetch", page.URL, "--render", "always"}
	w.run(render...).fails("unavailable")
	w.run(append(render, "--browser", "auto")...).fails("invalid_input", "/browser")
	w.run("config", "set", "browser", "auto").fails("forbidden")
	w.run("config", "set", "browser", "auto", "--project").fails("invalid_input", "/name")
	w.run(render...).fails("unavailable")
	w.confirm("config", "set", "browser", "auto").ok()
	if _, err := browser.Find(); err != nil || !testenv.Full() {
		return
	}
	for _, cached := range []bool{false, true} {
		out := w.run(append(render, "--start", "0")...).ok()
		if out["rendered"] != true || out["source"] != "rendered" || out["cached"] != cached ||
			!strings.Contains(out["text"].(string), "made by a script") ||
			!strings.HasPrefix(out["browser"].(string), "Chrome/") {
			t.Errorf("%v", out)
		}
	}
}
