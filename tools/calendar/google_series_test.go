package calendar

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/free"
	"techo/tools/calendar/googletest"
)

// seriesAtGoogle creates a series on Mondays and returns its ID.
func seriesAtGoogle(t *testing.T) (*googletest.Server, *tools.Env, string) {
	t.Helper()
	double, env := onDouble(t, "Asia/Tokyo")
	m := must(t, env, Create,
		`{"title":"weekly","start":"2026-01-05T10:00","recurrence":"FREQ=WEEKLY;BYDAY=MO;COUNT=10","calendar":"g"}`)
	return double, env, m["event"].(map[string]any)["event_id"].(string)
}

// seriesOf returns start, title and rule of the series at Google.
func seriesOf(double *googletest.Server) (all []string) {
	for _, e := range double.Events("a", "primary") {
		if e["status"] != "cancelled" {
			start := e["start"].(map[string]any)["dateTime"].(string)
			all = append(all, fmt.Sprint(start[:16], " ", e["summary"], " ", strings.Trim(fmt.Sprint(e["recurrence"]), "[]")))
		}
	}
	slices.Sort(all)
	return all
}

func TestGoogleSeries(t *testing.T) {
	const third = "_20260119T010000Z"
	for name, c := range map[string]struct {
		tool  *tools.Tool
		input string // the input without the ID
		want  []string
	}{
		"following": {Update, third + `","scope":"following","title":"new"`, []string{
			"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;UNTIL=20260119T005959Z;BYDAY=MO",
			"2026-01-19T10:00 new RRULE:FREQ=WEEKLY;COUNT=8;BYDAY=MO"}},
		"following, at another time": {Update, third + `","scope":"following","start":"2026-01-20T15:00"`, []string{
			"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;UNTIL=20260119T005959Z;BYDAY=MO",
			"2026-01-20T15:00 weekly RRULE:FREQ=WEEKLY;COUNT=8;BYDAY=TU"}},
		"following the first": {Update, `_20260105T010000Z","scope":"following","title":"new"`,
			[]string{"2026-01-05T10:00 new RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO"}},
		"all": {Update, third + `","scope":"all","title":"new"`,
			[]string{"2026-01-05T10:00 new RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO"}},
		"all, at another time": {Update, third + `","scope":"all","start":"2026-01-20T15:00","end":"90m"`,
			[]string{"2026-01-06T15:00 weekly RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=TU"}},
		"all, by the series": {Update, `","scope":"all","start":"2026-01-05T09:00"`,
			[]string{"2026-01-05T09:00 weekly RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO"}},
		"all, with a new rule": {Update, third + `","scope":"all","recurrence":["FREQ=DAILY"]`,
			[]string{"2026-01-05T10:00 weekly RRULE:FREQ=DAILY"}},
		"only tried": {Update, third + `","scope":"following","title":"new","dry_run":true`,
			[]string{"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO"}},
		"delete following": {Delete, third + `","scope":"following"`,
			[]string{"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;UNTIL=20260119T005959Z;BYDAY=MO"}},
		"delete all":               {Delete, third + `","scope":"all"`, nil},
		"delete from the first on": {Delete, `","scope":"following"`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			double, env, id := seriesAtGoogle(t)
			if _, e := call(t, env, c.tool, `{"calendar":"g","event_id":"`+id+c.input+`}`); e != nil {
				t.Fatal(e)
			}
			if got := seriesOf(double); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestGoogleSplitFails checks that a series stays complete if a split fails at any
// request, and that a retry finds the result of the first attempt.
func TestGoogleSplitFails(t *testing.T) {
	input := func(id string) string {
		return `{"calendar":"g","event_id":"` + id + `_20260119T010000Z","scope":"following","title":"new"}`
	}
	whole := []string{"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;COUNT=10;BYDAY=MO"}
	split := []string{"2026-01-05T10:00 weekly RRULE:FREQ=WEEKLY;UNTIL=20260119T005959Z;BYDAY=MO",
		"2026-01-19T10:00 new RRULE:FREQ=WEEKLY;COUNT=8;BYDAY=MO"}
	for name, c := range map[string]struct {
		fail googletest.Failure
		code tools.Code
	}{
		"not made":  {googletest.Failure{Method: "POST", Status: 403, Reason: "forbidden"}, tools.Forbidden},
		"not ended": {googletest.Failure{Method: "PATCH", Status: 412, Reason: "conditionNotMet"}, tools.Conflict},
	} {
		double, env, id := seriesAtGoogle(t)
		double.Fail(c.fail)
		if _, e := call(t, env, Update, input(id)); e == nil || e.Code != c.code {
			t.Errorf("%s: %v", name, e)
		}
		if got := seriesOf(double); !slices.Equal(got, whole) {
			t.Errorf("%s: %q", name, got)
		}
		if _, e := call(t, env, Update, input(id)); e != nil {
			t.Errorf("%s: again: %v", name, e)
		}
		if got := seriesOf(double); !slices.Equal(got, split) {
			t.Errorf("%s: again: %q", name, got)
		}
	}
}

// TestGoogleLost checks that a change or deletion happens once and succeeds if its
// first answer is lost.
func TestGoogleLost(t *testing.T) {
	t.Parallel()
	for method, c := range map[string]struct {
		tool  *tools.Tool
		input string
	}{
		"PATCH":  {Update, `,"title":"b"`},
		"DELETE": {Delete, ``},
	} {
		double, env := onDouble(t, "Asia/Tokyo")
		id := must(t, env, Create, `{"title":"a","start":"2026-01-08T10:00","calendar":"g"}`)["event"].(map[string]any)["event_id"]
		double.Requests()
		double.Fail(googletest.Failure{Method: method, Status: 503, Executed: true})
		must(t, env, c.tool, fmt.Sprintf(`{"calendar":"g","event_id":%q%s}`, id, c.input))
		if tries := slices.DeleteFunc(double.Requests(),
			func(r googletest.Request) bool { return r.Method != method }); len(tries) != 2 {
			t.Errorf("%s: tried %d times", method, len(tries))
		}
	}
}

// TestGoogleSeriesConflicts checks that conflicts are found for every occurrence of
// a new series.
func TestGoogleSeriesConflicts(t *testing.T) {
	_, env := onDouble(t, "Asia/Tokyo")
	must(t, env, Create, `{"title":"taken","start":"2026-03-02T10:30","calendar":"g"}`)
	_, e := call(t, env, Create, `{"title":"weekly","start":"2026-01-05T10:00","recurrence":["FREQ=WEEKLY"],
		"if_free":true,"calendar":"g"}`)
	if e == nil || e.Code != tools.Conflict {
		t.Errorf("%v", e)
	}
}

// TestGoogleBusy checks that one request covers fifty calendars, and that calendars
// that could not be read are listed as unchecked.
func TestGoogleBusy(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	st, err := env.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 70 {
		name, remote := fmt.Sprint("c", i), fmt.Sprint("r", i)
		if i != 60 { // it is missing
			double.AddCalendar("a", remote, "Asia/Tokyo")
		}
		to := event.Binding{Kind: event.GoogleCalendar, Remote: remote}
		if err := st.BindCalendar(t.Context(), name, to); err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%q", name))
	}
	list := strings.Join(names, ",")
	double.Requests()
	m, e := call(t, env, free.Check,
		`{"check_type":"day","date":"2026-01-08","calendar":"default","calendars":[`+list+`]}`)
	if v, given := m["available"]; e != nil || v != nil || !given || len(m["checked"].([]any)) != 70 ||
		len(m["unchecked"].([]any)) != 1 {
		t.Errorf("%v, %v", m, e)
	}
	if sent := double.Requests(); len(sent) != 2 {
		t.Errorf("%v", sent)
	}
	m, e = call(t, env, free.Suggest,
		`{"date_from":"2026-01-08","date_to":"2026-01-08","duration_minutes":60,"calendar":"default","calendars":[`+
			list+`],"allow_partial":true}`)
	if e != nil || m["count"] != 5.0 || len(m["unchecked"].([]any)) != 1 {
		t.Errorf("%v, %v", m, e)
	}
	m, e = call(t, env, free.Suggest,
		`{"date_from":"2026-01-08","date_to":"2026-01-08","duration_minutes":60,"calendar":"default","optional":[`+list+
			`]}`)
	if e != nil || m["count"] != 5.0 || len(m["unchecked"].([]any)) != 1 {
		t.Errorf("optional: %v, %v", m, e)
	}
}
