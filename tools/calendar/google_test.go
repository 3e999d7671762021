package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"techo/store"
	"techo/tools"
)

// fakeGoogle behaves as the Calendar API does: pages (an empty one among them),
// etags, ids of the caller's choice, free and busy with calendars that are left
// out, and whatever failures are queued.
type fakeGoogle struct {
	mu     sync.Mutex
	events map[string]*googleEvent
	serial int
	page   int                              // events of a page
	fail   []func(http.ResponseWriter) bool // of the next requests; true is that it answered
	lose   int                              // the number of a request that is done and answered with 503
	omit   bool                             // freeBusy leaves the calendar out
	log    []string
	tokens []bool // whether a new token was asked for
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
		var e googleEvent
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

// instance makes up an occurrence of a series, whether its rule has it or not.
func (g *fakeGoogle) instance(id string) *googleEvent {
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
	e.Start = &googleTime{DateTime: at.Format(time.RFC3339), TimeZone: master.Start.TimeZone}
	e.End = &googleTime{DateTime: at.Add(to.Sub(from)).Format(time.RFC3339), TimeZone: master.Start.TimeZone}
	e.OriginalStart = e.Start
	return &e
}

func (g *fakeGoogle) put(e *googleEvent) {
	g.serial++
	e.Etag = fmt.Sprintf(`"%d"`, g.serial)
	g.events[e.ID] = e
}

func (g *fakeGoogle) list(w http.ResponseWriter, r *http.Request) {
	from, _ := time.Parse(time.RFC3339, r.URL.Query().Get("timeMin"))
	to, _ := time.Parse(time.RFC3339, r.URL.Query().Get("timeMax"))
	items := []*googleEvent{}
	for _, e := range g.events {
		o, ok := e.occurrence(&tools.Env{Zone: time.UTC, Now: time.Now}, "g")
		if ok && e.Status != "cancelled" && o.From.Before(to) && o.To.After(from) {
			items = append(items, e)
		}
	}
	slices.SortFunc(items, func(a, b *googleEvent) int { return strings.Compare(a.Start.DateTime+a.ID, b.Start.DateTime+b.ID) })
	answer := map[string]any{"items": []any{}, "nextPageToken": "0"} // the first page is empty, and has a next one
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
			calendars[item.ID] = map[string]any{"errors": []map[string]string{{"domain": "global", "reason": "notFound"}}}
		default:
			calendars[item.ID] = map[string]any{"busy": busy}
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"calendars": calendars})
}

// atGoogle makes an environment whose calendar "g" is at a fake Google.
func atGoogle(t *testing.T) (*fakeGoogle, *tools.Env) {
	t.Helper()
	fake := &fakeGoogle{events: map[string]*googleEvent{}, page: 2}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	st := openStore(t)
	if err := st.BindCalendar(t.Context(), "g", store.GoogleCalendar, "primary"); err != nil {
		t.Fatal(err)
	}
	env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	env.Google = tools.Google{Calendar: server.URL, Token: func(_ context.Context, renew bool) (string, error) {
		fake.tokens = append(fake.tokens, renew)
		return "token", nil
	}}
	return fake, env
}

// call runs a tool and reads its answer.
func call(t *testing.T, env *tools.Env, tool *tools.Tool, input string) (map[string]any, *tools.Error) {
	t.Helper()
	r, e := tool.Invoke(t.Context(), env, tools.Call{Input: []byte(input), Typed: true})
	if e != nil {
		return nil, e
	}
	var m map[string]any
	if err := json.Unmarshal(r.JSON, &m); err != nil {
		t.Fatal(err)
	}
	return m, nil
}

