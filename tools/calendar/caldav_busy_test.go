package calendar

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/caldav"
	"techo/tools/calendar/free"
)

// busyServer is a CalDAV server that grants only the privilege read-free-busy.
type busyServer struct {
	answer   string   // to a free-busy-query
	status   int      // of the answer; 0 means 200
	accepts  bool     // writes
	ranges   []string // time ranges of the queries
	put      []string // content of written resources
	readable bool     // answers sync-collection, with no events
}

func (s *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, query, isQuery := strings.Cut(string(body), "<c:free-busy-query ")
	switch {
	case r.Method == http.MethodPut && s.accepts:
		s.put = append(s.put, string(body))
		w.WriteHeader(http.StatusCreated)
	case r.Method == "REPORT" && s.readable && !isQuery:
		w.WriteHeader(http.StatusMultiStatus)
		fmt.Fprint(w, `<multistatus xmlns="DAV:"><sync-token>urn:x:1</sync-token></multistatus>`)
	case r.Method == "REPORT" && isQuery:
		_, query, _ = strings.Cut(query, "<c:time-range ")
		times, _, _ := strings.Cut(query, "/>")
		s.ranges = append(s.ranges, times)
		w.WriteHeader(max(s.status, http.StatusOK))
		fmt.Fprint(w, s.answer)
	default:
		w.WriteHeader(http.StatusForbidden)
	}
}

// atBusyServer returns an environment whose calendar "dav" is at a server that
// grants only free-busy.
func atBusyServer(t *testing.T) (*busyServer, *tools.Env) {
	t.Helper()
	s := new(busyServer)
	_, env := boundTo(t, s, "dav", "/boss/")
	return s, env
}

// boundTo returns a store with a calendar at a path of a CalDAV server, and its environment.
func boundTo(t *testing.T, server http.Handler, name, path string) (*store.Store, *tools.Env) {
	t.Helper()
	running := httptest.NewServer(server)
	t.Cleanup(running.Close)
	st := openStore(t)
	to := event.Binding{Kind: event.CalDAVCalendar, Remote: running.URL + path}
	if err := st.BindCalendar(t.Context(), name, to); err != nil {
		t.Fatal(err)
	}
	env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	env.Web.AllowPrivate = true
	return st, env
}

// freeBusyOf returns a calendar with the lines of a VFREEBUSY.
func freeBusyOf(lines ...string) string {
	return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VFREEBUSY\r\n" + strings.Join(append(lines, ""), "\r\n") +
		"END:VFREEBUSY\r\nEND:VCALENDAR\r\n"
}

// slotAt checks an hour of 2026-01-09 in the calendar "dav".
func slotAt(t *testing.T, env *tools.Env, from, more string) map[string]any {
	t.Helper()
	return must(t, env, free.Check, fmt.Sprintf(`{"check_type":"time_slot","date":"2026-01-09","time_from":"%s:00",`+
		`"time_to":"%s:59","calendar":"dav"%s}`, from, from, more))
}

func TestCalDAVFreeBusy(t *testing.T) {
	s, env := atBusyServer(t)
	s.answer = freeBusyOf("FREEBUSY:20260109T010000Z/PT1H,20260109T030000Z/20260109T040000Z",
		"FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260109T050000Z/PT1H", "FREEBUSY;FBTYPE=FREE:20260109T060000Z/PT1H",
		"FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260109T070000Z/PT1H", "FREEBUSY;FBTYPE=X-OTHER:20260109T080000Z/PT1H")
	for from, free := range map[string]bool{"09": true, "10": false, "11": true, "12": false, "14": false, "15": true,
		"16": false, "17": false} {
		if m := slotAt(t, env, from, ""); m["available"] != free {
			t.Errorf("%s: %v", from, m)
		}
	}
	if m := slotAt(t, env, "16", `,"tentative":"free"`); m["available"] != true {
		t.Errorf("tentative: %v", m)
	}
	if want := `start="20260109T005959Z" end="20260109T015901Z"`; !slices.Contains(s.ranges, want) {
		t.Errorf("no query of %s: %q", want, s.ranges)
	}
	m := must(t, env, free.Check,
		`{"check_type":"range","date_from":"2026-01-09","date_to":"2026-01-10","calendar":"dav"}`)
	if fmt.Sprint(m["free_days"]) != "[2026-01-10]" {
		t.Errorf("range: %v", m["free_days"])
	}
	m = must(t, env, free.Suggest, `{"date_from":"2026-01-09","date_to":"2026-01-09","duration_minutes":60,`+
		`"calendar":"dav","preferred_time_from":"10:00","preferred_time_to":"13:00"}`)
	if text := fmt.Sprint(m["suggestions"]); m["count"] != 1.0 || !strings.Contains(text, "start:2026-01-09T11:00") {
		t.Errorf("suggest: %v", m)
	}
	if _, e := call(t, env, Get, `{"event_id":"x","calendar":"dav"}`); e == nil {
		t.Error("an event that cannot be read")
	}
}

