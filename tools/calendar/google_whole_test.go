package calendar

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"techo/internal/ical"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/googletest"
)

// onDouble returns an environment whose calendar "g" is at a double of Google.
func onDouble(t *testing.T, tz string) (*googletest.Server, *tools.Env) {
	t.Helper()
	double := googletest.New("a")
	double.AddCalendar("a", "primary", tz)
	server := httptest.NewServer(double)
	t.Cleanup(server.Close)
	st := openStore(t)
	to := event.Binding{Kind: event.GoogleCalendar, Remote: "primary"}
	if err := st.BindCalendar(t.Context(), "g", to); err != nil {
		t.Fatal(err)
	}
	env := envAt(t, st, tz, "2026-01-05T00:00:00Z")
	env.Calendars.Google = tools.GoogleSettings{Calendar: server.URL + "/calendar/v3",
		Token: func(context.Context, string, bool) (string, error) { return "access-a-0", nil }}
	return double, env
}

// must calls a tool that must succeed.
func must(t *testing.T, env *tools.Env, tool *tools.Tool, input string) map[string]any {
	t.Helper()
	m, e := call(t, env, tool, input)
	if e != nil {
		t.Fatalf("%s: %v %v", input, e, e.Details)
	}
	return m
}

// startsAndTitles lists the events of a month as "2026-01-05T10:00:00+09:00 title".
func startsAndTitles(t *testing.T, env *tools.Env, calendar string) (all []string) {
	t.Helper()
	m := must(t, env, List, fmt.Sprintf(`{"date_from":"2026-01-01","date_to":"2026-02-28","calendar":%q}`, calendar))
	for _, x := range m["events"].([]any) {
		x := x.(map[string]any)
		all = append(all, fmt.Sprint(x["start"], " ", x["title"]))
	}
	return all
}

// TestGoogleKeepsInstant changes the title of an event in the second of two equal
// hours: nothing else is sent.
func TestGoogleKeepsInstant(t *testing.T) {
	double, env := onDouble(t, "America/New_York")
	id := double.Put("a", "primary", googletest.Event{"summary": "a",
		"start": map[string]any{"dateTime": "2026-11-01T01:15:00-05:00", "timeZone": "America/New_York"},
		"end":   map[string]any{"dateTime": "2026-11-01T01:45:00-05:00", "timeZone": "America/New_York"}})
	double.Requests()
	for _, change := range []string{`"title":"b"`, `"location":"x"`, `"busy":false`} {
		m := must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g",%s}`, id, change))
		if got := m["event"].(map[string]any)["start"]; got != "2026-11-01T01:15:00-05:00" {
			t.Errorf("%s: %v", change, got)
		}
	}
	for _, r := range double.Requests() {
		if r.Method == "PATCH" && (len(r.Body) != 1 || r.Body["start"] != nil) {
			t.Errorf("patched %v", r.Body)
		}
	}
	m := must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g","end":"45m"}`, id))
	if got := m["event"].(map[string]any); got["start"] != "2026-11-01T01:15:00-05:00" ||
		got["end"] != "2026-11-01T02:00:00-05:00" {
		t.Errorf("%v to %v", got["start"], got["end"])
	}
}

// TestGoogleAllDay changes a timed event into an all-day event and back.
func TestGoogleAllDay(t *testing.T) {
	_, env := onDouble(t, "Asia/Tokyo")
	m := must(t, env, Create, `{"title":"a","start":"2026-01-08T10:00","calendar":"g"}`)
	id := m["event"].(map[string]any)["event_id"]
	m = must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"start":"2026-01-08","calendar":"g"}`, id))
	if got := m["event"].(map[string]any); got["all_day"] != true || got["end"] != "2026-01-09" {
		t.Errorf("%v", got)
	}
	m = must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"start":"2026-01-08T15:00","calendar":"g"}`, id))
	if got := m["event"].(map[string]any); got["start"] != "2026-01-08T15:00:00+09:00" {
		t.Errorf("%v", got)
	}
}