func TestGoogle(t *testing.T) {
	fake, env := atGoogle(t)
	for i := range 7 {
		if _, e := call(t, env, Create, fmt.Sprintf(`{"title":"e%d","start":"2026-01-08T1%d:00","calendar":"g"}`, i, i)); e != nil {
			t.Fatal(e)
		}
	}
	m, e := call(t, env, List, `{"date":"2026-01-08","calendar":"g"}`)
	if e != nil || m["count"] != 7.0 {
		t.Fatalf("pages: %v, %v", m["count"], e)
	}
	id := m["events"].([]any)[2].(map[string]any)["event_id"].(string)
	if m, e = call(t, env, Update, `{"event_id":"`+id+`","start":"2026-01-08T20:00","calendar":"g"}`); e != nil || m["event"].(map[string]any)["end"] != "2026-01-08T21:00:00+09:00" {
		t.Fatalf("%v, %v", m, e)
	}
	if m, e = call(t, env, Get, `{"event_id":"`+id+`","calendar":"g"}`); e != nil || m["event"].(map[string]any)["title"] != "e2" {
		t.Fatalf("%v, %v", m, e)
	}
	if _, e = call(t, env, Create, `{"title":"x","start":"2026-01-08T20:30","if_free":true,"calendar":"g"}`); e == nil || e.Code != tools.Conflict {
		t.Fatalf("if_free: %v", e)
	}
	if m, e = call(t, env, Check, `{"check_type":"time_slot","date":"2026-01-08","time_from":"12:00","time_to":"13:00","calendar":"g"}`); e != nil || m["available"] != true {
		t.Fatalf("%v, %v", m, e)
	}
	if m, e = call(t, env, Suggest, `{"date_from":"2026-01-08","date_to":"2026-04-01","duration_minutes":60,"strategy":"earliest","calendar":"g"}`); e != nil || m["suggestions"].([]any)[0].(map[string]any)["start"] != "2026-01-08T09:00:00+09:00" {
		t.Fatalf("%v, %v", m, e)
	}
	if n := len(slices.DeleteFunc(slices.Clone(fake.log), func(l string) bool { return l != "POST /freeBusy" })); n != 1+2 {
		t.Errorf("%d questions for an hour and for 84 days", n)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e == nil || e.Code != tools.NotFound {
		t.Fatalf("deleted twice: %v", e)
	}
}

// TestGoogleFails wants each failure to be told in the specification's
// sentence, and what may go well a moment later to be tried again.
func TestGoogleFails(t *testing.T) {
	for name, c := range map[string]struct {
		fail []func(http.ResponseWriter) bool
		code tools.Code
		ja   string
	}{
		"401 once":    {[]func(http.ResponseWriter) bool{status(401, "authError")}, "", ""},
		"401":         {[]func(http.ResponseWriter) bool{status(401, "authError"), status(401, "authError")}, tools.Unavailable, "カレンダーにアクセスできません。認証情報を確認してください。"},
		"403":         {[]func(http.ResponseWriter) bool{status(403, "forbidden")}, tools.Forbidden, "カレンダーにアクセスできません。認証情報を確認してください。"},
		"404":         {[]func(http.ResponseWriter) bool{status(404, "notFound")}, tools.NotFound, "指定された予定が見つかりません。"},
		"429":         {[]func(http.ResponseWriter) bool{status(429, "", "Retry-After", "60")}, tools.RateLimited, "カレンダーへのアクセスが一時的に制限されています。"},
		"403 limited": {[]func(http.ResponseWriter) bool{status(403, "rateLimitExceeded"), status(403, "userRateLimitExceeded")}, "", ""},
		"503 once":    {[]func(http.ResponseWriter) bool{status(503, "backendError")}, "", ""},
		"503":         {slices.Repeat([]func(http.ResponseWriter) bool{status(503, "backendError")}, 4), tools.Upstream, "カレンダーサービスに接続できません。"},
		"cut off":     {[]func(http.ResponseWriter) bool{cutOff}, "", ""},
		"always cut":  {slices.Repeat([]func(http.ResponseWriter) bool{cutOff}, 4), tools.Upstream, "カレンダーサービスに接続できません。"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, env := atGoogle(t)
			env.Lang = tools.Japanese
			fake.fail = c.fail
			b, err := backendOf(t.Context(), env, "g", tools.Reads)
			if err != nil {
				t.Fatal(err)
			}
			g := b.(google)
			g.api.pause = time.Millisecond
			_, err = g.find(t.Context(), store.EventQuery{From: env.Now(), To: env.Now().AddDate(0, 0, 1)})
			said := new(tools.Error)
			switch {
			case c.code == "" && err != nil:
				t.Error(err)
			case c.code != "" && (!errors.As(err, &said) || said.Code != c.code || said.Message != c.ja):
				t.Errorf("%v", err)
			}
			if strings.HasPrefix(name, "401") && (len(fake.tokens) < 2 || !fake.tokens[1]) {
				t.Errorf("the token was not renewed: %v", fake.tokens)
			}
		})
	}
}

// TestGoogleOnce wants a request whose answer was lost to make one event, and
// the same key one, too.
func TestGoogleOnce(t *testing.T) {
	fake, env := atGoogle(t)
	input := `{"title":"once","start":"2026-01-08T10:00","calendar":"g"}`
	// The first request that makes it arrives, and its answer is lost.
	fake.fail = []func(http.ResponseWriter) bool{nil, nil}
	fake.lose = 3
	for range 3 {
		r, e := Create.Invoke(t.Context(), env, tools.Call{Input: []byte(input), Key: "key"})
		if e != nil {
			t.Fatal(e, r)
		}
	}
	if _, e := Create.Invoke(t.Context(), env, tools.Call{Input: []byte(`{"title":"other","start":"2026-01-08T10:00","calendar":"g"}`), Key: "key"}); e == nil || e.Code != tools.Conflict {
		t.Errorf("another input: %v", e)
	}
	if len(fake.events) != 1 {
		t.Errorf("%d events", len(fake.events))
	}
}

// TestGoogleUnchecked wants what could not be read never to count as free.
func TestGoogleUnchecked(t *testing.T) {
	fake, env := atGoogle(t)
	fake.omit = true
	m, e := call(t, env, Suggest, `{"date_from":"2026-01-08","date_to":"2026-01-09","duration_minutes":60,"calendar":"default","calendars":["g"]}`)
	if e != nil || m["reason"] != "calendar_unchecked" || m["count"] != 0.0 || m["checked"].([]any)[0] != "default" {
		t.Errorf("%v, %v", m, e)
	}
	fake.fail = []func(http.ResponseWriter) bool{status(404, "notFound")}
	m, e = call(t, env, Check, `{"check_type":"day","date":"2026-01-08","calendar":"default","calendars":["g"]}`)
	if v, given := m["available"]; e != nil || v != nil || !given || len(m["unchecked"].([]any)) != 1 {
		t.Errorf("%v, %v", m, e)
	}
}

// TestGoogleChanged wants an event that somebody changed meanwhile to be left
// as it is.
func TestGoogleChanged(t *testing.T) {
	fake, env := atGoogle(t)
	m, e := call(t, env, Create, `{"title":"a","start":"2026-01-08T10:00","calendar":"g"}`)
	if e != nil {
		t.Fatal(e)
	}
	id := m["event"].(map[string]any)["event_id"].(string)
	fake.fail = []func(http.ResponseWriter) bool{nil, nil, nil, func(http.ResponseWriter) bool { // after it was read, and what it meets
		e := *fake.events[id]
		fake.put(&e)
		return false
	}}
	if _, e = call(t, env, Update, `{"event_id":"`+id+`","title":"b","calendar":"g"}`); e == nil || e.Code != tools.Conflict || fake.events[id].Summary != "a" {
		t.Errorf("%v", e)
	}
}
