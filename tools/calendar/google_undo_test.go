package calendar

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/store"
	"techo/store/history"
	"techo/tools"
	"techo/tools/calendar/googletest"
)

// undoing is a person who undoes changes at a double of Google.
type undoing struct {
	t      *testing.T
	double *googletest.Server
	env    *tools.Env
	st     *store.Store
}

func newUndoing(t *testing.T) *undoing {
	t.Helper()
	double, env := onDouble(t, "Asia/Tokyo")
	st, err := env.Store(t.Context(), tools.Changes)
	if err != nil {
		t.Fatal(err)
	}
	return &undoing{t, double, env, st}
}

// call calls a tool for the calendar "g", which must succeed, and returns the id of the
// event.
func (u *undoing) call(tool *tools.Tool, input string) string {
	u.t.Helper()
	m := must(u.t, u.env, tool, `{"calendar":"g",`+input+`}`)
	for _, name := range []string{"event", "deleted"} {
		if e, ok := m[name].(map[string]any); ok {
			return e["event_id"].(string)
		}
	}
	u.t.Fatalf("%s: no event in %v", input, m)
	return ""
}

// undo undoes a change.
func (u *undoing) undo(id string) error {
	u.t.Helper()
	c, err := history.Of(u.st.Ledger).FindUndo(u.t.Context(), id, history.Filter{})
	if err != nil {
		u.t.Fatal(err)
	}
	done, err := UndoElsewhere(u.t.Context(), u.env, u.st, c)
	if !done {
		u.t.Fatalf("%s is no change at Google", id)
	}
	return err
}

// mustUndo undoes changes, one after the other.
func (u *undoing) mustUndo(ids ...string) {
	u.t.Helper()
	for _, id := range ids {
		if err := u.undo(id); err != nil {
			u.t.Fatalf("undo %s: %v", id, err)
		}
	}
}

// want checks the starts and titles of the calendar.
func (u *undoing) want(want ...string) {
	u.t.Helper()
	if got := startsAndTitles(u.t, u.env, "g"); !slices.Equal(got, want) {
		u.t.Errorf("%q\nwant %q", got, want)
	}
}

// wantRefused checks that an undo is refused without a write at Google or in the history.
func (u *undoing) wantRefused(id string) (err error) {
	u.t.Helper()
	changes := u.changes()
	u.double.Requests()
	if err = u.undo(id); err == nil {
		u.t.Fatalf("undo %s succeeded", id)
	}
	for _, r := range u.double.Requests() {
		if r.Method != "GET" {
			u.t.Errorf("sent %s %s", r.Method, r.Path)
		}
	}
	if after := u.changes(); after != changes {
		u.t.Errorf("%d changes, then %d", changes, after)
	}
	return err
}

func (u *undoing) changes() int {
	u.t.Helper()
	page, err := history.Of(u.st.Ledger).List(u.t.Context(), history.Filter{Limit: 1})
	if err != nil {
		u.t.Fatal(err)
	}
	return page.Total
}

// patchElsewhere changes an event as another program does.
func (u *undoing) patchElsewhere(id, title string) {
	u.t.Helper()
	e := u.double.Events("a", "primary")[id]
	e["summary"] = title
	u.double.Put("a", "primary", e)
}

// TestGoogleUndo creates, changes and deletes an event, shows the changes, undoes them
// one after the other, and makes one again.
func TestGoogleUndo(t *testing.T) {
	u := newUndoing(t)
	id := u.call(Create, `"title":"a","start":"2026-01-08T10:00","location":"Room","attendees":["b@example.com"]`)
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"b","start":"2026-01-08T15:00","location":""`, id))
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"b"`, id)) // no change
	u.call(Delete, fmt.Sprintf(`"event_id":%q`, id))
	if n := u.changes(); n != 3 {
		t.Errorf("%d changes", n)
	}
	shown, err := history.Of(u.st.Ledger).Show(t.Context(), "h2", history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	r := shown.Records[0]
	if shown.Title != "a" || r.ID != id || r.Unknown || !strings.Contains(r.Before, "location: Room") ||
		!strings.Contains(r.After, "title: b") || strings.Contains(r.After, "location") {
		t.Errorf("%+v", shown)
	}
	u.want()
	u.mustUndo("") // h4 undoes h3
	u.want("2026-01-08T15:00:00+09:00 b")
	u.mustUndo("") // h5 undoes h2
	u.want("2026-01-08T10:00:00+09:00 a")
	e := u.double.Events("a", "primary")[id]
	if e["location"] != "Room" || !strings.Contains(fmt.Sprint(e["attendees"]), "b@example.com") {
		t.Errorf("%v", e)
	}
	u.mustUndo("") // h6 undoes h1
	u.want()
	u.mustUndo("h6", "h5")
	u.want("2026-01-08T15:00:00+09:00 b")
	if _, err := u.st.Verify(t.Context(), store.VerifyOptions{}); err != nil {
		t.Error(err)
	}
}

