package proof

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
)

// davUser is a user of the program with a calendar on a Radicale server.
type davUser struct {
	t   *testing.T
	dir string
	env []string
	url string // of the calendar
	rad *exec.Cmd

	// between, unless nil, is called once, before a PUT or DELETE of the program reaches the
	// server. true means that it answered itself.
	between func(http.ResponseWriter, *http.Request) bool
}

// proxy stands between the program and the server at an address.
func (u *davUser) proxy(address string) (host string) {
	target, err := url.Parse(address)
	if err != nil {
		u.t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // a test stops the server
	forward := testenv.Forward(proxy)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook := u.between
		if hook != nil && (r.Method == http.MethodPut || r.Method == http.MethodDelete) {
			if u.between = nil; hook(w, r) {
				return
			}
		}
		forward.ServeHTTP(w, r)
	}))
	u.t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// newDAVUser starts a server with a calendar and connects it as "dav".
func newDAVUser(t *testing.T) *davUser {
	t.Helper()
	program := testenv.Tool(t, "radicale")
	u := &davUser{t: t, dir: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	l.Close()
	u.url = "http://" + host + "/alice/work/"
	through := u.proxy("http://" + host)
	u.env = append(environment(), "HOME="+u.dir, "TECHO_WEB_ALLOW="+through)
	config := filepath.Join(u.dir, "radicale.conf")
	// The server closes a connection on which it waits for long, as on a busy machine.
	text := "[server]\nhosts = " + host + "\ntimeout = 600\n[auth]\ntype = htpasswd\nhtpasswd_filename = " + u.dir +
		"/users\nhtpasswd_encryption = plain\ndelay = 0\n[rights]\ntype = owner_only\n[storage]\nfilesystem_folder = " +
		u.dir + "/collections\n"
	for path, content := range map[string]string{config: text, filepath.Join(u.dir, "users"): "alice:secret\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	u.rad = exec.Command(program, "--config", config)
	if err := u.rad.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(u.stop)
	testenv.Eventually(t, func() bool {
		c, err := net.Dial("tcp", host)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	u.ask("MKCALENDAR", "", `<?xml version="1.0"?><C:mkcalendar xmlns:D="DAV:" `+
		`xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:displayname>work</D:displayname></D:prop></D:set>`+
		`</C:mkcalendar>`)
	c := command(t.Context(), filepath.Join(u.dir, "store"), "cal", "auth", "caldav", "http://"+through+"/",
		"--calendar", "dav", "--user", "alice")
	c.Env, c.Stdin = u.env, strings.NewReader("secret\n")
	if a := collect(c); a.Code != 0 || !strings.Contains(string(a.Out), "http://"+through+"/alice/work/") {
		t.Fatalf("exit %d: %s %s", a.Code, a.Out, a.Stderr)
	}
	return u
}

func (u *davUser) stop() {
	_ = u.rad.Process.Kill()
	_ = u.rad.Wait()
}

// send sends a request as another program of the user does.
func (u *davUser) send(method, name, body string) (status int, text string) {
	u.t.Helper()
	r, err := http.NewRequestWithContext(u.t.Context(), method, u.url+name, strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	r.SetBasicAuth("alice", "secret")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		u.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		u.t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// ask sends a request that the server must not refuse.
func (u *davUser) ask(method, name, body string) string {
	u.t.Helper()
	status, text := u.send(method, name, body)
	if status >= 300 {
		u.t.Fatalf("%s %s: %d %s", method, name, status, text)
	}
	return text
}

func (u *davUser) run(args ...string) answer {
	u.t.Helper()
	c := command(u.t.Context(), filepath.Join(u.dir, "store"), args...)
	c.Env = u.env
	a := collect(c)
	a.wantClean(u.t)
	return a
}

// want runs a command and checks the exit code and a part of the answer.
func (u *davUser) want(code int, part string, args ...string) answer {
	u.t.Helper()
	a := u.run(args...)
	if a.Code != code || !strings.Contains(string(a.Out), part) {
		u.t.Fatalf("%q: exit %d: %s\nwant %d with %s", args, a.Code, a.Out, code, part)
	}
	return a
}

// id returns the id of the only event in a result.
func (a answer) id() string {
	_, rest, _ := bytes.Cut(a.Out, []byte(`"event_id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}

func event(uid, summary, start string, more ...string) string {
	return strings.Join(append(append([]string{"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:other", "BEGIN:VEVENT",
		"UID:" + uid, "DTSTAMP:20260101T000000Z", "SUMMARY:" + summary, "DTSTART:" + start}, more...), "END:VEVENT",
		"END:VCALENDAR", ""), "\r\n")
}

// TestCalDAV creates, changes and deletes events at a Radicale server, next to
// another program.
func TestCalDAV(t *testing.T) {
	u := newDAVUser(t)
	made := u.want(0, `"title":"a"`, "cal", "create", "a", "2026-01-08 10:00", "--calendar", "dav", "--location",
		"Room")
	if text := u.ask("GET", "", ""); !strings.Contains(text, "SUMMARY:a") || !strings.Contains(text, "LOCATION:Room") {
		t.Errorf("at the server: %s", text)
	}
	u.want(0, `"start":"2026-01-08T11:00:00+09:00"`, "cal", "update", made.id(), "--start", "2026-01-08 11:00")
	u.want(5, `"code":"conflict"`, "cal", "create", "b", "2026-01-08 11:30", "--calendar", "dav", "--if-free")
	// A change elsewhere is seen by the next call.
	u.ask("PUT", "other.ics", event("other", "elsewhere", "20260109T010000Z", "DURATION:PT1H"))
	u.want(0, `[{"title":"elsewhere"}]`, "cal", "list", "2026-01-09", "--calendar", "dav", "--fields", "events.title")
	u.ask("PUT", "other.ics", event("other", "changed", "20260109T010000Z", "DURATION:PT1H"))
	u.want(0, `[{"title":"changed"}]`, "cal", "list", "2026-01-09", "--calendar", "dav", "--fields", "events.title")
	u.want(0, `"available":false`, "cal", "check", "time_slot", "2026-01-09", "--time-from", "10:30",
		"--time-to", "11:00",
		"--calendar", "dav")
	u.ask("DELETE", "other.ics", "")
	u.want(0, `"count":0`, "cal", "list", "2026-01-09", "--calendar", "dav")
	u.want(0, `"title":"a"`, "cal", "delete", made.id())
	if text := u.ask("GET", "", ""); strings.Contains(text, "SUMMARY:a") {
		t.Errorf("at the server: %s", text)
	}
	u.want(0, "", "store", "verify", "--deep")
}

// TestCalDAVSeries divides a series and changes one occurrence at the server.
func TestCalDAVSeries(t *testing.T) {
	u := newDAVUser(t)
	id := u.want(0, "", "cal", "create", "daily", "2026-01-05 10:00", "--recurrence", "FREQ=DAILY;COUNT=6",
		"--calendar",
		"dav").id()
	u.want(0, "", "cal", "update", id+"_20260106T010000Z", "--title", "once")
	u.want(0, "", "cal", "delete", id+"_20260107T010000Z")
	u.want(0, "", "cal", "update", id+"_20260108T010000Z", "--scope", "following", "--start", "2026-01-08 15:00")
	list := func() answer {
		return u.want(0, `[{"title":"daily","start":"2026-01-05T10:00:00+09:00"},`+
			`{"title":"once","start":"2026-01-06T10:00:00+09:00"},`+
			`{"title":"daily","start":"2026-01-08T15:00:00+09:00"},`+
			`{"title":"daily","start":"2026-01-09T15:00:00+09:00"},`+
			`{"title":"daily","start":"2026-01-10T15:00:00+09:00"}]`,
			"cal", "list", "--date-from", "2026-01-01", "--date-to", "2026-01-31", "--calendar", "dav", "--fields",
			"events.title,events.start")
	}
	list()
	// A new copy of the calendar is the same.
	u.want(0, "", "cal", "rename", "dav", "again")
	u.want(0, "", "cal", "rename", "again", "dav")
	list()
}

// TestCalDAVConflict changes an event between the reading and the writing of a call:
// here, because the copy of another program is older.
func TestCalDAVConflict(t *testing.T) {
	u := newDAVUser(t)
	u.ask("PUT", "x.ics", event("x", "first", "20260109T010000Z", "DURATION:PT1H"))
	a := u.want(0, "", "cal", "list", "2026-01-09", "--calendar", "dav")
	etag := strings.Split(strings.SplitAfter(string(a.Out), `"etag":"`)[1], `"`)[0]
	u.ask("PUT", "x.ics", event("x", "second", "20260109T010000Z", "DURATION:PT1H"))
	u.want(5, `"code":"conflict"`, "cal", "update", a.id(), "--title", "mine", "--expected-etag", etag)
	u.want(0, `"title":"second"`, "cal", "get", a.id())
}

// TestCalDAVRefused changes or deletes an event that another program changes after
// techo has read it and before techo writes it: the server answers with 412, and the
// other change stays.
func TestCalDAVRefused(t *testing.T) {
	u := newDAVUser(t)
	for name, call := range map[string][]string{
		"change": {"cal", "update", "", "--title", "mine"}, "delete": {"cal", "delete", ""},
	} {
		u.ask("PUT", name+".ics", event(name, "first", "20260109T010000Z", "DURATION:PT1H"))
		a := u.want(0, `"count":1`, "cal", "list", "2026-01-09", "--calendar", "dav")
		call[2] = a.id()
		u.between = func(http.ResponseWriter, *http.Request) bool {
			u.ask("PUT", name+".ics", event(name, "other", "20260109T010000Z", "DURATION:PT1H"))
			return false
		}
		u.want(5, `"code":"conflict","message":"The event changed since it was read","hint":"Read it again`, call...)
		u.want(0, `"title":"other"`, "cal", "get", a.id())
		// A server that answers so by itself, without a change.
		u.between = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get("If-Match") == "" {
				t.Errorf("%s without If-Match", r.Method)
			}
			w.WriteHeader(http.StatusPreconditionFailed)
			return true
		}
		u.want(5, `"code":"conflict"`, call...)
		u.want(0, ``, call...)
		u.ask("GET", "", "")
		if name == "change" {
			u.ask("DELETE", name+".ics", "")
		}
	}
	u.between = func(_ http.ResponseWriter, r *http.Request) bool { // another program takes the address of a new event
		u.ask("PUT", filepath.Base(r.URL.Path), event(strings.TrimSuffix(filepath.Base(r.URL.Path), ".ics"), "other",
			"20260109T010000Z", "DURATION:PT1H"))
		return false
	}
	u.want(5, `"code":"conflict"`, "cal", "create", "new", "2026-01-09 12:00", "--calendar", "dav")
}

// TestCalDAVUndo lists the changes that techo made at a Radicale server, and undoes
// them. A change of another program is not one of them, and keeps an older one from
// being undone.
func TestCalDAVUndo(t *testing.T) {
	u := newDAVUser(t)
	id := u.want(0, "", "cal", "create", "a", "2026-01-09 10:00", "--calendar", "dav", "--location", "Room").id()
	u.want(0, "", "cal", "update", id, "--title", "b", "--start", "2026-01-09 15:00")
	u.ask("PUT", "x.ics", event("x", "elsewhere", "20260109T010000Z", "DURATION:PT1H"))
	u.want(0, "", "cal", "delete", id)
	u.want(0, `"total":3`, "history", "--fields", "total")
	list := func(titles string) {
		t.Helper()
		u.want(0, titles, "cal", "list", "2026-01-09", "--calendar", "dav", "--fields", "events.title")
	}
	list(`[{"title":"elsewhere"}]`)
	u.want(0, `"message":"Undid h3`, "undo")
	list(`[{"title":"elsewhere"},{"title":"b"}]`)
	if text := u.ask("GET", "", ""); !strings.Contains(text, "SUMMARY:b") || !strings.Contains(text, "LOCATION:Room") {
		t.Errorf("at the server: %s", text)
	}
	u.want(0, `"message":"Undid h2`, "undo")
	list(`[{"title":"a"},{"title":"elsewhere"}]`)
	u.want(0, `"message":"Undid h5`, "undo", "h5") // makes the change again
	list(`[{"title":"elsewhere"},{"title":"b"}]`)
	u.want(0, `"undone":true`, "history", "--fields", "changes.id,changes.undone", "--about", id)

	uid := strings.Split(strings.SplitAfter(string(u.want(0, "", "cal", "get", id).Out), `"uid":"`)[1], `"`)[0]
	u.ask("PUT", uid+".ics", event(uid, "changed elsewhere", "20260109T010000Z", "DURATION:PT1H"))
	u.want(5, `"code":"conflict"`, "undo", "h6")
	u.want(5, `"code":"conflict"`, "undo", "h1")
	u.stop()
	u.want(6, `"code":"upstream"`, "undo", "h6")
	u.want(0, "", "store", "verify", "--deep")
}

// todoID returns the id of the first to-do in a result.
func (a answer) todoID() string {
	_, rest, _ := bytes.Cut(a.Out, []byte(`"todo_id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id)
}

// TestCalDAVTodos adds, completes and removes to-dos at a Radicale server, next to
// another program.
func TestCalDAVTodos(t *testing.T) {
	u := newDAVUser(t)
	u.ask("PUT", "other.ics", strings.NewReplacer("VEVENT", "VTODO", "DTSTART", "DUE").Replace(
		event("other", "elsewhere", "20260109T010000Z", "PRIORITY:2")))
	id := u.want(0, `"priority":2`, "todo", "list", "--calendar", "dav").todoID()
	u.want(0, `"status":"completed"`, "todo", "done", id)
	if text := u.ask("GET", "other.ics", ""); !strings.Contains(text, "STATUS:COMPLETED") ||
		!strings.Contains(text, "COMPLETED:2026") {
		t.Errorf("at the server: %s", text)
	}
	weekly := u.want(0, "", "todo", "add", "Plants", "--due", "2026-01-12 09:00", "--recurrence", "FREQ=WEEKLY",
		"--calendar", "dav", "--idempotency-key", "k").todoID()
	again := u.want(0, "", "todo", "add", "Plants", "--due", "2026-01-12 09:00", "--recurrence", "FREQ=WEEKLY",
		"--calendar", "dav", "--idempotency-key", "k").todoID()
	if weekly != again {
		t.Errorf("the key made %s, then %s", weekly, again)
	}
	u.want(0, `"next":{"todo_id":"`+weekly+`"`, "todo", "done", weekly)
	u.want(0, `"due":"2026-01-20T10:00:00+09:00"`, "todo", "edit", weekly, "--due", "2026-01-20 10:00")
	u.between = func(http.ResponseWriter, *http.Request) bool {
		text := u.ask("GET", "other.ics", "")
		u.ask("PUT", "other.ics", strings.Replace(text, "SUMMARY:elsewhere", "SUMMARY:changed", 1))
		return false
	}
	u.want(5, `"code":"conflict"`, "todo", "remove", id)
	u.want(0, `"removed"`, "todo", "remove", id)
	u.want(0, `"total":2`, "todo", "list", "--calendar", "dav", "--status", "all", "--fields", "total")
	u.want(0, "", "store", "verify", "--deep")
}

// TestCalDAVOffline stops the server: the copy is still listed, availability is
// unknown, and a change fails without an effect.
func TestCalDAVOffline(t *testing.T) {
	u := newDAVUser(t)
	id := u.want(0, "", "cal", "create", "a", "2026-01-08 10:00", "--calendar", "dav").id()
	u.stop()
	u.want(0, `"title":"a"`, "cal", "list", "2026-01-08", "--calendar", "dav", "--fields", "events.title")
	u.want(0, `"unchecked":[{"calendar":"dav"`, "cal", "list", "2026-01-08", "--calendar", "dav")
	u.want(0, `"title":"a"`, "cal", "get", id)
	u.want(0, `"available":null`, "cal", "check", "day", "2026-01-08", "--calendar", "dav")
	u.want(6, `"code":"upstream","message":"The calendar service cannot be reached."`, "cal", "create", "b",
		"2026-01-08 12:00", "--calendar", "dav")
	u.want(6, `"retryable":true`, "cal", "update", id, "--title", "b")
	u.want(0, `"title":"a"`, "cal", "get", id)
}

// TestCalDAVMany reads a calendar of many events, and one change in it.
func TestCalDAVMany(t *testing.T) {
	u := newDAVUser(t)
	n := testenv.Pick(220, 600)
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:other\r\n")
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:e%d\r\nDTSTAMP:20260101T000000Z\r\nSUMMARY:e%d\r\nDTSTART:%s\r\n"+
			"DURATION:PT30M\r\nEND:VEVENT\r\n", i, i, day.Add(time.Duration(i)*time.Hour).Format("20060102T150405Z"))
	}
	b.WriteString("END:VCALENDAR\r\n")
	u.ask("PUT", "", b.String())
	// A slow machine needs more than a minute for the first answer.
	u.want(0, `"count":24`, "cal", "list", "2026-01-02", "--calendar", "dav", "--fields", "count", "--timeout", "1h")
	u.want(0, fmt.Sprintf(`"events":%d`, n), "cal", "calendars")
	u.ask("PUT", "new.ics", event("new", "new", "20260109T010000Z", "DURATION:PT1H"))
	u.want(0, `"count":25`, "cal", "list", "2026-01-09", "--calendar", "dav", "--fields", "count", "--timeout", "1h")
}
