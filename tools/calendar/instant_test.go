package calendar

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"techo/export"
	"techo/store/event"
	todostore "techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/free"
)

// eventOf returns the event in a result.
func eventOf(t *testing.T, m map[string]any, e *tools.Error) map[string]any {
	t.Helper()
	if e != nil {
		t.Fatal(e, e.Details)
	}
	return m["event"].(map[string]any)
}

// TestInstantsSurvive creates events in the hours that clocks show twice, with the
// offset of either hour, and checks that every tool and a round trip through a file
// keep the instants.
func TestInstantsSurvive(t *testing.T) {
	for _, c := range []struct{ zone, start, end, from, to string }{
		{"America/New_York", "2026-11-01T06:15:00Z", "2026-11-01T06:45:00Z", "2026-11-01T01:15:00-05:00",
			"2026-11-01T01:45:00-05:00"},
		{"America/New_York", "2026-11-01T05:15:00Z", "2026-11-01T05:45:00Z", "2026-11-01T01:15:00-04:00",
			"2026-11-01T01:45:00-04:00"},
		{"America/New_York", "2026-11-01T01:30:00-04:00", "45m", "2026-11-01T01:30:00-04:00",
			"2026-11-01T01:15:00-05:00"},
		{"Europe/Berlin", "2026-10-25T01:30Z", "15m", "2026-10-25T02:30:00+01:00", "2026-10-25T02:45:00+01:00"},
		{"Australia/Lord_Howe", "2026-04-04T15:10:00Z", "10m", "2026-04-05T01:40:00+10:30",
			"2026-04-05T01:50:00+10:30"},
		{"Asia/Tokyo", "2026-11-01T06:15:00Z", "30m", "2026-11-01T15:15:00+09:00", "2026-11-01T15:45:00+09:00"},
	} {
		t.Run(c.zone+" "+c.start, func(t *testing.T) {
			st := openStore(t)
			env := envAt(t, st, c.zone, "2026-01-05T00:00:00Z")
			check := func(after string, got map[string]any) {
				t.Helper()
				if got["start"] != c.from || got["end"] != c.to {
					t.Errorf("after %s: %v to %v, want %s to %s", after, got["start"], got["end"], c.from, c.to)
				}
			}
			m, e := call(t, env, Create, fmt.Sprintf(`{"title":"a","start":%q,"end":%q}`, c.start, c.end))
			made := eventOf(t, m, e)
			check("create", made)
			id := made["event_id"].(string)
			for _, change := range []string{`"title":"b"`, `"busy":false`, `"location":"x"`,
				fmt.Sprintf(`"end":%q`, c.to), fmt.Sprintf(`"start":%q`, c.from),
				fmt.Sprintf(`"start":%q,"end":%q`, c.from, c.to)} {
				m, e := call(t, env, Update, fmt.Sprintf(`{"event_id":%q,%s}`, id, change))
				check(change, eventOf(t, m, e))
			}
			m, e = call(t, env, Get, fmt.Sprintf(`{"event_id":%q}`, id))
			check("get", eventOf(t, m, e))
			m, e = call(t, env, List, fmt.Sprintf(`{"date":%q}`, c.from[:10]))
			if e != nil || m["count"] != 1.0 {
				t.Fatal(m, e)
			}
			check("list", m["events"].([]any)[0].(map[string]any))
			checkRoundTrip(t, env, c.from, c.to)
		})
	}
}

// exportOf returns the default calendar as a file.
func exportOf(t *testing.T, env *tools.Env) string {
	t.Helper()
	content, err := wholeContent(t, env, "")
	if err != nil {
		t.Fatal(err)
	}
	return content.String()
}

// wholeContent returns the content of a calendar.
func wholeContent(t *testing.T, env *tools.Env, name string) (c export.Calendar, err error) {
	t.Helper()
	content, err := ContentOf(t.Context(), env, name)
	if err != nil {
		return c, err
	}
	defer content.Close()
	c.Of, c.Name = content.Of, content.Name
	err = content.Each(func(e *event.Event) error { c.Events = append(c.Events, *e); return nil },
		func(todo *todostore.Todo) error { c.Todos = append(c.Todos, *todo); return nil })
	return c, err
}

// checkRoundTrip exports the default calendar, imports the file into an empty
// store, and checks the only event.
func checkRoundTrip(t *testing.T, env *tools.Env, from, to string) {
	t.Helper()
	text := exportOf(t, env)
	other := openStore(t)
	there := envAt(t, other, env.Zone.String(), "2026-01-05T00:00:00Z")
	importICS(t, there, other, []byte(text))
	m, e := call(t, there, List, fmt.Sprintf(`{"date":%q}`, from[:10]))
	if e != nil || m["count"] != 1.0 {
		t.Fatalf("%v, %v\n%s", m, e, text)
	}
	if got := m["events"].([]any)[0].(map[string]any); got["start"] != from || got["end"] != to {
		t.Errorf("after a round trip: %v to %v\n%s", got["start"], got["end"], text)
	}
}

