package calendar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/tools"
	"techo/tools/calendar/free"
)

// davObject is a resource whose lines other programs wrote.
func davObject(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n" + strings.Join(lines, "\r\n") + "\r\nEND:VCALENDAR\r\n"
}

// unreadObjects are resources of which a part cannot be read.
var unreadObjects = map[string][]string{
	"rule":       {"DTSTART:20260109T010000Z", "RRULE:FREQ=FORTNIGHTLY;COUNT=10"},
	"zone":       {"DTSTART;TZID=Nowhere/Land:20260109T010000", "RRULE:FREQ=WEEKLY"},
	"end":        {"DTSTART:20260109T010000Z", "DTEND:tomorrow"},
	"exception":  {"DTSTART:20260109T010000Z", "RRULE:FREQ=DAILY;COUNT=3", "EXDATE:never"},
	"more dates": {"DTSTART:20260109T010000Z", "RDATE:20260110T010000Z,soon"},
}

func unreadLines(times []string) []string {
	all := append([]string{"BEGIN:VEVENT", "UID:u", "DTSTAMP:20260101T000000Z", "LAST-MODIFIED:20250101T000000Z",
		"SEQUENCE:3"}, times...)
	return append(all, "SUMMARY;LANGUAGE=en:Course", "X-OWN;A=\"b:c\":a line that is folded because it is longer than ",
		" seventy-five octets", "ATTENDEE;CN=\"Doe, Jane\";X-B=1:mailto:jane@example.com", "LOCATION;ALTREP=\"cid:1\":Old",
		"BEGIN:VALARM", "ACTION:NONE", "TRIGGER;VALUE=DATE-TIME:19760401T005545Z", "END:VALARM", "END:VEVENT")
}