// TestGoogleUndoSends checks that every write of an undo has the ETag of the event that it
// read, and sends only what differs.
func TestGoogleUndoSends(t *testing.T) {
	u := newUndoing(t)
	id := u.call(Create, `"title":"a","start":"2026-01-08T10:00"`)
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"b"`, id))
	etag := u.double.Events("a", "primary")[id]["etag"]
	u.double.Requests()
	u.mustUndo("h2")
	for _, r := range u.double.Requests() {
		if r.Method != "GET" && (r.Method != "PATCH" || r.Match != etag || len(r.Body) != 1) {
			t.Errorf("%s %v %v", r.Method, r.Match, r.Body)
		}
	}
}

// TestGoogleUndoConflict undoes changes of an event that changed since: at Google, by a
// newer change, between the reading and the writing of the undo, and by its deletion.
func TestGoogleUndoConflict(t *testing.T) {
	u := newUndoing(t)
	id := u.call(Create, `"title":"a","start":"2026-01-08T10:00"`)
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"b"`, id))
	newer := new(history.NewerChangeError)
	if err := u.wantRefused("h1"); !errors.As(err, &newer) || newer.Newer != 2 {
		t.Errorf("%v", err)
	}
	u.double.Fail(googletest.Failure{Method: "PATCH", Status: 412})
	refused := new(tools.Error)
	if err := u.undo("h2"); !errors.As(err, &refused) || refused.Code != tools.Conflict || refused.Hint == "" ||
		u.changes() != 2 {
		t.Errorf("%v", err)
	}
	u.patchElsewhere(id, "elsewhere")
	if err := u.wantRefused("h2"); !errors.As(err, &newer) || newer.Newer != 0 {
		t.Errorf("%v", err)
	}
	u.want("2026-01-08T10:00:00+09:00 elsewhere")
	e := u.double.Events("a", "primary")[id]
	e["status"] = "cancelled"
	u.double.Put("a", "primary", e)
	if err := u.wantRefused("h1"); !errors.As(err, &newer) {
		t.Errorf("%v", err)
	}
}

// TestGoogleUndoUnreachable undoes a change without a network, and one in a calendar whose
// connection to Google was removed.
func TestGoogleUndoUnreachable(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	u.call(Create, `"title":"a","start":"2026-01-08T10:00"`)
	address := u.env.Calendars.Google.Calendar
	u.env.Calendars.Google.Calendar = "http://127.0.0.1:1"
	refused := new(tools.Error)
	if err := u.wantRefused("h1"); !errors.As(err, &refused) || refused.Code != tools.Upstream {
		t.Errorf("%v", err)
	}
	u.env.Calendars.Google.Calendar = address
	if _, err := u.st.RemoveCalendar(t.Context(), "g", true); err != nil {
		t.Fatal(err)
	}
	if err := u.wantRefused("h1"); !errors.As(err, &refused) || refused.Code != tools.NotFound {
		t.Errorf("%v", err)
	}
}

