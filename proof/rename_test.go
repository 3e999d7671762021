package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/internal/testenv"
)

// TestKillRename kills calls that rename a large calendar, while other processes read it.
// All events have one of the two names at any time.
func TestKillRename(t *testing.T) {
	k := newKilling(t)
	events := testenv.Pick(2000, 50_000)
	importDays(t, k.store, "a", events)
	stop, readers := make(chan struct{}), sync.WaitGroup{}
	readers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				nameOf(t, k.store, events)
			}
		}
	})
	name, next := "a", "b"
	k.rounds(t, 30, 400, func(n int) {
		out, killed := k.strike(t, command(t.Context(), k.store, "cal", "rename", name, next))
		switch now := nameOf(t, k.store, events); {
		case now == next:
			name, next = next, name
		case strings.Contains(out, "\n") || !killed:
			t.Errorf("round %d, answered %q: the name is %s", n, out, now)
		}
		if n%5 == 4 {
			k.after(t, "store", "verify", "--deep")
		}
	})
	close(stop)
	readers.Wait()
}

// importDays imports events of an hour into a calendar, one a day.
func importDays(t *testing.T, store, calendar string, n int) {
	t.Helper()
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n")
	day := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		at := day.AddDate(0, 0, i)
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:e%d\r\nSUMMARY:x\r\nDTSTART:%s\r\nDTEND:%s\r\nEND:VEVENT\r\n", i,
			at.Format("20060102T150405Z"), at.Add(time.Hour).Format("20060102T150405Z"))
	}
	b.WriteString("END:VCALENDAR\r\n")
	file := filepath.Join(t.TempDir(), "days.ics")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	mustTecho(t, store, "cal", "import", file, "--calendar", calendar)
}

// nameOf returns which of the calendars a and b exists. It must have all events and be
// the only one.
func nameOf(t *testing.T, store string, events int) string {
	t.Helper()
	all, _ := mustTecho(t, store, "cal", "calendars").Doc["calendars"].([]any)
	var names []string
	for _, c := range all {
		if c, _ := c.(map[string]any); c["name"] != "default" {
			names = append(names, fmt.Sprint(c["name"], " ", c["events"]))
		}
	}
	for _, name := range []string{"a", "b"} {
		if slices.Equal(names, []string{fmt.Sprint(name, " ", events)}) {
			wantDay(t, store)
			return name
		}
	}
	t.Errorf("the calendars are %q", names)
	return ""
}

// wantDay wants the event of the first day, whatever the name of its calendar.
func wantDay(t *testing.T, store string) {
	t.Helper()
	a := mustTecho(t, store, "cal", "list", "2026-01-01", "--calendar", "all", "--tz", "UTC")
	if a.Doc["count"] != 1.0 {
		t.Errorf("%v", a)
	}
}
