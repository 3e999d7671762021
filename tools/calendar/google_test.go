package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/free"
	"techo/tools/calendar/google"
)

// atGoogle returns an environment whose calendar "g" is at a fake Google.
func atGoogle(t *testing.T) (*fakeGoogle, *tools.Env) {
	t.Helper()
	fake := &fakeGoogle{events: map[string]*google.Event{}, page: 2}
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	st := openStore(t)
	to := event.Binding{Kind: event.GoogleCalendar, Remote: "primary"}
	if err := st.BindCalendar(t.Context(), "g", to); err != nil {
		t.Fatal(err)
	}
	env := envAt(t, st, "Asia/Tokyo", "2026-01-05T00:00:00Z")
	env.Calendars.Google = tools.GoogleSettings{Calendar: server.URL, Token: func(_ context.Context, _ string, renew bool) (string,
		error) {
		fake.tokens = append(fake.tokens, renew)
		return "token", nil
	}}
	return fake, env
}

// countingTransport counts the requests that a client sends.
type countingTransport struct{ sent int }

func (c *countingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	c.sent++
	return http.DefaultTransport.RoundTrip(r)
}

// TestGoogleClient checks that every request uses the client of the environment,
// which obeys the user's proxy settings.
func TestGoogleClient(t *testing.T) {
	fake, env := atGoogle(t)
	transport := new(countingTransport)
	env.HTTP = &http.Client{Transport: transport}
	if _, e := call(t, env, List, `{"calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if len(fake.log) == 0 || transport.sent != len(fake.log) {
		t.Errorf("the client sent %d of %d requests", transport.sent, len(fake.log))
	}
}

// call runs a tool and decodes its result.
func call(t *testing.T, env *tools.Env, tool *tools.Tool, input string) (map[string]any, *tools.Error) {
	t.Helper()
	r, e := tool.Invoke(t.Context(), env, tools.Call{Input: []byte(input), SkipWhen: true})
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
		if _, e := call(t, env, Create,
			fmt.Sprintf(`{"title":"e%d","start":"2026-01-08T1%d:00","calendar":"g"}`, i, i)); e != nil {
			t.Fatal(e)
		}
	}
	m, e := call(t, env, List, `{"date":"2026-01-08","calendar":"g"}`)
	if e != nil || m["count"] != 7.0 {
		t.Fatalf("pages: %v, %v", m["count"], e)
	}
	id := m["events"].([]any)[2].(map[string]any)["event_id"].(string)
	if m, e = call(t, env, Update, `{"event_id":"`+id+`","start":"2026-01-08T20:00","calendar":"g"}`); e != nil ||
		m["event"].(map[string]any)["end"] != "2026-01-08T21:00:00+09:00" {
		t.Fatalf("%v, %v", m, e)
	}
	if m, e = call(t, env, Get, `{"event_id":"`+id+`","calendar":"g"}`); e != nil ||
		m["event"].(map[string]any)["title"] != "e2" {
		t.Fatalf("%v, %v", m, e)
	}
	if _, e = call(t, env, Create,
		`{"title":"x","start":"2026-01-08T20:30","if_free":true,"calendar":"g"}`); e == nil ||
		e.Code != tools.Conflict {
		t.Fatalf("if_free: %v", e)
	}
	m, e = call(t, env, free.Check,
		`{"check_type":"time_slot","date":"2026-01-08","time_from":"12:00","time_to":"13:00","calendar":"g"}`)
	if e != nil || m["available"] != true {
		t.Fatalf("%v, %v", m, e)
	}
	m, e = call(t, env, free.Suggest, `{"date_from":"2026-01-08","date_to":"2026-04-01","duration_minutes":60,
		"strategy":"earliest","calendar":"g"}`)
	if e != nil || m["suggestions"].([]any)[0].(map[string]any)["start"] != "2026-01-08T09:00:00+09:00" {
		t.Fatalf("%v, %v", m, e)
	}
	if n := len(slices.DeleteFunc(slices.Clone(fake.log),
		func(l string) bool { return l != "POST /freeBusy" })); n != 1+2 {
		t.Errorf("%d questions for an hour and for 84 days", n)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e == nil || e.Code != tools.NotFound {
		t.Fatalf("deleted twice: %v", e)
	}
}

// TestGoogleFails checks the specification's message for each failure, and the
// retries of temporary failures.
func TestGoogleFails(t *testing.T) {
	for name, c := range map[string]struct {
		fail []func(http.ResponseWriter) bool
		code tools.Code
		ja   string
	}{
		"401 once": {[]func(http.ResponseWriter) bool{status(401, "authError")}, "", ""},
		"401": {[]func(http.ResponseWriter) bool{status(401, "authError"), status(401, "authError")},
			tools.Unavailable,
			"カレンダーにアクセスできません。認証情報を確認してください。"},
		"403": {[]func(http.ResponseWriter) bool{status(403, "forbidden")}, tools.Forbidden,
			"このカレンダーでその操作をする権限が、Google アカウントにありません。"},
		"404": {[]func(http.ResponseWriter) bool{status(404, "notFound")}, tools.NotFound,
			"指定された予定が見つかりません。"},
		"429": {[]func(http.ResponseWriter) bool{status(429, "", "Retry-After", "60")}, tools.RateLimited,
			"カレンダーへのアクセスが一時的に制限されています。"},
		"403 limited": {[]func(http.ResponseWriter) bool{status(403, "rateLimitExceeded"),
			status(403, "userRateLimitExceeded")}, "", ""},
		"503 once": {[]func(http.ResponseWriter) bool{status(503, "backendError")}, "", ""},
		"503": {slices.Repeat([]func(http.ResponseWriter) bool{status(503, "backendError")}, 4), tools.Upstream,
			"カレンダーサービスに接続できません。"},
		"cut off": {[]func(http.ResponseWriter) bool{cutOff}, "", ""},
		"always cut": {slices.Repeat([]func(http.ResponseWriter) bool{cutOff}, 4), tools.Upstream,
			"カレンダーサービスに接続できません。"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, env := atGoogle(t)
			env.Lang = tools.Japanese
			fake.fail = c.fail
			b, _, err := agenda.Open(t.Context(), env, "g", tools.Reads)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Find(t.Context(), event.Query{From: env.Now(), To: env.Now().AddDate(0, 0, 1)})
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

// TestGoogleOnce checks that a request whose answer was lost, and repeated calls with
// one key, create one event.
func TestGoogleOnce(t *testing.T) {
	fake, env := atGoogle(t)
	input := `{"title":"once","start":"2026-01-08T10:00","calendar":"g"}`
	// The first request arrives, but its answer is lost.
	fake.fail = []func(http.ResponseWriter) bool{nil, nil}
	fake.lose = 3
	for range 3 {
		r, e := Create.Invoke(t.Context(), env, tools.Call{Input: []byte(input), Key: "key"})
		if e != nil {
			t.Fatal(e, r)
		}
	}
	if _, e := Create.Invoke(t.Context(), env,
		tools.Call{Input: []byte(`{"title":"other","start":"2026-01-08T10:00","calendar":"g"}`),
			Key: "key"}); e == nil || e.Code != tools.Conflict {
		t.Errorf("another input: %v", e)
	}
	if len(fake.events) != 1 {
		t.Errorf("%d events", len(fake.events))
	}
}

// TestGoogleKeys checks that a repeated call with the same key returns its event,
// even with if_free, that the same key with another input is a conflict, and that
// users do not share keys.
func TestGoogleKeys(t *testing.T) {
	fake, env := atGoogle(t)
	create := func(user, input string) (map[string]any, *tools.Error) {
		t.Helper()
		env.User = user
		r, e := Create.Invoke(t.Context(), env, tools.Call{Input: []byte(input), Key: "key"})
		if e != nil {
			return nil, e
		}
		var m map[string]any
		if err := json.Unmarshal(r.JSON, &m); err != nil {
			t.Fatal(err)
		}
		return m, nil
	}
	const input = `{"title":"once","start":"2026-01-08T10:00","if_free":true,"calendar":"g"}`
	first, e := create("tanaka", input)
	if e != nil {
		t.Fatal(e)
	}
	again, e := create("tanaka", input)
	if e != nil || !reflect.DeepEqual(first["event"], again["event"]) || len(again["conflicts"].([]any)) != 0 ||
		len(again["duplicates"].([]any)) != 0 {
		t.Errorf("again: %v, %v", again, e)
	}
	for _, other := range []string{
		`{"title":"once","start":"2026-01-08T10:00","end":"2026-01-08T10:30","if_free":true,"calendar":"g"}`,
		`{"title":"once","start":"2026-01-08T10:00","location":"Room A","if_free":true,"calendar":"g"}`,
		`{"title":"once","start":"2026-01-08T10:00","description":"text","if_free":true,"calendar":"g"}`,
		`{"title":"once","start":"2026-01-08T10:00","calendar":"g"}`,
	} {
		if _, e := create("tanaka", other); e == nil || e.Code != tools.Conflict {
			t.Errorf("%s: %v", other, e)
		}
	}
	theirs, e := create("suzuki", `{"title":"theirs","start":"2026-01-08T12:00","calendar":"g"}`)
	if e != nil || theirs["event"].(map[string]any)["title"] != "theirs" || len(fake.events) != 2 {
		t.Errorf("another user's key: %v, %v, %d events", theirs, e, len(fake.events))
	}
	// A later event does not change the answer.
	if _, e := create("sato", `{"title":"later","start":"2026-01-08T10:30","calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if again, e = create("tanaka", input); e != nil || len(again["conflicts"].([]any)) != 1 {
		t.Errorf("beside a later event: %v, %v", again, e)
	}
}

// TestGoogleUnchecked checks that an unread calendar never counts as free.
func TestGoogleUnchecked(t *testing.T) {
	fake, env := atGoogle(t)
	fake.omit = true
	m, e := call(t, env, free.Suggest, `{"date_from":"2026-01-08","date_to":"2026-01-09","duration_minutes":60,
		"calendar":"default","calendars":["g"]}`)
	if e != nil || m["reason"] != "calendar_unchecked" || m["count"] != 0.0 || m["checked"].([]any)[0] != "default" {
		t.Errorf("%v, %v", m, e)
	}
	fake.fail = []func(http.ResponseWriter) bool{status(404, "notFound")}
	m, e = call(t, env, free.Check, `{"check_type":"day","date":"2026-01-08","calendar":"default","calendars":["g"]}`)
	if v, given := m["available"]; e != nil || v != nil || !given || len(m["unchecked"].([]any)) != 1 {
		t.Errorf("%v, %v", m, e)
	}
}

// TestGoogleChanged checks that an update fails and changes nothing if the event
// changed in the meantime.
func TestGoogleChanged(t *testing.T) {
	fake, env := atGoogle(t)
	m, e := call(t, env, Create, `{"title":"a","start":"2026-01-08T10:00","calendar":"g"}`)
	if e != nil {
		t.Fatal(e)
	}
	id := m["event"].(map[string]any)["event_id"].(string)
	// after the read and the search for conflicts
	fake.fail = []func(http.ResponseWriter) bool{nil, nil, nil, func(http.ResponseWriter) bool {
		e := *fake.events[id]
		fake.put(&e)
		return false
	}}
	if _, e = call(t, env, Update, `{"event_id":"`+id+`","title":"b","calendar":"g"}`); e == nil ||
		e.Code != tools.Conflict || fake.events[id].Summary != "a" {
		t.Errorf("%v", e)
	}
}
