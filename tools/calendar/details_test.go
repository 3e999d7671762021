package calendar

import (
	"reflect"
	"strings"
	"testing"

	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/ics"
)

// invitation is an event with all details that techo reads, and some that it only
// keeps.
const invitation = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//x//x//EN
METHOD:REQUEST
BEGIN:VEVENT
UID:meet@example.com
DTSTAMP:20260101T000000Z
LAST-MODIFIED:20260102T030405Z
SEQUENCE:3
DTSTART:20260110T010000Z
DTEND:20260110T020000Z
SUMMARY:Meeting
ORGANIZER;CN="Boss, The":mailto:boss@example.com
ATTENDEE;CN=Ann;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;X-NUM=7:mailto:ann@example.com
ATTENDEE;ROLE=OPT-PARTICIPANT;RSVP=TRUE:MAILTO:bob@example.com
URL:https://example.com/a?b=c
CATEGORIES:Work,A\, B
CATEGORIES:家
COLOR:tomato
X-KEPT:yes
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Soon
TRIGGER:-PT10M
END:VALARM
BEGIN:VALARM
ACTION:AUDIO
TRIGGER;RELATED=END:PT5M
END:VALARM
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Then
TRIGGER;VALUE=DATE-TIME:20260109T010000Z
END:VALARM
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Before
TRIGGER:-P1D
END:VALARM
END:VEVENT
END:VCALENDAR
`

// TestDetails reads an invitation, changes its details one by one, and compares what
// an export and a second import have.
func TestDetails(t *testing.T) {
	w := newDetailsWorld(t)
	w.importText(invitation)
	id := w.meeting().EventID
	want := ics.Details{Attendees: []ics.Attendee{{Email: "ann@example.com", Name: "Ann", Status: "accepted"},
		{Email: "bob@example.com", Status: "needs-action", Optional: true}},
		Organizer: "boss@example.com", URL: "https://example.com/a?b=c",
		Categories: []string{"Work", "A, B", "家"}, Alarms: []string{"10m", "-1h5m", "2026-01-09T01:00:00Z", "1d"},
		Color: "tomato", Sequence: 3}
	w.want("imported", want)

	w.update(id, agenda.DetailsIn{
		Attendees: []agenda.AttendeeIn{{Email: "ANN@example.com"},
			{Email: "carl@example.com", Name: "Carl \"C\"; x", Status: "declined"}},
		Categories: []string{"Home, sweet", "x"}, Alarms: []string{"1h30m", "0m", "2 d"}, Color: ptr("#00ff00")})
	want.Attendees = []ics.Attendee{{Email: "ANN@example.com", Name: "Ann", Status: "needs-action", Optional: false},
		{Email: "carl@example.com", Name: "Carl \"C\"; x", Status: "declined", Optional: false}}
	want.Categories, want.Alarms, want.Color = []string{"Home, sweet", "x"}, []string{"1h30m", "0m", "2d"}, "#00ff00"
	want.Sequence = 4
	w.want("changed", want)

	text := exportOf(t, w.env)
	for _, line := range []string{"X-KEPT:yes", "SEQUENCE:4", "LAST-MODIFIED:", "URL:https://example.com/a?b=c"} {
		if !strings.Contains(text, line) {
			t.Errorf("the export lacks %s:\n%s", line, text)
		}
	}
	other := newDetailsWorld(t)
	other.importText(text)
	other.want("exported and imported", want)

	w.update(id, agenda.DetailsIn{Attendees: []agenda.AttendeeIn{}, Organizer: ptr(""), URL: ptr(""),
		Categories: []string{}, Alarms: []string{}, Color: ptr("")})
	w.want("removed", ics.Details{Attendees: []ics.Attendee{}, Categories: []string{}, Alarms: []string{}, Sequence: 5})
}

// TestLineBreaks checks that no detail can end the line that it is written in.
func TestLineBreaks(t *testing.T) {
	w := newDetailsWorld(t)
	for name, in := range map[string]agenda.DetailsIn{
		"address":   {Attendees: []agenda.AttendeeIn{{Email: "a@b\r\nX-EVIL:1"}}},
		"organizer": {Organizer: ptr("a@b\nX-EVIL:1")},
		"url":       {URL: ptr("https://a\r\nX-EVIL:1")},
		"color":     {Color: ptr("red\nX-EVIL:1")},
	} {
		if _, err := createEvent(t.Context(), w.env, CreateIn{Title: "x", Start: "2026-01-10 10:00", Busy: true,
			DetailsIn: in}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	_, err := createEvent(t.Context(), w.env, CreateIn{Title: "x\r\nX-EVIL:1", Start: "2026-01-10 10:00", Busy: true,
		Status: event.Confirmed,
		DetailsIn: agenda.DetailsIn{Categories: []string{"a\r\nX-EVIL:1"}, Alarms: []string{"10m"},
			Attendees: []agenda.AttendeeIn{{Email: "a@b", Name: "n\r\nX-EVIL:1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if text := exportOf(t, w.env); strings.Contains(text, "\nX-EVIL") {
		t.Errorf("a line of its own:\n%s", text)
	}
}

// TestMessages imports messages about an invitation in order.
func TestMessages(t *testing.T) {
	w := newDetailsWorld(t)
	w.importText(invitation)
	message := func(method, lines string) string {
		return "BEGIN:VCALENDAR\r\nMETHOD:" + method + "\r\nBEGIN:VEVENT\r\nUID:meet@example.com\r\n" + lines +
			"END:VEVENT\r\nEND:VCALENDAR\r\n"
	}
	times := "DTSTART:20260110T010000Z\r\nDTEND:20260110T020000Z\r\n"
	first := w.meeting

	n := w.importText(message("REQUEST", "SEQUENCE:2\r\nSUMMARY:Old\r\n"+times))
	if e := first(); n.Older != 1 || n.Changed != 0 || e.Title != "Meeting" || e.Sequence != 3 {
		t.Errorf("an older version: %+v, %+v", n.Imported, e)
	}
	n = w.importText(message("REPLY", "SEQUENCE:3\r\nATTENDEE;PARTSTAT=DECLINED:mailto:bob@example.com\r\n"+times))
	if e := first(); n.Changed != 1 || e.Title != "Meeting" || e.Attendees[1].Status != "declined" ||
		!e.Attendees[1].Optional || len(e.Attendees) != 2 {
		t.Errorf("a reply: %+v, %+v", n.Imported, e)
	}
	n = w.importText(message("COUNTER", "SEQUENCE:3\r\nSUMMARY:Other\r\n"+times))
	if len(n.Problems) != 1 || first().Title != "Meeting" {
		t.Errorf("a counter proposal: %+v", n)
	}
	n = w.importText(message("REQUEST", "SEQUENCE:4\r\nSUMMARY:New\r\n"+times))
	if e := first(); n.Changed != 1 || e.Title != "New" || e.Sequence != 4 {
		t.Errorf("a newer version: %+v, %+v", n.Imported, e)
	}
	n = w.importText(message("CANCEL", "SEQUENCE:5\r\n"))
	if e := first(); n.Changed != 1 || e.Status != event.Cancelled || e.Busy || e.Title != "New" || e.Sequence != 5 {
		t.Errorf("a cancellation: %+v, %+v", n.Imported, e)
	}
	if n = w.importText(message("CANCEL", "SEQUENCE:5\r\n"+times)); n.Changed != 0 {
		t.Errorf("cancelled again: %+v", n.Imported)
	}
}

// TestCancelOccurrence cancels one occurrence of a series, and then the series with
// an occurrence that was moved.
func TestCancelOccurrence(t *testing.T) {
	w := newDetailsWorld(t)
	series := "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:s\r\nDTSTART:20260105T010000Z\r\nDURATION:PT1H\r\nSUMMARY:S\r\n" +
		"RRULE:FREQ=DAILY;COUNT=5\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:s\r\nRECURRENCE-ID:20260107T010000Z\r\n" +
		"DTSTART:20260107T050000Z\r\nDURATION:PT1H\r\nSUMMARY:Moved\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	w.importText(series)
	cancel := func(lines string) Transfer {
		return w.importText("BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nBEGIN:VEVENT\r\nUID:s\r\nSEQUENCE:1\r\n" + lines +
			"END:VEVENT\r\nEND:VCALENDAR\r\n")
	}
	busy := func() (n int) {
		for _, e := range w.events("2026-01-05", "2026-01-09") {
			if e.Busy {
				n++
			}
		}
		return n
	}
	if n := cancel("RECURRENCE-ID:20260106T010000Z\r\n"); n.Changed != 1 || busy() != 4 {
		t.Errorf("one occurrence: %+v, %d busy", n.Imported, busy())
	}
	if n := cancel("DTSTART:20260105T010000Z\r\n"); n.Changed != 1 || busy() != 0 {
		t.Errorf("the series: %+v, %d busy", n.Imported, busy())
	}
	if n := cancel("RECURRENCE-ID:20260301T010000Z\r\n"); busy() != 0 {
		t.Errorf("no such occurrence: %+v", n.Imported)
	}
}

func ptr(s string) *string { return &s }

// detailsWorld is a store and a caller in UTC.
type detailsWorld struct {
	t   *testing.T
	env *tools.Env
}

func newDetailsWorld(t *testing.T) *detailsWorld {
	return &detailsWorld{t, envAt(t, openStore(t), "UTC", "2026-01-05T00:00:00Z")}
}

func (w *detailsWorld) importText(text string) Transfer {
	w.t.Helper()
	n, err := Import(w.t.Context(), w.env, "", ical.OpenBytes([]byte(text)), "")
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// events returns the events from a day to a day.
func (w *detailsWorld) events(from, to string) []agenda.Event {
	w.t.Helper()
	out, err := listEvents(w.t.Context(), w.env, ListIn{DateFrom: from, DateTo: to, Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Events
}

// meeting returns the event of the invitation.
func (w *detailsWorld) meeting() agenda.Event {
	w.t.Helper()
	all := w.events("2026-01-10", "2026-01-10")
	if len(all) != 1 {
		w.t.Fatalf("%d events", len(all))
	}
	return all[0]
}

// want compares the details of the meeting.
func (w *detailsWorld) want(when string, want ics.Details) {
	w.t.Helper()
	if got := w.meeting().Details; !reflect.DeepEqual(got, want) {
		w.t.Errorf("%s: %+v, want %+v", when, got, want)
	}
}

func (w *detailsWorld) update(id string, in agenda.DetailsIn) {
	w.t.Helper()
	if _, err := updateEvent(w.t.Context(), w.env, UpdateIn{EventID: id, DetailsIn: in}); err != nil {
		w.t.Fatal(err)
	}
}
