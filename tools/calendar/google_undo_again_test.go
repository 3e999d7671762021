package calendar

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"techo/store/history"
	"techo/tools"
	"techo/tools/calendar/googletest"
)

// TestGoogleUndoAgain repeats the undo of a divided series that was cut off: after its
// first part was restored, also when the answer to the second request was lost.
func TestGoogleUndoAgain(t *testing.T) {
	t.Parallel()
	const lost = http.StatusServiceUnavailable
	for name, failures := range map[string][]googletest.Failure{
		"refused": {{Method: http.MethodDelete, Status: http.StatusForbidden}},
		"answer lost": {{Method: http.MethodDelete, Status: lost, Executed: true}, {Method: http.MethodDelete, Status: lost},
			{Method: http.MethodDelete, Status: lost}, {Method: http.MethodDelete, Status: lost}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUndoing(t)
			id := u.call(Create, `"title":"a","start":"2026-01-05T10:00","recurrence":"FREQ=DAILY;COUNT=3"`)
			u.call(Update, fmt.Sprintf(`"event_id":"%s_20260106T010000Z","scope":"following","title":"b"`, id))
			u.double.Fail(failures...)
			if err := u.undo("h2"); !errors.As(err, new(*tools.Error)) {
				t.Fatalf("%v", err)
			}
			c, err := history.Of(u.st.Ledger).FindUndo(t.Context(), "", history.Filter{})
			if err != nil || c.ID != 2 {
				t.Fatalf("the next undo is %d, %v", c.ID, err)
			}
			u.mustUndo("h2")
			u.want("2026-01-05T10:00:00+09:00 a", "2026-01-06T10:00:00+09:00 a", "2026-01-07T10:00:00+09:00 a")
			c, err = history.Of(u.st.Ledger).FindUndo(t.Context(), "", history.Filter{})
			if err != nil || c.ID != 1 {
				t.Fatalf("then it is %d, %v", c.ID, err)
			}
		})
	}
}
