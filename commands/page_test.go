package commands

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// paged is a running techo page and a client that behaves like a browser.
type paged struct {
	testenv.Client
	link string
	stop func() (code int)
}

func (w *world) page(t *testing.T, args ...string) *paged {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	own := *w
	own.interrupt, own.env = ctx, maps.Clone(w.env)
	stdout, stderr := &testenv.Buffer{}, &testenv.Buffer{}
	system := own.World(unreadable{}, stdout, stderr, append([]string{"page", "--no-open"}, args...)...)
	ended := make(chan int, 1)
	go func() { ended <- Main(system) }()
	p := &paged{Client: testenv.Client{T: t, HTTP: &http.Client{Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}}
	p.stop = func() int {
		interrupt()
		p.HTTP.CloseIdleConnections()
		select {
		case code := <-ended:
			return code
		case <-time.After(8 * time.Second): // less than a running call may take
			t.Fatal("the page does not stop")
			return -1
		}
	}
	testenv.Eventually(t, func() bool { return strings.HasSuffix(stdout.String(), "\n") })
	var out struct{ Link string }
	if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	p.link = out.Link
	p.Base, _, _ = strings.Cut(out.Link, "/page/")
	return p
}

// open opens the link and returns the headers by which the page makes calls.
func (p *paged) open() []string {
	p.T.Helper()
	answer := p.get(p.link)
	cookies := answer.Cookies()
	proof, found := strings.CutPrefix(answer.Header.Get("Location"), "/#proof=")
	if answer.StatusCode != 303 || !found || len(proof) != 26 || len(cookies) != 1 {
		p.T.Fatalf("the link answers %d %v", answer.StatusCode, answer.Header)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.MaxAge != 0 {
		p.T.Errorf("the cookie is %s", c)
	}
	headers := []string{"Cookie: " + c.Name + "=" + c.Value, "Origin: " + p.Base, "Sec-Fetch-Site: same-origin"}
	// A server at another port may see the cookie before the page has made a request.
	p.Want(403, `"unavailable"`, "POST", "/page/session", "{}", headers...)
	headers = append(headers, "Techo-Page: "+proof)
	p.Want(200, `"user":"tanaka"`, "POST", "/page/session", "{}", headers...)
	return headers
}

func (p *paged) get(url string) *http.Response {
	p.T.Helper()
	r, err := http.NewRequestWithContext(p.T.Context(), http.MethodGet, url, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	answer, err := p.HTTP.Do(r)
	if err != nil {
		p.T.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// TestPageSession opens the page and checks everything that a session needs.
func TestPageSession(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "a-token-that-the-page-does-not-accept"
	p := w.page(t)
	p.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "{}")
	p.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "{}", "Authorization: Bearer "+w.env["TECHO_TOKEN"])
	p.Want(403, "", "GET", "/page/open?key=wrong", "")
	p.Want(403, "", "GET", "/page/open", "")
	headers := p.open()
	if again := p.get(p.link); again.StatusCode != 403 || len(again.Cookies()) > 0 {
		t.Errorf("the second use of the link answers %d with %d cookies", again.StatusCode, len(again.Cookies()))
	}
	cookie, origin, site, proof := headers[0], headers[1], headers[2], headers[3]
	p.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", headers...)
	for _, wrong := range [][]string{
		{origin, site, proof},                                 // no cookie
		{cookie, origin, site},                                // no proof: a form of another page of this machine
		{cookie, origin, site, proof + "x"},                   // a guessed proof
		{cookie, site, proof},                                 // no origin
		{cookie, "Origin: http://127.0.0.1:1", site, proof},   // another port
		{cookie, "Origin: null", site, proof},                 // a sandbox or a file
		{cookie, origin, "Sec-Fetch-Site: same-site", proof},  // another port, by the browser
		{cookie, origin, "Sec-Fetch-Site: cross-site", proof}, // another site
		{cookie, origin, site, proof, "Host: evil.example"},   // a rebound name
		{cookie + "x", origin, site, proof},
	} {
		status := 403
		if !strings.Contains(strings.Join(wrong, "\n"), "Techo-Page:") { // a cookie alone is no session
			status = 401
		}
		p.Want(status, `"error"`, "POST", "/tools/list_memo", "{}", wrong...)
	}
	name, value, _ := strings.Cut(strings.TrimPrefix(cookie, "Cookie: "), "=")
	for _, cookies := range []string{name + "=old; " + name + "=" + value, name + "=" + value + "; " + name + "=",
		"other=1; " + name + "=" + value + "x; " + name + "=" + value} {
		p.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", "Cookie: "+cookies, origin, site, proof)
		p.Want(403, `"error"`, "POST", "/tools/list_memo", "{}", "Cookie: "+cookies, origin, site, proof+"x")
	}
	p.Want(404, "", "POST", "/mcp", "{}", headers...)
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestPageHeaders checks the headers of the static files, and that they have no secrets.
func TestPageHeaders(t *testing.T) {
	p := newWorld(t).page(t)
	for _, path := range []string{"/", "/page/static/app/main.js", "/page/static/base.css", "/page/texts?lang=ja"} {
		answer := p.get(p.Base + path)
		policy := answer.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'",
			"require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q lacks %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") || answer.Header.Get("Cache-Control") != "no-store" ||
			answer.Header.Get("Referrer-Policy") != "no-referrer" || answer.StatusCode != 200 {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
	}
	p.Want(200, `"Today":"今日"`, "GET", "/page/texts?lang=ja", "")
	for _, path := range []string{"/page/static/", "/page/static/app/", "/page/static/x.js",
		"/page/static/app/../index.html", "/page/static/%2e%2e/page.go"} {
		if status, answer := p.Ask("GET", path, ""); status == 200 {
			t.Errorf("%s: %s", path, answer)
		}
	}
}

// TestPageTools checks which tools a session can call.
func TestPageTools(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	headers := p.open()
	p.Want(200, `"memos":0`, "POST", "/tools/store_info", "{}", headers...)
	p.Want(200, `"ok":true`, "POST", "/tools/verify_store", "{}", headers...)
	p.Want(200, `"changes":[]`, "POST", "/tools/list_history", "{}", headers...)
	for _, off := range []string{"read_file", "write_file", "grep", "web_fetch", "ask_user"} {
		p.Want(403, `"unavailable"`, "POST", "/tools/"+off, `{}`, headers...)
	}
	memo := `{"name":"a","content":"x","priority":1}`
	p.Want(200, `"message":"メモを追加`, "POST", "/tools/add_memo", memo, append(headers, "Techo-Lang: ja")...)
	if got := w.run("history", "--fields", "changes.client").out; got != `{"changes":[{"client":"page"}]}`+"\n" {
		t.Errorf("the history has %s", got)
	}
	s := newWorld(t).serve(t, "serve")
	s.Want(400, "no tool", "POST", "/tools/store_info", "{}") // for the page only
}

// TestPageAnswers answers a question on the page.
func TestPageAnswers(t *testing.T) {
	w := newWorld(t)
	w.run("ask", "Delete the logs?", "--option", "Yes", "--option", "No", "--via", "queue", "--wait", "0")
	answer := `{"question_id":"q1","answer":"2"}`
	p := w.page(t)
	headers := p.open()
	p.Want(200, `"via":"page","assurance":"none"`, "POST", "/tools/answer_question", answer, headers...)
	p.Want(409, `"conflict"`, "POST", "/tools/answer_question", answer, headers...)
}

// TestPageSecret answers with a secret, which unlocks a session until 15 minutes have passed without
// an answer.
func TestPageSecret(t *testing.T) {
	w := newWorld(t)
	w.run("ask", "Delete?", "--assurance", "secret", "--via", "queue", "--wait", "0")
	w.run("ask", "Really?", "--via", "queue", "--wait", "0")
	w.run("ask", "Now?", "--via", "queue", "--wait", "0")
	answer := func(id string) string { return `{"question_id":"` + id + `","answer":"no"}` }
	const tool = "/tools/answer_question"
	service := w.page(t)
	headers := service.open()
	service.Want(403, "needs an answer with your secret", "POST", tool, answer("q1"), headers...)
	service.Want(404, "No secret is set", "POST", "/page/secret", `{"secret":"x"}`, headers...)

	w.types = []string{"correct horse", "correct horse"}
	w.run("ask", "secret", "set").ok()
	w.types = nil
	service.Want(403, `"path":"/secret"`, "POST", tool, answer("q1"), headers...)
	service.Want(403, "session of this page", "POST", "/page/secret", `{"secret":"correct horse"}`, headers[:3]...)
	service.Want(400, "", "POST", "/page/secret", `"correct horse"`, headers...)
	service.Want(403, "That is not the secret", "POST", "/page/secret", `{"secret":"wrong horse"}`, headers...)
	service.Want(403, `"path":"/secret"`, "POST", tool, answer("q1"), headers...)
	name, _, _ := strings.Cut(headers[0], "=")
	headers[0] = strings.Replace(headers[0], "Cookie: ", name+"=stale; ", 1)
	service.Want(200, "The secret is right", "POST", "/page/secret", `{"secret":"correct horse"}`, headers...)
	service.Want(200, `"assurance":"secret","latency_ms"`, "POST", tool, answer("q1"), headers...)
	own := &paged{Client: service.Client}
	own.link, _ = w.again(t)
	headers = own.open()
	own.Want(403, `"path":"/secret"`, "POST", tool, answer("q2"), headers...) // another session
	for range 3 {
		own.Ask("POST", "/page/secret", `{"secret":"wrong horse"}`, headers...)
	}
	own.Want(429, "no secret counts for a while", "POST", "/page/secret", `{"secret":"correct horse"}`, headers...)
}

// TestPageEvents checks that the page is told of the changes of other processes, and that an
// open stream does not keep the server from stopping.
func TestPageEvents(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	headers := p.open()
	p.Want(403, `"unavailable"`, "GET", "/page/events", "", headers[0])
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Base+"/page/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := p.HTTP.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	events := &testenv.Buffer{}
	go func() {
		piece := make([]byte, 100)
		for {
			n, err := answer.Body.Read(piece)
			_, _ = events.Write(piece[:n]) // a buffer does not fail
			if err != nil {
				return
			}
		}
	}()
	testenv.Eventually(t, func() bool { return strings.Contains(events.String(), "retry:") })
	w.run("memo", "add", "a", "x", "--priority", "1")
	testenv.Eventually(t, func() bool { return strings.Contains(events.String(), "event: change") })
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestPageEdits checks that a text that is opened is whole, and that a change by others
// makes a later one fail, also in the same instant.
func TestPageEdits(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("word ", 40_000)
	w.feed(long, "memory", "add", "-", "--caption", "long")
	p := w.page(t)
	headers := p.open()
	var list struct{ Memories []struct{ ID string } }
	document := p.Want(200, `"total":1`, "POST", "/tools/list_memory", "{}", headers...)
	if err := json.Unmarshal([]byte(document), &list); err != nil {
		t.Fatal(err)
	}
	id := list.Memories[0].ID
	var got struct {
		Memory struct {
			FullText string `json:"full_text"`
			Etag     string
		}
	}
	document = p.Want(200, `"etag":"`, "POST", "/tools/get_memory", `{"id":"`+id+`"}`, headers...)
	if err := json.Unmarshal([]byte(document), &got); err != nil || got.Memory.FullText != long {
		t.Fatalf("%d bytes of %d, %v", len(got.Memory.FullText), len(long), err)
	}
	edit := `{"id":"` + id + `","full_text":"mine","expected_etag":"` + got.Memory.Etag + `"}`
	w.run("memory", "edit", id, "--caption", "theirs")
	p.Want(409, "changed since it was read", "POST", "/tools/edit_memory", edit, headers...)
	p.Want(200, `"caption":"theirs"`, "POST", "/tools/get_memory", `{"id":"`+id+`"}`, headers...)
}

// TestPageOpens checks the file that leads the browser to a link of its own: other users
// see the arguments of processes.
func TestPageOpens(t *testing.T) {
	w := newWorld(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	own := *w
	own.interrupt = ctx
	opened := make(chan string, 1)
	stderr := &testenv.Buffer{}
	system := own.World(unreadable{}, &testenv.Buffer{}, stderr, "page")
	system.Browse = func(file string) error {
		opened <- file
		return nil
	}
	ended := make(chan int, 1)
	go func() { ended <- Main(system) }()
	file := <-opened
	st, err := os.Stat(file)
	if err != nil || st.Mode().Perm() != 0o600 || filepath.Dir(file) != filepath.Join(w.dir, ".local/state/techo") {
		t.Errorf("%s: %v, %v", file, st.Mode(), err)
	}
	content, err := os.ReadFile(file)
	_, link, _ := strings.Cut(strings.TrimSpace(stderr.String()), "http://")
	if err != nil || !strings.Contains(string(content), "/page/open?key=") || strings.Contains(string(content), link) {
		t.Errorf("%v: %s\nbeside %s", err, content, stderr)
	}
	interrupt()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is left")
	}
}

// TestPageUndoesFiles checks that a person undoes the edit of a file, which needs no --root
// here, and that the page does so for others only within --root.
func TestPageUndoesFiles(t *testing.T) {
	w := newWorld(t)
	w.put("a.txt", "one\n")
	w.run("fs", "edit", "a.txt", "one", "two")
	p := w.page(t)
	headers := p.open()
	p.Want(200, `-one`, "POST", "/tools/show_change", `{"id":"h1"}`, headers...)
	p.Want(200, `"undone":{`, "POST", "/tools/undo_change", `{"id":"h1"}`, headers...)
	if got, err := os.ReadFile(filepath.Join(w.dir, "a.txt")); err != nil || string(got) != "one\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestServePage checks that a server offers the page beside its interface, and that each
// keeps its own callers.
func TestServePage(t *testing.T) {
	w := newWorld(t)
	w.env["TECHO_TOKEN"] = "a-long-random-text"
	s := w.serve(t, "serve", "--page", "--listen", "127.0.0.1:0")
	testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), "/page/open?key=") })
	_, rest, _ := strings.Cut(s.log.String(), "Open the page once")
	link := rest[strings.Index(rest, "http://"):]
	link, _, _ = strings.Cut(link, "\n")
	p := &paged{Client: s.Client, link: link}
	p.HTTP = &http.Client{Timeout: 20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	headers := p.open()
	p.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", headers...)
	p.Want(200, `"changes":[]`, "POST", "/tools/list_history", "{}", headers...)
	token := "Authorization: Bearer " + w.env["TECHO_TOKEN"]
	p.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", token)
	p.Want(403, "--audience", "POST", "/tools/list_history", "{}", token)
	p.Want(401, `"unavailable"`, "POST", "/tools/list_memo", "{}", headers[0])
	p.Want(403, `"unavailable"`, "POST", "/page/session", "{}", token, headers[1])
	if log := s.log.String(); strings.Count(log, "key=") != 1 {
		t.Errorf("the access log has the key:\n%s", log)
	}
}
