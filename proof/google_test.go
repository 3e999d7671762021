package proof

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"techo/tools/calendar/googletest"
)

// googleUser is a user of the program whose calendar is at a double of Google.
type googleUser struct {
	t    *testing.T
	env  []string
	dir  string
	home *googletest.Server
}

func newGoogleUser(t *testing.T) *googleUser {
	t.Helper()
	u := &googleUser{t: t, dir: t.TempDir(), home: googletest.New("home")}
	server := httptest.NewServer(u.home)
	t.Cleanup(server.Close)
	u.env = append(environment(), "HOME="+u.dir, "TECHO_GOOGLE_TOKEN_URL="+server.URL+"/token",
		"TECHO_GOOGLE_CALENDAR_URL="+server.URL+"/calendar/v3")
	return u
}

func (u *googleUser) run(args ...string) answer {
	u.t.Helper()
	c := command(u.t.Context(), filepath.Join(u.dir, "store"), args...)
	c.Env = u.env
	a := collect(c)
	a.wantClean(u.t)
	return a
}

func (u *googleUser) must(args ...string) answer {
	u.t.Helper()
	a := u.run(args...)
	if a.Code != 0 {
		u.t.Fatalf("%q: exit %d: %s", args, a.Code, a.Out)
	}
	return a
}

// TestGoogleProgram drives the program through a life at Google: a file comes in,
// a series is divided, a default is chosen, and the file goes out.
func TestGoogleProgram(t *testing.T) {
	u := newGoogleUser(t)
	u.must("cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	file := filepath.Join(u.dir, "in.ics")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(`BEGIN:VCALENDAR
BEGIN:VEVENT
UID:weekly@example.com
SUMMARY:weekly
DTSTART;TZID=Asia/Tokyo:20260105T100000
DTEND;TZID=Asia/Tokyo:20260105T110000
RRULE:FREQ=WEEKLY;COUNT=8
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	u.must("cal", "import", file, "--calendar", "google")
	if n := len(u.home.Events("home", "primary")); n != 1 {
		t.Fatalf("%d events at Google", n)
	}
	list := u.must("cal", "list", "2026-01-19", "--calendar", "google", "--fields", "events.event_id")
	id := strings.Split(string(list.Out), `"`)[5]
	u.must("cal", "update", id, "--calendar", "google", "--scope", "following", "--start", "2026-01-19 15:00")
	u.must("cal", "export", "--calendar", "google", "--to", file)
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "BEGIN:VEVENT") != 2 ||
		!strings.Contains(string(text), "DTSTART;TZID=Asia/Tokyo:20260119T150000") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestGoogleProgramDetails sets and removes the details of an event at Google.
func TestGoogleProgramDetails(t *testing.T) {
	u := newGoogleUser(t)
	u.must("cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	id := u.must("cal", "create", "x", "2026-02-02 10:00", "--calendar", "google", "--attendee", "ann@example.com",
		"--alarm", "10m", "--color", "tomato", "--category", "Work", "--url", "https://example.com/").id()
	at := func() string { return fmt.Sprint(u.home.Events("home", "primary")[id]) }
	for _, part := range []string{"email:ann@example.com", "minutes:10", "colorId:11", "techo-categories:Work",
		"url:https://example.com/"} {
		if !strings.Contains(at(), part) {
			t.Errorf("no %s in %s", part, at())
		}
	}
	u.must("cal", "update", id, "--calendar", "google", "--title", "y")
	if text := at(); !strings.Contains(text, "email:ann@example.com") || !strings.Contains(text, "summary:y") {
		t.Errorf("after a change of the title: %s", text)
	}
	u.must("cal", "update", id, "--calendar", "google", "--attendee", "", "--alarm", "", "--color", "",
		"--category", "", "--url", "")
	for _, part := range []string{"ann@example.com", "minutes", "colorId", "techo-categories", "example.com/"} {
		if strings.Contains(at(), part) {
			t.Errorf("still %s in %s", part, at())
		}
	}
}

// TestGoogleSlot books the same time at Google with --if-free from twenty
// processes. One succeeds; the others answer with a conflict.
func TestGoogleSlot(t *testing.T) {
	u := newGoogleUser(t)
	u.must("cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	answers := make([]answer, 20)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			answers[i] = u.run("cal", "create", fmt.Sprint("e", i), fmt.Sprintf("2026-03-02 10:%02d", i), "--if-free",
				"--calendar", "google")
		})
	}
	group.Wait()
	won := 0
	for _, a := range answers {
		switch {
		case a.Code == 0:
			won++
		case a.Code != 5 || a.errorCode() != "conflict":
			t.Errorf("exit %d: %s", a.Code, a.Out)
		}
	}
	left := 0
	for _, e := range u.home.Events("home", "primary") {
		if e["status"] == "confirmed" {
			left++
		}
	}
	if won != 1 || left != 1 {
		t.Errorf("%d won, %d events are left", won, left)
	}
}

// TestGoogleProgramUndo lists the changes that the program made at Google and undoes them.
// A change of another program keeps an older one from being undone.
func TestGoogleProgramUndo(t *testing.T) {
	u := newGoogleUser(t)
	u.must("cal", "auth", "google", "--client-id", "c", "--refresh-token", "refresh-home")
	id := u.must("cal", "create", "a", "2026-02-02 10:00", "--calendar", "google", "--location", "Room").id()
	u.must("cal", "update", id, "--calendar", "google", "--title", "b")
	u.must("cal", "delete", id, "--calendar", "google")
	want := func(code int, part string, args ...string) {
		t.Helper()
		if a := u.run(args...); a.Code != code || !strings.Contains(string(a.Out), part) {
			t.Errorf("%q: exit %d: %s\nwant %d with %s", args, a.Code, a.Out, code, part)
		}
	}
	want(0, `{"changes":[{"id":"h3","tool":"delete_event","title":"b"},{"id":"h2","tool":"update_event","title":"a"},`+
		`{"id":"h1","tool":"create_event","title":"a"}]}`, "history", "--fields",
		"changes.id,changes.tool,changes.title")
	want(0, `-title: a\n+title: b\n`, "history", "show", "h2")
	want(0, `"message":"Undid h3; to make it again: techo undo h4"`, "undo")
	want(0, `"message":"Undid h2`, "undo")
	want(0, `[{"title":"a","location":"Room"}]`, "cal", "list", "2026-02-02", "--calendar", "google", "--fields",
		"events.title,events.location")
	want(0, `"message":"Undid h5`, "undo", "h5") // makes the change again
	want(5, `"hint":"The newer change is`, "undo", "h1")
	e := u.home.Events("home", "primary")[id]
	e["summary"] = "elsewhere"
	u.home.Put("home", "primary", e)
	want(5, `"code":"conflict"`, "undo", "h6")
	want(0, `[{"title":"elsewhere"}]`, "cal", "list", "2026-02-02", "--calendar", "google", "--fields",
		"events.title")
	for range 4 {
		u.home.Fail(googletest.Failure{Method: "GET", Status: 503})
	}
	want(6, `"code":"upstream"`, "undo", "h6")
	want(0, "", "store", "verify", "--deep")
}
