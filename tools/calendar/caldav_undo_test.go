package calendar

import (
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store"
	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/agenda"
)

// davDouble is a CalDAV server with one calendar. It answers each sync-collection with
// all resources, as one that forgot its tokens.
type davDouble struct {
	resources map[string]string // content by path
	version   int               // of the last change
	etags     map[string]string

	// refuse returns the status of a PUT or DELETE, 0 to accept it. A negative status is
	// the answer to a change that is made.
	refuse func(path string) int
}

func (s *davDouble) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == "REPORT" {
		if strings.Contains(string(body), "<d:sync-token>urn:") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprintf(w, `<multistatus xmlns="DAV:"><sync-token>urn:x:%d</sync-token>`, s.version)
		for path, content := range s.resources {
			fmt.Fprintf(w, `<response><href>%s</href><propstat><prop><getetag>%s</getetag><C:calendar-data `+
				`xmlns:C="urn:ietf:params:xml:ns:caldav">%s</C:calendar-data></prop><status>HTTP/1.1 200 OK</status>`+
				`</propstat></response>`, path, s.etags[path], html.EscapeString(content))
		}
		fmt.Fprint(w, `</multistatus>`)
		return
	}
	_, exists := s.resources[r.URL.Path]
	if r.Method == http.MethodGet {
		if !exists {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, s.resources[r.URL.Path])
		return
	}
	if match := r.Header.Get("If-Match"); exists && match != s.etags[r.URL.Path] || !exists && match != "" {
		w.WriteHeader(http.StatusPreconditionFailed)
		return
	}
	status := 0
	if s.refuse != nil {
		status = s.refuse(r.URL.Path)
	}
	if status > 0 {
		w.WriteHeader(status)
		return
	}
	s.change(r.URL.Path, string(body))
	w.WriteHeader(max(-status, http.StatusCreated))
}

// change gives a resource another content; "" deletes it.
func (s *davDouble) change(path, content string) {
	s.version++
	s.resources[path], s.etags[path] = content, fmt.Sprintf(`"%d"`, s.version)
	if content == "" {
		delete(s.resources, path)
	}
}

// davUndoing is a person who undoes changes at a double of a CalDAV server.
type davUndoing struct {
	undoing
	double *davDouble
}

// newDAVUndoing imports three events, the change h1, and changes them, h2.
func newDAVUndoing(t *testing.T) *davUndoing {
	t.Helper()
	s := &davDouble{resources: map[string]string{}, etags: map[string]string{}}
	st, env := boundTo(t, s, "g", "/team/")
	u := &davUndoing{undoing{t, nil, env, st}, s}
	u.importAll("a", "b", "c")
	u.importAll("A", "B", "C")
	u.want("A", "B", "C")
	return u
}

// importAll imports events with the UIDs a, b and c.
func (u *davUndoing) importAll(titles ...string) {
	u.t.Helper()
	b, _, err := agenda.Open(u.t.Context(), u.env, "g", tools.Adds)
	if err != nil {
		u.t.Fatal(err)
	}
	var all []event.Event
	for i, title := range titles {
		all = append(all, event.Event{UID: strings.ToLower(title), Title: title, Zone: "Asia/Tokyo",
			Status: event.Confirmed, Length: time.Hour, Start: time.Date(2026, 1, 9+i, 10, 0, 0, 0, time.UTC)})
	}
	if _, problems, err := b.ImportEvents(u.t.Context(), all); err != nil || problems != nil {
		u.t.Fatal(problems, err)
	}
}

func (u *davUndoing) want(want ...string) {
	u.t.Helper()
	all := startsAndTitles(u.t, u.env, "g")
	for i := range all {
		_, all[i], _ = strings.Cut(all[i], " ")
	}
	if !slices.Equal(all, want) {
		u.t.Errorf("%q, want %q", all, want)
	}
}

// wantNext checks which change an undo without an id undoes, "" for none.
func (u *davUndoing) wantNext(id string) {
	u.t.Helper()
	c, err := history.Of(u.st.Ledger).FindUndo(u.t.Context(), "", history.Filter{})
	if got := ledger.ChangeID(c.ID); err == nil && got != id || err != nil && id != "" {
		u.t.Errorf("the next undo is %s, %v; want %s", got, err, id)
	}
}