// TestSuggestedTimeIsFree creates an event at each suggestion of a day with 25
// hours, also in the hour that clocks show twice.
func TestSuggestedTimeIsFree(t *testing.T) {
	st := openStore(t)
	env := envAt(t, st, "America/New_York", "2026-10-01T00:00:00Z")
	m, e := call(t, env, Create, `{"title":"first hour","start":"2026-11-01T01:00:00-04:00"}`)
	eventOf(t, m, e)
	m, e = call(t, env, free.Suggest, `{"date_from":"2026-11-01","date_to":"2026-11-01","duration_minutes":30,
		"preferred_time_from":"01:00","preferred_time_to":"03:00","limit":20,"strategy":"earliest"}`)
	if e != nil {
		t.Fatal(e)
	}
	later := 0
	for _, s := range m["suggestions"].([]any) {
		s := s.(map[string]any)
		made, e := call(t, env, Create, fmt.Sprintf(`{"title":"x","start":%q,"end":%q,"if_free":true}`, s["start"],
			s["end"]))
		if got := eventOf(t, made, e); got["start"] != s["start"] {
			t.Errorf("%v is at %v", s["start"], got["start"])
		}
		if strings.HasPrefix(s["start"].(string), "2026-11-01T01") {
			later++
		}
	}
	if later != 2 {
		t.Errorf("%d suggestions in the second hour: %v", later, m["suggestions"])
	}
}

// TestSeriesInSecondHour starts a series at the second of two equal times.
func TestSeriesInSecondHour(t *testing.T) {
	st := openStore(t)
	env := envAt(t, st, "America/New_York", "2026-10-01T00:00:00Z")
	m, e := call(t, env, Create,
		`{"title":"daily","start":"2026-11-01T01:30:00-05:00","end":"15m","recurrence":"FREQ=DAILY;COUNT=3"}`)
	eventOf(t, m, e)
	want := []string{"2026-11-01T01:30:00-05:00", "2026-11-02T01:30:00-05:00", "2026-11-03T01:30:00-05:00"}
	starts := func(env *tools.Env) (all []string) {
		m, e := call(t, env, List, `{"date_from":"2026-11-01","date_to":"2026-11-09"}`)
		if e != nil {
			t.Fatal(e)
		}
		for _, x := range m["events"].([]any) {
			all = append(all, x.(map[string]any)["start"].(string))
		}
		return all
	}
	if got := starts(env); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	text := exportOf(t, env)
	other := openStore(t)
	there := envAt(t, other, "America/New_York", "2026-10-01T00:00:00Z")
	importICS(t, there, other, []byte(text))
	if got := starts(there); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after a round trip: %v\n%s", got, text)
	}
}

// TestOwnZoneSurvives changes the time of an event in another zone, also in one that
// its file defines.
func TestOwnZoneSurvives(t *testing.T) {
	st := openStore(t)
	env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	importICS(t, env, st, []byte(strings.ReplaceAll(`BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:Office
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:-0330
TZOFFSETTO:-0330
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:a
DTSTART;TZID=Office:20260110T100000
DTEND;TZID=Office:20260110T110000
END:VEVENT
BEGIN:VEVENT
UID:b
DTSTART;TZID=America/New_York:20260110T100000
DTEND;TZID=America/New_York:20260110T110000
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n")))
	m, e := call(t, env, List, `{"date_from":"2026-01-10","date_to":"2026-01-11"}`)
	if e != nil || m["count"] != 2.0 {
		t.Fatal(m, e)
	}
	for _, x := range m["events"].([]any) {
		x := x.(map[string]any)
		start, err := time.Parse(time.RFC3339, x["start"].(string))
		if err != nil {
			t.Fatal(err)
		}
		want := start.Add(time.Hour).Format(time.RFC3339)
		m, e := call(t, env, Update, fmt.Sprintf(`{"event_id":%q,"start":%q}`, x["event_id"], want))
		got := eventOf(t, m, e)
		if got["start"] != want || got["event_timezone"] != x["event_timezone"] {
			t.Errorf("%v: %v in %v, want %s", x["uid"], got["start"], got["event_timezone"], want)
		}
		m, e = call(t, env, Get, fmt.Sprintf(`{"event_id":%q}`, x["event_id"]))
		if got := eventOf(t, m, e); got["start"] != want {
			t.Errorf("%v: later %v, want %s", x["uid"], got["start"], want)
		}
	}
}

// TestGapBetweenTimes checks times that the clocks skip: New York, 14 March 2027,
// from 02:00 to 03:00.
func TestGapBetweenTimes(t *testing.T) {
	st := openStore(t)
	env := envAt(t, st, "America/New_York", "2027-03-01T00:00:00Z")
	m, e := call(t, env, Create, `{"title":"busy","start":"2027-03-14 03:00","end":"2027-03-14 04:00"}`)
	eventOf(t, m, e)
	for _, c := range []struct {
		from, to  string
		available any // nil for an error
	}{{"02:30", "03:15", false}, {"01:30", "02:30", true}, {"02:00", "03:00", nil}, {"02:15", "02:45", nil},
		{"02:30", "04:30", false}, {"04:00", "05:00", true}} {
		m, e := call(t, env, free.Check, fmt.Sprintf(
			`{"check_type":"time_slot","date":"2027-03-14","time_from":%q,"time_to":%q}`, c.from, c.to))
		switch {
		case c.available == nil && (e == nil || e.Code != tools.InvalidInput ||
			!strings.Contains(e.Message, "clocks skip")):
			t.Errorf("%s–%s: %v, %v", c.from, c.to, m, e)
		case c.available != nil && (e != nil || m["available"] != c.available):
			t.Errorf("%s–%s: %v, %v", c.from, c.to, m, e)
		}
	}
	for _, times := range []string{`"start":"2027-03-14 02:00","end":"2027-03-14 03:00"`,
		`"start":"2027-03-14 02:15","end":"2027-03-14 03:00"`} {
		if m, e := call(t, env, Create, `{"title":"x",`+times+`}`); e == nil || e.Code != tools.InvalidInput ||
			!strings.Contains(e.Message, "the clocks skip 2027-03-14 02:") {
			t.Errorf("%s: %v, %v", times, m, e)
		}
	}
}