// TestCalDAVText: a change of one field leaves all other bytes at the server; what was not read is
// reported, makes the calendar uncertain, and is not overwritten.
func TestCalDAVText(t *testing.T) {
	for name, times := range unreadObjects {
		t.Run(name, func(t *testing.T) {
			s := &davDouble{resources: map[string]string{}, etags: map[string]string{}}
			before := davObject(unreadLines(times)...)
			s.change("/team/u.ics", before)
			_, env := boundTo(t, s, "g", "/team/")
			found := must(t, env, List, `{"calendar":"g","query":"Course"}`)
			if problems := found["problems"].([]any); len(problems) != 1 ||
				problems[0].(map[string]any)["uid"] != "u" || problems[0].(map[string]any)["calendar"] != "g" {
				t.Errorf("problems: %v", problems)
			}
			checked := must(t, env, free.Check, `{"check_type":"day","date":"2026-01-09","calendar":"g"}`)
			if checked["available"] != nil {
				t.Errorf("available: %v", checked["available"])
			}
			suggested := must(t, env, free.Suggest,
				`{"date_from":"2026-01-09","date_to":"2026-01-09","duration_minutes":30,"calendar":"g"}`)
			if suggested["reason"] != "calendar_unchecked" {
				t.Errorf("suggested: %v", suggested)
			}
			id := found["events"].([]any)[0].(map[string]any)["event_id"].(string)
			id, _, _ = strings.Cut(id, "_")
			must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g","location":"Room 1","scope":"all"}`, id))
			want := strings.Replace(before, `LOCATION;ALTREP="cid:1":Old`, "LOCATION:Room 1", 1)
			if got := s.resources["/team/u.ics"]; got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
			for _, input := range []string{`"start":"2026-01-10 10:00"`, `"repeat":"daily"`} {
				_, e := call(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g","scope":"all",%s}`, id, input))
				if e == nil || e.Code != tools.Conflict || s.resources["/team/u.ics"] != want {
					t.Errorf("%s: %v", input, e)
				}
			}
		})
	}
}

// TestCalDAVTimes: a change of times keeps the zone, the way in which the end is written and all else.
func TestCalDAVTimes(t *testing.T) {
	s := &davDouble{resources: map[string]string{}, etags: map[string]string{}}
	zone := []string{"BEGIN:VTIMEZONE", "TZID:Tokyo Standard Time", "BEGIN:STANDARD", "DTSTART:16010101T000000",
		"TZOFFSETFROM:+0900", "TZOFFSETTO:+0900", "END:STANDARD", "END:VTIMEZONE"}
	lines := append(slices.Clone(zone), unreadLines([]string{"DTSTART;TZID=Tokyo Standard Time:20260109T100000",
		"DURATION:PT45M"})...)
	before := davObject(lines...)
	s.change("/team/u.ics", before)
	_, env := boundTo(t, s, "g", "/team/")
	found := must(t, env, List, `{"calendar":"g","query":"Course"}`)
	id := found["events"].([]any)[0].(map[string]any)["event_id"]
	must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g","start":"2026-01-09 11:00"}`, id))
	got := s.resources["/team/u.ics"]
	for old, new := range map[string]string{
		"TZID=Tokyo Standard Time:20260109T100000": "TZID=\"Tokyo Standard Time\":20260109T110000",
		"SEQUENCE:3": "SEQUENCE:4", "DTSTAMP:20260101": "DTSTAMP:20260105",
		"LAST-MODIFIED:20250101": "LAST-MODIFIED:20260105",
	} {
		before = strings.Replace(before, old, new, 1)
	}
	if got != before {
		t.Errorf("got %q\nwant %q", got, before)
	}
}

// TestCalDAVFollowing: a series that goes on differently from an occurrence on (RANGE=THISANDFUTURE)
// keeps both parts, whichever is changed and however.
func TestCalDAVFollowing(t *testing.T) {
	series := davObject("BEGIN:VEVENT", "UID:s", "DTSTAMP:20260101T000000Z", "DTSTART:20260109T100000Z",
		"DTEND:20260109T110000Z", "RRULE:FREQ=DAILY;COUNT=4", "SUMMARY:Early", "END:VEVENT", "BEGIN:VEVENT", "UID:s",
		"DTSTAMP:20260101T000000Z", "RECURRENCE-ID;RANGE=THISANDFUTURE:20260111T100000Z", "DTSTART:20260111T150000Z",
		"DTEND:20260111T160000Z", "SUMMARY:Late", "END:VEVENT")
	titles := func(env *tools.Env) (all []string) {
		found := must(t, env, List, `{"calendar":"g","date_from":"2026-01-01","date_to":"2026-01-31"}`)
		for _, e := range found["events"].([]any) {
			e := e.(map[string]any)
			all = append(all, fmt.Sprint(e["start"].(string)[8:13], " ", e["title"], " ", e["location"]))
		}
		return all
	}
	for name, c := range map[string]struct {
		n         int // the number of the event that is changed
		change    string
		resources int
		want      []string
		untouched string
	}{
		"a place of the first part": {0, `"location":"R","scope":"all"`, 1,
			[]string{"09T19 Early R", "10T19 Early R", "12T00 Late ", "13T00 Late "}, "RANGE=THISANDFUTURE"},
		"a place of the second part": {2, `"location":"R","scope":"all"`, 1,
			[]string{"09T19 Early ", "10T19 Early ", "12T00 Late R", "13T00 Late R"}, "RRULE:FREQ=DAILY;COUNT=4"},
		"the time of the first part": {0, `"start":"2026-01-09 18:00","scope":"all"`, 2,
			[]string{"09T18 Early ", "10T18 Early ", "12T00 Late ", "13T00 Late "}, ""},
		"one day of the second part": {3, `"title":"Last"`, 2,
			[]string{"09T19 Early ", "10T19 Early ", "12T00 Late ", "13T00 Last "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &davDouble{resources: map[string]string{}, etags: map[string]string{}}
			s.change("/team/s.ics", series)
			_, env := boundTo(t, s, "g", "/team/")
			found := must(t, env, List, `{"calendar":"g","date_from":"2026-01-01","date_to":"2026-01-31"}`)
			id := found["events"].([]any)[c.n].(map[string]any)["event_id"]
			must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g",%s}`, id, c.change))
			if got := titles(env); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if got := s.resources["/team/s.ics"]; len(s.resources) != c.resources || !strings.Contains(got, c.untouched) {
				t.Errorf("%q", s.resources)
			}
		})
	}
}