// TestCalDAVFreeBusyAdd adds events where only the busy times are known.
func TestCalDAVFreeBusyAdd(t *testing.T) {
	s, env := atBusyServer(t)
	s.answer = freeBusyOf("FREEBUSY:20260109T010000Z/PT1H")
	add := func(start, more string) *tools.Error {
		_, e := call(t, env, Create, `{"title":"x","calendar":"dav","if_free":true,"start":"`+start+`"`+more+`}`)
		return e
	}
	if e := add("2026-01-09T10:30", ""); e == nil || e.Code != tools.Conflict {
		t.Errorf("taken: %v", e)
	}
	if e := add("2026-01-08T10:30", `,"recurrence":"FREQ=DAILY;COUNT=2"`); e == nil || e.Code != tools.Conflict {
		t.Errorf("series that is taken: %v", e)
	}
	if e := add("2026-01-09T12:00", ""); e == nil || e.Code != tools.Forbidden {
		t.Errorf("a server that refuses writes: %v", e)
	}
	s.accepts = true
	if e := add("2026-01-09T12:00", ""); e != nil || len(s.put) != 1 || !strings.Contains(s.put[0], "SUMMARY:x") {
		t.Errorf("free: %v %q", e, s.put)
	}
	s.answer = "nonsense"
	if e := add("2026-01-09T15:00", ""); e == nil || len(s.put) != 1 {
		t.Errorf("an answer that cannot be read: %v %q", e, s.put)
	}
}

// TestCalDAVFreeBusyHostile checks that a bad answer does not mean free.
func TestCalDAVFreeBusyHostile(t *testing.T) {
	s, env := atBusyServer(t)
	far := "FREEBUSY:20260209T010000Z/PT1H"
	for name, answer := range map[string]string{
		"empty": "", "no calendar": "hello", "html": "<html><body>BEGIN</body></html>",
		"cut off":           strings.TrimSuffix(freeBusyOf(far), "END:VCALENDAR\r\n"),
		"cut in the middle": freeBusyOf(far)[:60],
		"two calendars":     freeBusyOf(far) + freeBusyOf(far),
		"no period":         freeBusyOf("FREEBUSY:soon"),
		"no end":            freeBusyOf("FREEBUSY:20260209T010000Z"),
		"empty value":       freeBusyOf("FREEBUSY:"),
		"local time":        freeBusyOf("FREEBUSY:20260209T010000/PT1H"),
		"date":              freeBusyOf("FREEBUSY:20260209/20260210"),
		"ends before start": freeBusyOf("FREEBUSY:20260209T010000Z/20260209T000000Z"),
		"negative":          freeBusyOf("FREEBUSY:20260209T010000Z/-PT1H"),
		"huge duration":     freeBusyOf("FREEBUSY:20260209T010000Z/PT999999999H"),
		"one of two":        freeBusyOf(far + ",x"),
		"another time":      freeBusyOf("DTSTART:20260201T000000Z", "DTEND:20260301T000000Z", far),
		"a part":            freeBusyOf("DTEND:20260109T010000Z", far),
		"typed, no end":     freeBusyOf("FBTYPE:BUSY", "DTSTART:20260209T010000Z"),
		"many":              freeBusyOf(strings.Repeat("FREEBUSY:20260109T000000Z/P1D\r\n", 50_001)),
		"a million":         freeBusyOf("FREEBUSY:" + strings.Repeat("20260109T000000Z/P1D,", 1_000_000)),
		"huge":              freeBusyOf(strings.Repeat("COMMENT:x\r\n", 4<<20/8)),
	} {
		s.answer = answer
		if m := slotAt(t, env, "10", ""); m["available"] != nil || len(m["unchecked"].([]any)) != 1 {
			t.Errorf("%s: %v %v", name, m["available"], m["unchecked"])
		}
	}
	s.answer = freeBusyOf(far)
	for _, status := range []int{http.StatusNoContent, http.StatusMultiStatus, http.StatusForbidden,
		http.StatusNotFound, http.StatusInternalServerError} {
		s.status = status
		if m := slotAt(t, env, "10", ""); m["available"] != nil {
			t.Errorf("%d: %v", status, m)
		}
	}
}

// TestCalDAVFreeBusyComponents reads answers with a component for each period, as
// Radicale has them since 3.2, and without any if nothing is busy.
func TestCalDAVFreeBusyComponents(t *testing.T) {
	s, env := atBusyServer(t)
	s.answer = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//EN\r\nBEGIN:VFREEBUSY\r\nDTSTART:20260109T010000Z\r\n" +
		"DTEND:20260109T020000Z\r\nDTSTAMP:20260101T000000Z\r\nFBTYPE:BUSY\r\nEND:VFREEBUSY\r\nBEGIN:VFREEBUSY\r\n" +
		"DTSTART:20260109T030000Z\r\nDTEND:20260109T040000Z\r\nFBTYPE:FREE\r\nEND:VFREEBUSY\r\nEND:VCALENDAR\r\n"
	for from, free := range map[string]bool{"10": false, "12": true} {
		if m := slotAt(t, env, from, ""); m["available"] != free {
			t.Errorf("%s: %v", from, m)
		}
	}
	s.answer = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n"
	if m := slotAt(t, env, "10", ""); m["available"] != true {
		t.Errorf("nothing busy: %v", m)
	}
}

// TestCalDAVFreeBusyUnused checks that readable events are read as such.
func TestCalDAVFreeBusyUnused(t *testing.T) {
	s, env := atBusyServer(t)
	s.readable = true
	if m := slotAt(t, env, "10", ""); m["available"] != true || len(s.ranges) != 0 {
		t.Errorf("%v %q", m, s.ranges)
	}
}

// TestCalDAVFreeBusyConnect connects a calendar whose server refuses PROPFIND.
func TestCalDAVFreeBusyConnect(t *testing.T) {
	s, env := atBusyServer(t)
	c, err := env.Open(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	dav, err := c.FindCalendar(t.Context(), "dav")
	if err != nil {
		t.Fatal(err)
	}
	s.answer = freeBusyOf()
	if got, err := caldav.Check(t.Context(), env, "", dav.Remote); err != nil || got != dav.Remote {
		t.Errorf("%q %v", got, err)
	}
	s.answer = "hello"
	if got, err := caldav.Check(t.Context(), env, "", dav.Remote); err == nil {
		t.Errorf("without busy times: %q", got)
	}
}
