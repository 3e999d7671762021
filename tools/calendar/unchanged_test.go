package calendar

import (
	"fmt"
	"testing"
)

// TestCalDAVUnchanged: a change that changes nothing is neither sent to a CalDAV server nor in
// the history.
func TestCalDAVUnchanged(t *testing.T) {
	u := newDAVUndoing(t)
	found, e := call(t, u.env, List, `{"calendar":"g","date_from":"2026-01-09","date_to":"2026-01-09"}`)
	if e != nil {
		t.Fatal(e)
	}
	event := found["events"].([]any)[0].(map[string]any)
	update := func(title string) (map[string]any, int) {
		t.Helper()
		input := fmt.Sprintf(`{"event_id":%q,"calendar":"g","title":%q}`, event["event_id"], title)
		out, e := call(t, u.env, Update, input)
		if e != nil {
			t.Fatal(e)
		}
		return out["event"].(map[string]any), u.changes()
	}
	before := u.double.version
	same, changes := update("A")
	if u.double.version != before || same["sequence"] != event["sequence"] || same["etag"] != event["etag"] {
		t.Errorf("version %d became %d; %v, want %v", before, u.double.version, same, event)
	}
	if _, now := update("A2"); u.double.version == before || now != changes+1 {
		t.Errorf("a real change: version %d, %d changes after %d", u.double.version, now, changes)
	}
}

// TestGoogleUnchanged: a change that changes nothing is not in the history.
func TestGoogleUnchanged(t *testing.T) {
	u := newUndoing(t)
	id := u.call(Create, `"title":"A","start":"2026-01-09T10:00"`)
	series := u.call(Create, `"title":"S","start":"2026-01-10T10:00","recurrence":["FREQ=DAILY;COUNT=3"]`)
	before := u.changes()
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"A"`, id))
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"S","scope":"all"`, series))
	if got := u.changes(); got != before {
		t.Errorf("%d changes, want %d", got, before)
	}
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"B"`, id))
	u.call(Update, fmt.Sprintf(`"event_id":%q,"title":"T","scope":"all"`, series))
	if got := u.changes(); got != before+2 {
		t.Errorf("%d changes after two real ones, want %d", got, before+2)
	}
}