// TestGoogleEndOfSeries removes the recurrence of a series.
func TestGoogleEndOfSeries(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	m := must(t, env, Create,
		`{"title":"a","start":"2026-01-08T10:00","recurrence":"FREQ=DAILY;COUNT=3","calendar":"g"}`)
	id := m["event"].(map[string]any)["event_id"].(string)
	must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"recurrence":[],"scope":"all","calendar":"g"}`, id))
	if e := double.Events("a", "primary")[id]; e["recurrence"] != nil {
		t.Errorf("%v", e["recurrence"])
	}
	if got := startsAndTitles(t, env, "g"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// TestGoogleDivide divides a series with guests, reminders, a visibility and
// exceptions. The new series has all of them.
func TestGoogleDivide(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	master := double.Put("a", "primary", googletest.Event{"id": "daily00", "summary": "daily",
		"start":          map[string]any{"dateTime": "2026-01-05T10:00:00+09:00", "timeZone": "Asia/Tokyo"},
		"end":            map[string]any{"dateTime": "2026-01-05T10:30:00+09:00", "timeZone": "Asia/Tokyo"},
		"recurrence":     []string{"RRULE:FREQ=DAILY;COUNT=10"},
		"attendees":      []any{map[string]any{"email": "b@example.com", "responseStatus": "accepted"}},
		"reminders":      map[string]any{"useDefault": false, "overrides": []any{map[string]any{"minutes": 7}}},
		"visibility":     "private",
		"colorId":        "5",
		"conferenceData": map[string]any{"conferenceId": "abc"}})
	must(t, env, Delete, fmt.Sprintf(`{"event_id":"%s_20260109T010000Z","calendar":"g"}`, master))
	must(t, env, Update, fmt.Sprintf(`{"event_id":"%s_20260110T010000Z","start":"2026-01-10T15:00","title":"moved",`+
		`"calendar":"g"}`, master))
	m := must(t, env, Update, fmt.Sprintf(`{"event_id":"%s_20260107T010000Z","title":"new","start":"2026-01-07T11:00",`+
		`"scope":"following","calendar":"g"}`, master))
	id, _, _ := strings.Cut(m["event"].(map[string]any)["event_id"].(string), "_")
	made := double.Events("a", "primary")[id]
	for _, name := range []string{"attendees", "reminders", "visibility", "colorId", "conferenceData"} {
		if before := double.Events("a", "primary")[master][name]; fmt.Sprint(made[name]) != fmt.Sprint(before) {
			t.Errorf("%s: %v, not %v", name, made[name], before)
		}
	}
	want := []string{"2026-01-05T10:00:00+09:00 daily", "2026-01-06T10:00:00+09:00 daily",
		"2026-01-07T11:00:00+09:00 new", "2026-01-08T11:00:00+09:00 new", "2026-01-10T15:00:00+09:00 moved",
		"2026-01-11T11:00:00+09:00 new", "2026-01-12T11:00:00+09:00 new", "2026-01-13T11:00:00+09:00 new",
		"2026-01-14T11:00:00+09:00 new"}
	if got := startsAndTitles(t, env, "g"); !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	must(t, env, Delete, fmt.Sprintf(`{"event_id":"%s_20260110T020000Z","scope":"following","calendar":"g"}`, id))
	if got := startsAndTitles(t, env, "g"); !slices.Equal(got, want[:4]) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// TestGoogleImport imports a file into a calendar at Google, twice, and exports it.
func TestGoogleImport(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	file := strings.ReplaceAll(`BEGIN:VCALENDAR
BEGIN:VEVENT
UID:one@example.com
SUMMARY:one
DTSTART:20260110T010000Z
DTEND:20260110T020000Z
END:VEVENT
BEGIN:VEVENT
UID:days@example.com
SUMMARY:days
DTSTART;VALUE=DATE:20260112
DTEND;VALUE=DATE:20260114
END:VEVENT
BEGIN:VEVENT
UID:series@example.com
SUMMARY:series
DTSTART;TZID=Asia/Tokyo:20260115T100000
DTEND;TZID=Asia/Tokyo:20260115T110000
RRULE:FREQ=DAILY;COUNT=4
EXDATE;TZID=Asia/Tokyo:20260116T100000
END:VEVENT
BEGIN:VEVENT
UID:series@example.com
SUMMARY:moved
RECURRENCE-ID;TZID=Asia/Tokyo:20260117T100000
DTSTART;TZID=Asia/Tokyo:20260117T150000
DTEND;TZID=Asia/Tokyo:20260117T160000
END:VEVENT
END:VCALENDAR
`, "\n", "\r\n")
	want := []string{"2026-01-10T10:00:00+09:00 one", "2026-01-12 days", "2026-01-15T10:00:00+09:00 series",
		"2026-01-17T15:00:00+09:00 moved", "2026-01-18T10:00:00+09:00 series"}
	for i, n := range []event.Imported{{Added: 3, Changed: 1}, {Unchanged: 4}} {
		got, err := Import(t.Context(), env, "g", ical.OpenBytes([]byte(file)), "")
		if err != nil || got.Added != n.Added || got.Changed != n.Changed || got.Unchanged != n.Unchanged || got.Total != 0 || got.Calendar != "g" {
			t.Errorf("import %d: %+v, %v", i, got, err)
		}
		if got := startsAndTitles(t, env, "g"); !slices.Equal(got, want) {
			t.Errorf("%s", strings.Join(got, "\n"))
		}
	}
	if n := len(double.Events("a", "primary")); n != 4 {
		t.Errorf("%d events", n)
	}
	must(t, env, Delete, `{"event_id":"`+idOf(t, env, "2026-01-18")+`","calendar":"g"}`)
	content, err := wholeContent(t, env, "g")
	if err != nil || content.Name != "g" {
		t.Fatal(err)
	}
	other := openStore(t)
	there := envAt(t, other, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	_, read := importICS(t, there, other, []byte(content.String()))
	if got := startsAndTitles(t, there, ""); read.Total != 0 || !slices.Equal(got, want[:4]) {
		t.Errorf("%v\n%s", read, strings.Join(got, "\n"))
	}
}

// idOf returns the id of the only event on a day of the calendar "g".
func idOf(t *testing.T, env *tools.Env, day string) string {
	t.Helper()
	m := must(t, env, List, fmt.Sprintf(`{"date":%q,"calendar":"g"}`, day))
	return m["events"].([]any)[0].(map[string]any)["event_id"].(string)
}

// TestGoogleOneWinner creates events at the same time with if_free, as programs on
// twenty machines do: no lock holds them back. One stays.
func TestGoogleOneWinner(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	var wins, refused int
	var mu sync.Mutex
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, e := Create.Invoke(t.Context(), env, tools.Call{SkipWhen: true, Input: fmt.Appendf(nil,
				`{"title":"e%d","start":"2026-01-08T10:%02d","if_free":true,"calendar":"g"}`, i, i)})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case e == nil:
				wins++
			case e.Code == tools.Conflict:
				refused++
			default:
				t.Error(e)
			}
		})
	}
	group.Wait()
	if wins != 1 || refused != 19 {
		t.Errorf("%d won, %d were refused", wins, refused)
	}
	left := 0
	for _, e := range double.Events("a", "primary") {
		if e["status"] != "cancelled" {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d events are left", left)
	}
}

// TestGoogleRefusals checks the sentence and the code of each refusal.
func TestGoogleRefusals(t *testing.T) {
	for _, c := range []struct {
		status  int
		reason  string
		code    tools.Code
		retry   bool
		message string
	}{
		{403, "forbidden", tools.Forbidden, false,
			"このカレンダーでその操作をする権限が、Google アカウントにありません。"},
		{403, "quotaExceeded", tools.RateLimited, true,
			"カレンダーへのアクセスが一時的に制限されています。"},
		{404, "notFound", tools.NotFound, false, "指定された予定が見つかりません。"},
		{410, "deleted", tools.NotFound, false, "その予定は削除されています。"},
		{429, "rateLimitExceeded", tools.RateLimited, true,
			"カレンダーへのアクセスが一時的に制限されています。"},
		{500, "backendError", tools.Upstream, true, "カレンダーサービスに接続できません。"},
	} {
		double, env := onDouble(t, "Asia/Tokyo")
		env.Lang = tools.Japanese
		for range 4 {
			double.Fail(googletest.Failure{Status: c.status, Reason: c.reason, RetryAfter: "60"})
		}
		if _, e := call(t, env, Get, `{"event_id":"abcde","calendar":"g"}`); e == nil || e.Code != c.code ||
			e.Retryable != c.retry || !strings.HasSuffix(e.Message, c.message) {
			t.Errorf("%d %s: %+v", c.status, c.reason, e)
		}
	}
}