// TestGoogleUndoScopes undoes changes of a series, of one occurrence and of a part, and
// makes them again.
func TestGoogleUndoScopes(t *testing.T) {
	const first, second, third, fourth = "2026-01-05T10:00:00+09:00 daily", "2026-01-06T10:00:00+09:00 daily",
		"2026-01-07T10:00:00+09:00 daily", "2026-01-08T10:00:00+09:00 daily"
	whole := []string{first, second, third, fourth}
	for name, x := range map[string]struct {
		tool  *tools.Tool
		input string // %s is the id of the series
		after []string
	}{
		"edit this": {Update, `"event_id":"%s_20260106T010000Z","title":"once"`,
			[]string{first, "2026-01-06T10:00:00+09:00 once", third, fourth}},
		"edit following": {Update, `"event_id":"%s_20260107T010000Z","start":"2026-01-07T15:00","scope":"following"`,
			[]string{first, second, "2026-01-07T15:00:00+09:00 daily", "2026-01-08T15:00:00+09:00 daily"}},
		"edit all": {Update, `"event_id":"%s","recurrence":["FREQ=DAILY;COUNT=2"],"scope":"all"`,
			[]string{first, second}},
		"delete this":      {Delete, `"event_id":"%s_20260106T010000Z"`, []string{first, third, fourth}},
		"delete following": {Delete, `"event_id":"%s_20260107T010000Z","scope":"following"`, []string{first, second}},
		"delete all":       {Delete, `"event_id":"%s","scope":"all"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUndoing(t)
			id := u.call(Create, `"title":"daily","start":"2026-01-05T10:00","recurrence":"FREQ=DAILY;COUNT=4"`)
			id, _, _ = strings.Cut(id, "_")
			u.call(x.tool, fmt.Sprintf(x.input, id))
			u.want(x.after...)
			if n := u.changes(); n != 2 {
				t.Errorf("%d changes", n)
			}
			u.mustUndo("h2")
			u.want(whole...)
			u.mustUndo("h3")
			u.want(x.after...)
			u.mustUndo("h4")
			u.want(whole...)
		})
	}
}

// TestGoogleUndoExceptions undoes the division of a series with a changed occurrence.
func TestGoogleUndoExceptions(t *testing.T) {
	u := newUndoing(t)
	id := u.call(Create, `"title":"daily","start":"2026-01-05T10:00","recurrence":"FREQ=DAILY;COUNT=3"`)
	id, _, _ = strings.Cut(id, "_")
	u.call(Update, fmt.Sprintf(`"event_id":"%s_20260107T010000Z","title":"once"`, id))
	before := startsAndTitles(t, u.env, "g")
	u.call(Delete, fmt.Sprintf(`"event_id":"%s_20260106T010000Z","scope":"following"`, id))
	u.want("2026-01-05T10:00:00+09:00 daily")
	u.mustUndo("h3")
	u.want(before...)
	u.mustUndo("h2")
	u.want("2026-01-05T10:00:00+09:00 daily", "2026-01-06T10:00:00+09:00 daily", "2026-01-07T10:00:00+09:00 daily")
}

// TestGoogleHistoryOfRefused checks that a write that Google refuses, a preview and a
// write that gives way leave nothing in the history.
func TestGoogleHistoryOfRefused(t *testing.T) {
	t.Parallel()
	u := newUndoing(t)
	id := u.call(Create, `"title":"a","start":"2026-01-08T10:00"`)
	u.double.Fail(googletest.Failure{Method: "PATCH", Status: 412})
	for _, input := range []string{`{"event_id":%q,"title":"b","calendar":"g"}`,
		`{"event_id":%q,"start":"2026-01-09","dry_run":true,"calendar":"g"}`} {
		_, _ = call(t, u.env, Update, fmt.Sprintf(input, id))
	}
	_, _ = call(t, u.env, Create, `{"title":"c","start":"2026-01-08T10:30","if_free":true,"calendar":"g"}`)
	if n := u.changes(); n != 1 {
		t.Errorf("%d changes", n)
	}
	u.env.Calendars.Google.Token = func(context.Context, string, bool) (string, error) { return "", errors.New("none") }
	if _, e := call(t, u.env, Delete, fmt.Sprintf(`{"event_id":%q,"calendar":"g"}`, id)); e == nil || u.changes() != 1 {
		t.Errorf("%v, %d changes", e, u.changes())
	}
}