// wantFailed checks that an undo fails with an error that has a text, and counts its
// details.
func (u *davUndoing) wantFailed(id string, code tools.Code, text string, details int) {
	u.t.Helper()
	e := new(tools.Error)
	if err := u.undo(id); !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Message, text) ||
		len(e.Details) != details || e.Hint != "To restore the rest: techo undo "+id {
		u.t.Errorf("%v %+v", err, e)
	}
}

// TestUndoCalDAVAgain repeats an undo that was cut off after one of three resources.
func TestUndoCalDAVAgain(t *testing.T) {
	for name, status := range map[string]int{"refused": http.StatusServiceUnavailable,
		"answer lost": -http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			u := newDAVUndoing(t)
			writes := 0
			u.double.refuse = func(string) int {
				if writes++; writes == 2 {
					return status
				}
				return 0
			}
			u.wantFailed("h2", tools.Upstream, "Restored 1 of 3", 2)
			u.wantNext("h2")
			u.double.refuse = nil
			u.mustUndo("h2")
			u.want("a", "b", "c")
			u.wantNext("h1")
			u.mustUndo("h1")
			u.want()
			u.wantNext("")
			if _, err := u.st.Verify(t.Context(), store.VerifyOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUndoCalDAVRefused restores the resources that the server does not refuse, and
// names the others.
func TestUndoCalDAVRefused(t *testing.T) {
	u := newDAVUndoing(t)
	u.double.refuse = func(path string) int {
		if path == "/team/b.ics" {
			return http.StatusForbidden
		}
		return 0
	}
	u.wantFailed("h2", tools.Forbidden, "Restored 2 of 3", 1)
	u.want("a", "B", "c")
	if err := u.undo("h1"); !errors.As(err, new(*history.NewerChangeError)) {
		t.Errorf("%v", err)
	}
	u.double.refuse = nil
	u.mustUndo("h2", "h1")
	u.want()
}

// TestUndoCalDAVChangedMeanwhile repeats an undo after another program changed a
// resource that it has not restored yet, or has.
func TestUndoCalDAVChangedMeanwhile(t *testing.T) {
	for _, uid := range []string{"a", "b"} {
		t.Run(uid, func(t *testing.T) {
			u := newDAVUndoing(t)
			u.double.refuse = func(path string) int {
				if path != "/team/a.ics" {
					return http.StatusServiceUnavailable
				}
				return 0
			}
			u.wantFailed("h2", tools.Upstream, "Restored 1 of 3", 2)
			u.double.refuse = nil
			path := "/team/" + uid + ".ics"
			u.double.change(path, strings.Replace(u.double.resources[path], "SUMMARY:", "SUMMARY:other ", 1))
			if err := u.undo("h2"); !errors.As(err, new(*history.NewerChangeError)) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestUndoCalDAVElsewhere refuses to undo the addition of events that another program
// removed.
func TestUndoCalDAVElsewhere(t *testing.T) {
	u := newDAVUndoing(t)
	u.mustUndo("h2")
	for _, uid := range []string{"a", "b", "c"} {
		u.double.change("/team/"+uid+".ics", "")
	}
	if err := u.undo("h1"); !errors.As(err, new(*history.NewerChangeError)) {
		t.Errorf("%v", err)
	}
}

// TestUndoCalDAVAllWritten repeats an undo that restored everything, but whose last
// answers were lost.
func TestUndoCalDAVAllWritten(t *testing.T) {
	u := newDAVUndoing(t)
	u.double.refuse = func(path string) int {
		if path == "/team/c.ics" {
			return -http.StatusServiceUnavailable
		}
		return 0
	}
	u.wantFailed("h2", tools.Upstream, "Restored 2 of 3", 1)
	u.want("a", "b", "c")
	u.double.refuse = func(string) int { t.Error("a write"); return 0 }
	u.mustUndo("h2")
	u.double.refuse = nil
	u.wantNext("h1")
}
