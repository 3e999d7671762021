package calendar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/internal/ical"
	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/ics"
)

// importAndList imports a file twice, where the second import must change nothing, and
// lists its events in a range.
func importAndList(t *testing.T, ics, from, to string) []string {
	t.Helper()
	st := openStore(t)
	env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	importICS(t, env, st, []byte(ics))
	if n, read := importICS(t, env, st, []byte(ics)); n.Added+n.Changed > 0 || read.Total > 0 {
		t.Errorf("importing twice: %+v, %+v", n, read)
	}
	if _, err := st.Verify(t.Context(), store.VerifyOptions{}); err != nil {
		t.Error(err)
	}
	out, err := listEvents(t.Context(), env, ListIn{DateFrom: from, DateTo: to, Limit: 250})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range out.Events {
		got = append(got, e.Start[5:min(16, len(e.Start))]+" "+e.Title)
	}
	return got
}

// TestThisAndFuture checks that an override with RANGE=THISANDFUTURE moves all later
// occurrences by the same time.
func TestThisAndFuture(t *testing.T) {
	const series = "BEGIN:VEVENT\nUID:a\nDTSTART;TZID=Asia/Tokyo:20260105T100000\nDURATION:PT1H\n" +
		"RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=5\nSUMMARY:old\nEND:VEVENT\n"
	const later = "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Asia/Tokyo:20260119T100000\n" +
		"DTSTART;TZID=Asia/Tokyo:20260120T150000\nDURATION:PT2H\nSUMMARY:new\nEND:VEVENT\n"
	const one = "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;TZID=Asia/Tokyo:20260126T100000\n" +
		"DTSTART;TZID=Asia/Tokyo:20260126T080000\nDURATION:PT1H\nSUMMARY:one\nEND:VEVENT\n"
	const early = "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;TZID=Asia/Tokyo:20260112T100000\n" +
		"DTSTART;TZID=Asia/Tokyo:20260112T080000\nDURATION:PT1H\nSUMMARY:early\nEND:VEVENT\n"
	const first = "BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE:20260105T010000Z\n" +
		"DTSTART:20260105T030000Z\nDURATION:PT1H\nSUMMARY:all\nEND:VEVENT\n"
	for name, c := range map[string]struct {
		ics  string
		want []string
	}{
		"later": {series + later,
			[]string{"01-05T10:00 old", "01-12T10:00 old", "01-20T15:00 new", "01-27T15:00 new", "02-03T15:00 new"}},
		"with exceptions": {one + later + early + series,
			[]string{"01-05T10:00 old", "01-12T08:00 early", "01-20T15:00 new", "01-26T08:00 one", "02-03T15:00 new"}},
		"of all": {series + first,
			[]string{"01-05T12:00 all", "01-12T12:00 all", "01-19T12:00 all", "01-26T12:00 all", "02-02T12:00 all"}},
		"without series": {later, []string{"01-20T15:00 new"}},
	} {
		got := importAndList(t, "BEGIN:VCALENDAR\n"+c.ics+"END:VCALENDAR\n", "2026-01-01", "2026-03-01")
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot  %q\nwant %q", name, got, c.want)
		}
	}
}

// TestCalendarZone checks that times without a zone use the calendar's zone, even if
// its definition follows the events, and that all-day events stay on their day.
func TestCalendarZone(t *testing.T) {
	const events = "BEGIN:VEVENT\nUID:a\nDTSTART:20260105T200000\nSUMMARY:floats\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\n" +
		"DTSTART:20260106T010000Z\nSUMMARY:utc\nEND:VEVENT\nBEGIN:VEVENT\nUID:c\nDTSTART;VALUE=DATE:20260107\n" +
		"SUMMARY:day\nEND:VEVENT\n"
	got := importAndList(t, "BEGIN:VCALENDAR\nX-WR-TIMEZONE:America/New_York\n"+events+
		"END:VCALENDAR\nBEGIN:VCALENDAR\n"+strings.ReplaceAll(events, "UID:", "UID:other ")+"END:VCALENDAR\n",
		"2026-01-05", "2026-01-31")
	want := []string{"01-05T20:00 floats", "01-06T10:00 floats", "01-06T10:00 utc", "01-06T10:00 utc"}
	var timed []string
	for _, g := range got {
		if !strings.HasSuffix(g, "day") {
			timed = append(timed, g)
		}
	}
	if !slices.Equal(timed, want) || len(got) != 6 {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestProblemsBounded checks the limit on the reported problems.
func TestProblemsBounded(t *testing.T) {
	env := &tools.Env{}
	read, err := ics.Parse(env, ical.OpenBytes([]byte("BEGIN:VCALENDAR\n"+strings.Repeat("x\nBEGIN:VEVENT\nEND:VEVENT\n", 5000))), "",
		ics.Emit{})
	if err != nil || len(read.Problems) != ics.MaxProblems || read.Total != 10_001 {
		t.Errorf("%d of %d, %v", len(read.Problems), read.Total, err)
	}
}

// TestLargeFile checks that events come in batches and in order, without the
// duplicates of the file.
func TestLargeFile(t *testing.T) {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\n")
	for i := range 5001 {
		fmt.Fprintf(&b, "BEGIN:VEVENT\nUID:%d\nDTSTART:20260105T100000Z\nEND:VEVENT\n", i%5000)
	}
	var pieces, total int
	emit := ics.Emit{Events: func(all []event.Event) error {
		pieces++
		total += len(all)
		return nil
	}}
	read, err := ics.Parse(&tools.Env{}, ical.OpenBytes([]byte(b.String()+"END:VCALENDAR\n")), "", emit)
	if err != nil || pieces != 3 || total != 5000 || read.Total != 1 {
		t.Errorf("%d events in %d pieces, %+v, %v", total, pieces, read, err)
	}
}

func FuzzReadICS(f *testing.F) {
	for _, ics := range hostile() {
		if len(ics) < 10_000 {
			f.Add([]byte(ics))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		st := openStore(t)
		defer st.Close()
		env := envAt(t, st, "America/New_York", "2026-01-05T00:00:00Z")
		importICS(t, env, st, b)
		if n, _ := importICS(t, env, st, b); n.Added+n.Changed > 0 {
			t.Errorf("importing twice: %+v", n)
		}
		if _, err := listEvents(t.Context(), env,
			ListIn{DateFrom: "2026-01-01", DateTo: "2026-12-31", Limit: 250}); err != nil {
			t.Error(err)
		}
	})
}
