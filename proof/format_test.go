package proof

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// oldRecords are calls that read the records of testdata/format1, by words of their
// answers. The last version with format 1 made that store: it added records of each
// family, compacted, and changed, removed and added some.
var oldRecords = map[string][]string{
	`"total":3`:                                  {"memo", "list"},
	"with extra noodles":                         {"memo", "get", "ramen"},
	"The rent is due on the 27th":                {"memo", "get", "rent"},
	"was added after the compaction":             {"memo", "get", "late"},
	`"not_found"`:                                {"memo", "get", "gone"},
	"runs every month from cron":                 {"memory", "list"},
	"Renew it with certbot":                      {"memory", "search", "expired certificate"},
	"資料は田中さんが作る":                                 {"memory", "search", "会議"},
	`"recurrence":["RRULE:FREQ=DAILY;COUNT=20"]`: {"cal", "list", "2026-11-25"},
	"Dentist, again":                             {"cal", "list", "2026-11-25", "--calendar", "private"},
	`"answer":"small"`:                           {"ask", "history"},
	`"question_id":"q1"`:                         {"ask", "list"},
}

// TestOldStore reads a store of format 1 as it is, migrates it by the first write, and
// reads it again: every answer has the same bytes. The write can be undone.
func TestOldStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	if err := copyTree(filepath.Join("testdata", "format1"), store); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(store, 0o700); err != nil {
		t.Fatal(err)
	}
	read := func() map[string]string {
		got := map[string]string{}
		for want, call := range oldRecords {
			a := techo(t, store, append([]string{"--user", "tanaka"}, call...)...)
			if got[want] = string(a.Out); !strings.Contains(got[want], want) {
				t.Errorf("no %q: %v", want, a)
			}
		}
		return got
	}
	wantFormat := func(format float64) {
		mustTecho(t, store, "store", "verify", "--deep")
		if a := mustTecho(t, store, "store", "info"); a.Doc["format"] != format || a.Doc["edits"] != 2.0 {
			t.Errorf("want format %v: %v", format, a)
		}
	}
	before := read()
	wantFormat(1)
	mustTecho(t, store, "memo", "edit", "late", "--content", "edited")
	wantFormat(2)
	mustTecho(t, store, "undo")
	mustTecho(t, store, "store", "compact")
	wantFormat(2)
	if after := read(); !maps.Equal(after, before) {
		for _, want := range slices.Sorted(maps.Keys(before)) {
			if after[want] != before[want] {
				t.Errorf("before the migration %s\nafter it %s", before[want], after[want])
			}
		}
	}
}
