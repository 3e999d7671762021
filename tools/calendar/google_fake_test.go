package calendar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"techo/tools"
	"techo/tools/calendar/google"
)

// fakeGoogle imitates the Calendar API: pages, including an empty one, etags, IDs
// chosen by the client, freeBusy with omitted calendars, and queued failures.
type fakeGoogle struct {
	mu     sync.Mutex
	events map[string]*google.Event
	serial int
	page   int                              // events per page
	fail   []func(http.ResponseWriter) bool // handlers of the next requests; true if the handler answered
	lose   int                              // number of a request that is executed but answered with 503
	omit   bool                             // freeBusy omits the calendar
	log    []string
	tokens []bool // whether each call requested a new token
}

func status(code int, reason string, header ...string) func(http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"code":%d,"message":"said","errors":[{"reason":%q}]}}`, code, reason)
		return true
	}
}

func cutOff(w http.ResponseWriter) bool {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, `{"items":[`)
	return true
}

func (g *fakeGoogle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.log = append(g.log, r.Method+" "+r.URL.Path)
	if len(g.fail) > 0 {
		f := g.fail[0]
		if g.fail = g.fail[1:]; f != nil && f(w) {
			return
		}
	}
	if len(g.log) == g.lose {
		g.answer(httptest.NewRecorder(), r)
		status(503, "backendError")(w)
		return
	}
	g.answer(w, r)
}

func (g *fakeGoogle) answer(w http.ResponseWriter, r *http.Request) {
	say := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	id, isEvent := strings.CutPrefix(r.URL.Path, "/calendars/primary/events/")
	switch {
	case r.URL.Path == "/freeBusy":
		g.freeBusy(w, r)
	case r.Method == "GET" && !isEvent:
		g.list(w, r)
	case r.Method == "POST":
		var e google.Event
		_ = json.NewDecoder(r.Body).Decode(&e)
		if g.events[e.ID] != nil {
			status(409, "duplicate")(w)
			return
		}
		e.ICalUID = e.ID + "@google.com"
		g.put(&e)
		say(e)
	case r.Method == "GET" && strings.HasSuffix(id, "/instances"):
		master := g.events[strings.TrimSuffix(id, "/instances")]
		at, _ := time.Parse(time.RFC3339, master.Start.DateTime)
		say(map[string]any{"items": []any{g.instance(master.ID + "_" + at.UTC().Format("20060102T150405Z"))}})
	case g.events[id] == nil && r.Method == "GET" && g.instance(id) != nil:
		say(g.instance(id))
	case g.events[id] == nil:
		status(404, "notFound")(w)
	case g.events[id].Status == "cancelled" && r.Method == "DELETE":
		status(410, "deleted")(w)
	case r.Method == "GET":
		say(g.events[id])
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != g.events[id].Etag:
		status(412, "conditionNotMet")(w)
	case r.Method == "PATCH":
		e := *g.events[id]
		e.Recurrence = slices.Clone(e.Recurrence)
		_ = json.NewDecoder(r.Body).Decode(&e)
		g.put(&e)
		say(e)
	case r.Method == "DELETE":
		g.events[id].Status = "cancelled"
		w.WriteHeader(204)
	}
}

// instance returns an occurrence of a series without checking its rule.
func (g *fakeGoogle) instance(id string) *google.Event {
	i := strings.LastIndexByte(id, '_')
	if i < 0 || g.events[id[:i]] == nil || g.events[id[:i]].Status == "cancelled" {
		return nil
	}
	master := g.events[id[:i]]
	at, err := time.Parse("20060102T150405Z", id[i+1:])
	if err != nil {
		return nil
	}
	from, _ := time.Parse(time.RFC3339, master.Start.DateTime)
	to, _ := time.Parse(time.RFC3339, master.End.DateTime)
	e := *master
	e.ID, e.RecurringEventID, e.Recurrence = id, master.ID, nil
	e.Start = &google.Time{DateTime: at.Format(time.RFC3339), TimeZone: master.Start.TimeZone}
	e.End = &google.Time{DateTime: at.Add(to.Sub(from)).Format(time.RFC3339), TimeZone: master.Start.TimeZone}
	e.OriginalStart = e.Start
	return &e
}

func (g *fakeGoogle) put(e *google.Event) {
	g.serial++
	e.Etag = fmt.Sprintf(`"%d"`, g.serial)
	g.events[e.ID] = e
}

func (g *fakeGoogle) list(w http.ResponseWriter, r *http.Request) {
	from, _ := time.Parse(time.RFC3339, r.URL.Query().Get("timeMin"))
	to, _ := time.Parse(time.RFC3339, r.URL.Query().Get("timeMax"))
	items := []*google.Event{}
	for _, e := range g.events {
		o, ok := e.Occurrence(&tools.Env{Zone: time.UTC, Now: time.Now}, "g")
		if ok && e.Status != "cancelled" && o.From.Before(to) && o.To.After(from) {
			items = append(items, e)
		}
	}
	slices.SortFunc(items, func(a,
		b *google.Event) int {
		return strings.Compare(a.Start.DateTime+a.ID, b.Start.DateTime+b.ID)
	})
	answer := map[string]any{"items": []any{}, "nextPageToken": "0"} // the first page is empty and has a next page
	if token := r.URL.Query().Get("pageToken"); token != "" {
		at := 0
		fmt.Sscan(token, &at)
		end := min(at+g.page, len(items))
		answer = map[string]any{"items": items[at:end]}
		if end < len(items) {
			answer["nextPageToken"] = fmt.Sprint(end)
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (g *fakeGoogle) freeBusy(w http.ResponseWriter, r *http.Request) {
	var in struct {
		TimeMin, TimeMax time.Time
		Items            []struct{ ID string }
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	if in.TimeMax.Sub(in.TimeMin) > 61*24*time.Hour {
		status(400, "timeRangeTooLong")(w)
		return
	}
	busy := []map[string]string{}
	for _, e := range g.events {
		if e.Status != "cancelled" && e.Transparency != "transparent" && e.Start.DateTime != "" {
			at, _ := time.Parse(time.RFC3339, e.Start.DateTime)
			if !at.Before(in.TimeMin) && at.Before(in.TimeMax) {
				busy = append(busy, map[string]string{"start": e.Start.DateTime, "end": e.End.DateTime})
			}
		}
	}
	if len(in.Items) > 50 {
		status(400, "tooManyCalendarsRequested")(w)
		return
	}
	calendars := map[string]any{}
	for _, item := range in.Items {
		switch {
		case g.omit:
		case item.ID == "missing":
			calendars[item.ID] = map[string]any{"errors": []map[string]string{{"domain": "global",
				"reason": "notFound"}}}
		default:
			calendars[item.ID] = map[string]any{"busy": busy}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"calendars": calendars})
}
