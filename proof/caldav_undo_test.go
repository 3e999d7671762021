package proof

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCalDAVUndoAgain repeats the undo of an import of three events and a to-do after the
// server refused one of them, and undoes changes one after the other.
func TestCalDAVUndoAgain(t *testing.T) {
	u := newDAVUser(t)
	file := filepath.Join(u.dir, "all.ics")
	write := func(title string) {
		t.Helper()
		var b strings.Builder
		for i, uid := range []string{"a", "b", "c"} {
			b.WriteString(event(uid, title+uid, fmt.Sprintf("2026010%dT010000Z", 5+i), "DURATION:PT1H"))
		}
		b.WriteString(strings.ReplaceAll(event("d", title+"d", "20260109T010000Z"), "VEVENT", "VTODO"))
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		u.want(0, "", "cal", "import", file, "--calendar", "dav")
	}
	write("old ")
	write("new ")
	u.want(0, "", "undo") // the to-do, which was imported by itself
	u.want(0, `"title":"old d"`, "todo", "list", "--calendar", "dav")
	u.between = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	u.want(4, "Restored 2 of 3 at", "undo")
	titles := func() string {
		return string(u.want(0, "", "cal", "list", "--date-from", "2026-01-05", "--date-to", "2026-01-07",
			"--calendar", "dav", "--fields", "events.title").Out)
	}
	if got := titles(); strings.Count(got, "old ") != 2 || strings.Count(got, "new ") != 1 {
		t.Error(got)
	}
	u.want(0, "", "undo")
	if got := titles(); strings.Count(got, "old ") != 3 {
		t.Error(got)
	}
	u.want(0, "", "undo")
	u.want(0, "", "undo")
	if got := titles(); got != "{\"events\":[]}\n" {
		t.Error(got)
	}
	u.want(0, "", "store", "verify", "--deep")
}
