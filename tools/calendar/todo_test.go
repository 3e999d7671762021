package calendar

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/ical"
	"techo/internal/testenv"
	"techo/store/event"
	todostore "techo/store/todo"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/todo"
)

// chores are to-dos with everything that a file can have.
const chores = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//x//EN
BEGIN:VTODO
UID:full@example.com
DTSTAMP:20260101T000000Z
CREATED:20260101T000000Z
LAST-MODIFIED:20260102T030405Z
SEQUENCE:3
SUMMARY:Report\, final
DESCRIPTION:Two\nlines
LOCATION:Desk
DTSTART;TZID=America/New_York:20260110T090000
DUE;TZID=America/New_York:20260112T170000
STATUS:IN-PROCESS
PRIORITY:2
PERCENT-COMPLETE:40
CLASS:PRIVATE
ORGANIZER:mailto:boss@example.com
ATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.com
URL:https://example.com/a
CATEGORIES:Work,A\, B
COLOR:tomato
RELATED-TO:parent@example.com
X-KEPT:yes
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Soon
TRIGGER;RELATED=END:-PT10M
END:VALARM
END:VTODO
BEGIN:VTODO
UID:weekly
DTSTAMP:20260101T000000Z
CREATED:20260101T000000Z
LAST-MODIFIED:20260102T030405Z
SUMMARY:Plants
DTSTART;VALUE=DATE:20260105
DUE;VALUE=DATE:20260106
RRULE:FREQ=WEEKLY;COUNT=4
EXDATE;VALUE=DATE:20260119
END:VTODO
BEGIN:VTODO
UID:weekly
DTSTAMP:20260101T000000Z
CREATED:20260101T000000Z
LAST-MODIFIED:20260102T030405Z
RECURRENCE-ID;VALUE=DATE:20260105
SUMMARY:Plants
DTSTART;VALUE=DATE:20260105
DUE;VALUE=DATE:20260106
STATUS:COMPLETED
COMPLETED:20260105T100000Z
END:VTODO
BEGIN:VTODO
UID:duration
SUMMARY:D
DTSTART:20260110T090000
DURATION:P1DT2H
END:VTODO
BEGIN:VTODO
UID:nothing
SUMMARY:Some day
END:VTODO
END:VCALENDAR
`

// TestTodoRoundTrip imports to-dos, exports them and imports them again: every line
// that a to-do had is still there, and the second copy is the same.
func TestTodoRoundTrip(t *testing.T) {
	w := newDetailsWorld(t)
	if n := w.importText(chores); n.Todos.Added != 5 || n.Skipped != 0 || n.Read.Total != 0 {
		t.Fatalf("%+v", n)
	}
	if n := w.importText(chores); n.Todos.Unchanged != 5 {
		t.Errorf("again: %+v", n.Todos)
	}
	text := contentOfDefault(t, w)
	unfolded := strings.ReplaceAll(text, "\r\n ", "")
	for line := range strings.Lines(chores) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "DURATION") || strings.HasPrefix(line, "DTSTAMP") ||
			strings.HasPrefix(line, "PRODID") {
			continue
		}
		if !strings.Contains(unfolded, line+"\r\n") {
			t.Errorf("lost: %s", line)
		}
	}
	if !strings.Contains(unfolded, "DUE:20260111T110000\r\n") {
		t.Errorf("the length of D became:\n%s", text)
	}
	other := newDetailsWorld(t)
	if n := other.importText(text); n.Todos.Added != 5 || n.Read.Total != 0 {
		t.Errorf("exported: %+v", n)
	}
	if again := contentOfDefault(t, other); again != text {
		t.Errorf("exported again:\n%s\nbefore:\n%s", again, text)
	}
}

func contentOfDefault(t *testing.T, w *detailsWorld) string {
	t.Helper()
	c, err := wholeContent(t, w.env, "")
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(c.Todos, func(a, b todostore.Todo) int {
		return strings.Compare(a.UID+a.RecurrenceID, b.UID+b.RecurrenceID)
	})
	for i := range c.Todos { // if they come without them
		if c.Todos[i].UID == "duration" || c.Todos[i].UID == "nothing" {
			c.Todos[i].CreatedAt, c.Todos[i].UpdatedAt = w.env.Now(), w.env.Now()
		}
	}
	return c.String()
}

// TestTodoVersions imports older, newer and cancelled versions of a to-do.
func TestTodoVersions(t *testing.T) {
	w := newDetailsWorld(t)
	file := func(head, lines string) string {
		return "BEGIN:VCALENDAR\r\n" + head + "BEGIN:VTODO\r\nUID:a\r\n" + lines + "END:VTODO\r\nEND:VCALENDAR\r\n"
	}
	for _, c := range []struct {
		head, lines string
		want        event.Imported
		title       string
	}{
		{"", "SUMMARY:three\r\nSEQUENCE:3\r\n", event.Imported{Added: 1}, "three needs-action"},
		{"", "SUMMARY:two\r\nSEQUENCE:2\r\n", event.Imported{Older: 1}, "three needs-action"},
		{"", "SUMMARY:none\r\n", event.Imported{Older: 1}, "three needs-action"},
		{"METHOD:REPLY\r\n", "SUMMARY:reply\r\n", event.Imported{}, "three needs-action"},
		{"", "SUMMARY:four\r\nSEQUENCE:4\r\nPERCENT-COMPLETE:100\r\n", event.Imported{Changed: 1}, "four completed"},
		{"METHOD:CANCEL\r\n", "SUMMARY:five\r\nSEQUENCE:5\r\n", event.Imported{Changed: 1}, "five cancelled"},
	} {
		n := w.importText(file(c.head, c.lines))
		out, err := runTool[todo.ListIn, todo.ListOut](t, todo.List, w.env, todo.ListIn{Status: "all", Limit: 10})
		if err != nil || len(out.Todos) != 1 {
			t.Fatalf("%v, %+v", err, out)
		}
		got := out.Todos[0].Title + " " + out.Todos[0].Status
		if n.Todos.Kept = nil; got != c.title || !reflect.DeepEqual(n.Todos, c.want) {
			t.Errorf("%q: %s, %+v", c.lines, got, n.Todos)
		}
	}
}

// TestTodoFaults imports to-dos with faults: what can be read is kept.
func TestTodoFaults(t *testing.T) {
	w := newDetailsWorld(t)
	n := w.importText("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:a\r\nSUMMARY:A\r\nDUE:never\r\nPRIORITY:x\r\n" +
		"PERCENT-COMPLETE:101\r\nCOMPLETED:?\r\nDTSTART:20260102T100000Z\r\nDURATION:-PT1H\r\nEND:VTODO\r\n" +
		"BEGIN:VTODO\r\nUID:b\r\nSUMMARY:B\r\nDTSTART:20260105T100000Z\r\nDUE:20260104T100000Z\r\nEND:VTODO\r\n" +
		"BEGIN:VTODO\r\nUID:b\r\nSUMMARY:B2\r\nEND:VTODO\r\n" +
		"BEGIN:VTODO\r\nUID:c\r\nRECURRENCE-ID:x\r\nSUMMARY:C\r\nEND:VTODO\r\n" +
		"BEGIN:VTODO\r\nSUMMARY:D\r\nEND:VTODO\r\nEND:VCALENDAR\r\n")
	out, err := runTool[todo.ListIn, todo.ListOut](t, todo.List, w.env, todo.ListIn{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range out.Todos {
		got = append(got, strings.Join([]string{o.Title, o.Start, o.Due}, " "))
	}
	slices.Sort(got)
	want := []string{"A 2026-01-02T10:00:00Z ", "B2  ", "C  ", "D  "}
	if !slices.Equal(got, want) || n.Read.Total != 8 || n.Todos.Added != 4 {
		t.Errorf("%q, %+v", got, n)
	}
}

// TestTodosElsewhere refuses to-dos for a calendar at Google, and skips them in an
// import and in a list of all calendars.
func TestTodosElsewhere(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	if _, err := runTool[todo.AddIn, todo.Out](t, todo.Add, env, todo.AddIn{Title: "x", Calendar: "g"}); err == nil ||
		!strings.Contains(err.Error(), "has no to-dos") {
		t.Error(err)
	}
	n, err := Import(t.Context(), env, "g", ical.OpenBytes([]byte(chores)), "")
	if err != nil || n.Skipped != 5 || len(double.Events("a", "primary")) != 0 {
		t.Errorf("%+v, %v", n, err)
	}
	out, err := runTool[todo.ListIn, todo.ListOut](t, todo.List, env, todo.ListIn{Calendar: "all", Limit: 10})
	if err != nil || out.Count != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestTodosFirst compares the beginnings of lists with the whole, which is sorted.
func TestTodosFirst(t *testing.T) {
	random := testenv.Random(t)
	w := newDetailsWorld(t)
	now := w.env.Now()
	zones := []string{"", ";TZID=Pacific/Kiritimati", ";TZID=America/Los_Angeles", ";TZID=Europe/Berlin"}
	var file strings.Builder
	for i := range testenv.Pick(400, 2000) {
		line := func(format string, args ...any) { fmt.Fprintf(&file, format+"\r\n", args...) }
		at := func(name string, day int, zoned bool) {
			d := now.Add(time.Duration(random.IntN(48))*time.Hour).AddDate(0, 0, day)
			if zoned {
				line("%s%s:%s", name, zones[i%len(zones)], d.Format("20060102T150405"))
			} else {
				line("%s;VALUE=DATE:%s", name, d.Format("20060102"))
			}
		}
		line("BEGIN:VTODO\r\nUID:%d\r\nSUMMARY:%c %d", i, 'a'+rune(random.IntN(3)), i)
		zoned, day := random.IntN(2) == 0, random.IntN(30)-10
		starts := random.IntN(4) == 0
		if starts {
			at("DTSTART", day-random.IntN(4), zoned)
		}
		if random.IntN(3) > 0 {
			at("DUE", day+3, zoned)
		}
		if starts && random.IntN(4) == 0 {
			line("RRULE:FREQ=DAILY;INTERVAL=2;COUNT=3")
		}
		if random.IntN(2) == 0 {
			line("PRIORITY:%d", random.IntN(10))
		}
		if random.IntN(3) == 0 {
			line("CREATED:2025010%dT000000Z", 1+random.IntN(3))
		}
		if random.IntN(4) == 0 {
			line("STATUS:COMPLETED\r\nCOMPLETED:2026010%dT000000Z", 1+random.IntN(5))
		}
		if random.IntN(20) == 0 {
			line("RELATED-TO;RELTYPE=DEPENDS-ON:%d", random.IntN(i+1))
		}
		line("END:VTODO")
	}
	w.importText("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + file.String() + "END:VCALENDAR\r\n")
	find := func(q todostore.Query, wanted func(*todostore.Occurrence) bool) (ids []string, total, later int) {
		var list todo.ListOut
		found, err := list.Find(t.Context(), w.env, []string{"default"}, q)
		if err != nil {
			t.Fatal(err)
		}
		total, later = found.Omitted, found.Later
		all := slices.DeleteFunc(found.Todos, func(o todostore.Occurrence) bool {
			if wanted(&o) && !q.Begun.IsZero() && o.Later(now) {
				later++
				return true
			}
			return !wanted(&o)
		})
		agenda.SortByUrgency(w.env, all)
		for _, o := range all {
			ids = append(ids, fmt.Sprint(o.ID, o.Waits, o.Blocks))
		}
		return ids, total + len(all), later
	}
	for _, q := range []todostore.Query{{Open: true, Begun: now}, {Open: true}, {Done: true}, {Open: true, Done: true}} {
		wanted := func(o *todostore.Occurrence) bool { return o.Open() && q.Open || !o.Open() && q.Done }
		want, total, later := find(q, wanted)
		for _, n := range []int{1, 2, 5, 17, 40, 100, 5000} {
			q.First = n
			ids, gotTotal, gotLater := find(q, wanted)
			if n = min(n, len(want)); len(ids) < n || !slices.Equal(ids[:n], want[:n]) || gotTotal != total || gotLater != later {
				t.Fatalf("%+v: %v, %d, %d\nwant %v, %d, %d", q, ids, gotTotal, gotLater, want[:n], total, later)
			}
		}
	}
	for day := -15; day < 30; day += 5 {
		end := now.AddDate(0, 0, day)
		wanted := func(o *todostore.Occurrence) bool { return o.Open() && o.HasDue && !o.To.After(end) }
		want, _, _ := find(todostore.Query{Open: true}, wanted)
		if ids, _, _ := find(todostore.Query{Open: true, Due: end}, wanted); !slices.Equal(ids, want) {
			t.Errorf("until %s: %v\nwant %v", end, ids, want)
		}
	}
}
