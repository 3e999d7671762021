package commands

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// again runs techo page beside one that runs.
func (w *world) again(t *testing.T, args ...string) (link string, document string) {
	t.Helper()
	stdout, stderr := &testenv.Buffer{}, &testenv.Buffer{}
	system := w.World(unreadable{}, stdout, stderr, append([]string{"page", "--no-open"}, args...)...)
	if code := Main(system); code != 0 || stderr.String() != "" {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	var out struct{ Link string }
	if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
		t.Fatal(err)
	}
	return out.Link, stdout.String()
}

// socketOfPage returns the path of the socket of a page that runs.
func (w *world) socketOfPage(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(w.dir, ".local/state/techo/page-*.sock"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the sockets are %v, %v", found, err)
	}
	return found[0]
}

// TestPageRunning opens a page that runs already: the second command gets a link from it and
// ends. Other settings get a page of their own.
func TestPageRunning(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	st, err := os.Stat(w.socketOfPage(t))
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", st.Mode(), err)
	}
	link, document := w.again(t)
	if base, _, _ := strings.Cut(link, "/page/"); base != p.Base || link == p.link ||
		!strings.Contains(document, "served already, by process ") {
		t.Errorf("the page at %s gave %s", p.Base, document)
	}
	second := &paged{Client: p.Client, link: link}
	for _, page := range []*paged{second, p} { // both links open it, once
		page.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", page.open()...)
		if again := page.get(page.link); again.StatusCode != 403 {
			t.Errorf("a used link answers %d", again.StatusCode)
		}
	}
	for _, args := range [][]string{{"--tz", "Asia/Tokyo"}, {"--lang", "ja"}, {"--user", "aiko"},
		{"--store", filepath.Join(w.dir, "other")}, {"--listen", "127.0.0.1:0"}} {
		other := w.page(t, args...)
		if other.Base == p.Base {
			t.Errorf("%q opens the page with other settings", args)
		}
		other.stop()
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".local/state/techo")); err != nil {
		t.Error(err)
	}
	if next := w.page(t); next.Base == p.Base {
		t.Error("a page that was stopped is opened")
	}
}

// TestPageRunningServe opens the page of techo serve --page.
func TestPageRunningServe(t *testing.T) {
	w := newWorld(t)
	s := w.serve(t, "serve", "--page", "--listen", "127.0.0.1:0")
	testenv.Eventually(t, func() bool { return strings.Contains(s.log.String(), "/page/open?key=") })
	link, _ := w.again(t)
	if !strings.HasPrefix(link, s.Base+"/page/open?key=") {
		t.Errorf("the server at %s gave %s", s.Base, link)
	}
}

// TestPageRunningFalse has something else at the place of the socket: nothing is sent to what is
// not a socket of this user, a link that leads elsewhere is not opened, and the page is served.
func TestPageRunningFalse(t *testing.T) {
	w := newWorld(t)
	p := w.page(t)
	path := w.socketOfPage(t)
	p.stop()
	served := func(name string) {
		t.Helper()
		next := w.page(t)
		if !strings.HasPrefix(next.link, "http://127.0.0.1:") {
			t.Errorf("%s: %s", name, next.link)
		}
		next.Want(200, `"total":0`, "POST", "/tools/list_memo", "{}", next.open()...)
		next.stop()
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	served("a file")
	if os.Geteuid() == 0 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(path, 12345, -1); err != nil {
			t.Fatal(err)
		}
		served("the socket of another user")
		if err := l.(*net.UnixListener).SetDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if c, err := l.Accept(); err == nil {
			t.Errorf("connected to the socket of another user: %v", c.RemoteAddr())
		}
		_ = l.Close()
	}
	for name, answer := range map[string]string{
		"elsewhere":    `{"link":"http://192.0.2.1:1/page/open?key=x"}`,
		"a name":       `{"link":"http://evil.example/page/open?key=x"}`,
		"another path": `{"link":"http://127.0.0.1:1/?key=x"}`, "a script": `{"link":"javascript:alert(1)"}`,
		"with a user": `{"link":"http://127.0.0.1:1@evil.example/page/open?key=x"}`, "nothing": ``,
	} {
		_ = os.Remove(path) // the server before has removed it
		stop := serveFalse(t, path, answer)
		served(name)
		stop()
	}
}

// serveFalse gives an answer at a socket, and reports a secret that is sent there.
func serveFalse(t *testing.T, path, answer string) (stop func()) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, secret := range []string{"Cookie", "Authorization", "Techo-Page"} {
			if r.Header.Get(secret) != "" || len(body) > 0 {
				t.Errorf("a secret was sent: %v %s", r.Header, body)
			}
		}
		_, _ = io.WriteString(w, answer)
	})}
	go func() { _ = server.Serve(l) }()
	return func() { _ = server.Shutdown(context.Background()) }
}

// TestPageBackups makes backups and lists them with their sizes.
func TestPageBackups(t *testing.T) {
	w := newWorld(t)
	w.run("memo", "add", "a", "x", "--priority", "1")
	p := w.page(t)
	headers := p.open()
	p.Want(200, `"backups":[],"bytes":0,"message":"0 backups, 0 B"`, "POST", "/tools/list_backups", "{}", headers...)
	var made struct{ File string }
	for range 2 { // at one time of the clock
		document := p.Want(200, `"message":"Backed up `, "POST", "/tools/make_backup", "{}", headers...)
		if err := json.Unmarshal([]byte(document), &made); err != nil {
			t.Fatal(err)
		}
	}
	st, err := os.Stat(made.File)
	if err != nil || st.Mode().Perm() != 0o600 ||
		!strings.HasPrefix(made.File, filepath.Join(w.dir, ".local/share/techo-backups")+"/") {
		t.Errorf("%s: %v, %v", made.File, st.Mode(), err)
	}
	p.Want(200, `"file":"`+made.File+`"`, "POST", "/tools/list_backups", "{}", headers...)
	p.Want(200, `"message":"2 backups, `, "POST", "/tools/list_backups", "{}", headers...)
	p.Want(400, "file is not a field", "POST", "/tools/make_backup", `{"file":"/tmp/chosen"}`, headers...)
	if out := w.run("store", "restore", made.File, "--store", filepath.Join(w.dir, "again")).out; !strings.Contains(out,
		`"message":"Restored `) {
		t.Errorf("the backup is not whole: %s", out)
	}
}
