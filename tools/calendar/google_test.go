package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/free"
	"techo/tools/calendar/googletest"
)

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestGoogleClient checks that every request uses the client of the environment,
// which obeys the user's proxy settings.
func TestGoogleClient(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	sent := 0
	env.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		sent++
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, e := call(t, env, List, `{"calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if n := len(double.Requests()); n == 0 || sent != n {
		t.Errorf("the client sent %d of %d requests", sent, n)
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
	double, env := onDouble(t, "Asia/Tokyo")
	double.PageSize = 2
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
	if n := len(slices.DeleteFunc(double.Requests(),
		func(r googletest.Request) bool { return r.Path != "/freeBusy" })); n != 1+2 {
		t.Errorf("%d questions for an hour and for 84 days", n)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e != nil {
		t.Fatal(e)
	}
	if _, e = call(t, env, Delete, `{"event_id":"`+id+`","calendar":"g"}`); e == nil || e.Code != tools.NotFound {
		t.Fatalf("deleted twice: %v", e)
	}
}

// TestGoogleRetries checks what is tried again, and the specification's message where that
// does not help.
func TestGoogleRetries(t *testing.T) {
	refused := googletest.Failure{Status: 401, Reason: "authError"}
	lost, cut := googletest.Failure{Status: 503, Reason: "backendError"}, googletest.Failure{CutOff: true}
	for name, c := range map[string]struct {
		fail []googletest.Failure
		code tools.Code
		ja   string
	}{
		"401 once": {[]googletest.Failure{refused}, "", ""},
		"401": {[]googletest.Failure{refused, refused}, tools.Unavailable,
			"カレンダーにアクセスできません。認証情報を確認してください。"},
		"403 limited": {[]googletest.Failure{{Status: 403, Reason: "rateLimitExceeded"},
			{Status: 403, Reason: "userRateLimitExceeded"}}, "", ""},
		"503 once": {[]googletest.Failure{lost}, "", ""},
		"cut off":  {[]googletest.Failure{cut}, "", ""},
		"always cut": {slices.Repeat([]googletest.Failure{cut}, 4), tools.Upstream,
			"カレンダーサービスに接続できません。"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			double, env := onDouble(t, "Asia/Tokyo")
			var renewed []bool // whether each request asked for a new token
			env.Calendars.Google.Token = func(_ context.Context, _ string, renew bool) (string, error) {
				renewed = append(renewed, renew)
				return "access-a-0", nil
			}
			env.Lang = tools.Japanese
			double.Fail(c.fail...)
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
			if strings.HasPrefix(name, "401") && (len(renewed) < 2 || !renewed[1]) {
				t.Errorf("the token was not renewed: %v", renewed)
			}
		})
	}
}

// TestGoogleOnce checks that a request whose answer was lost, and repeated calls with
// one key, create one event.
func TestGoogleOnce(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	input := `{"title":"once","start":"2026-01-08T10:00","calendar":"g"}`
	double.Fail(googletest.Failure{Method: "POST", Part: "/events", Status: 503, Executed: true})
	for range 3 {
		r, e := Create.Invoke(t.Context(), env, tools.Call{Input: []byte(input), Key: "key"})
		if e != nil {
			t.Fatal(e, r)
		}
	}
	if n := len(double.Events("a", "primary")); n != 1 {
		t.Errorf("%d events", n)
	}
}

// TestGoogleKeys checks that a repeated call with the same key returns its event,
// even with if_free, that the same key with another input is a conflict, and that
// users do not share keys.
func TestGoogleKeys(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
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
	if e != nil || theirs["event"].(map[string]any)["title"] != "theirs" ||
		len(double.Events("a", "primary")) != 2 {
		t.Errorf("another user's key: %v, %v, %v", theirs, e, double.Events("a", "primary"))
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
	double, env := onDouble(t, "Asia/Tokyo")
	double.Fail(googletest.Failure{Part: "/freeBusy", Status: 200}) // an answer without the calendar
	m, e := call(t, env, free.Suggest, `{"date_from":"2026-01-08","date_to":"2026-01-09","duration_minutes":60,
		"calendar":"default","calendars":["g"]}`)
	if e != nil || m["reason"] != "calendar_unchecked" || m["count"] != 0.0 || m["checked"].([]any)[0] != "default" {
		t.Errorf("%v, %v", m, e)
	}
	double.Fail(googletest.Failure{Status: 404, Reason: "notFound"})
	m, e = call(t, env, free.Check, `{"check_type":"day","date":"2026-01-08","calendar":"default","calendars":["g"]}`)
	if v, given := m["available"]; e != nil || v != nil || !given || len(m["unchecked"].([]any)) != 1 {
		t.Errorf("%v, %v", m, e)
	}
}

// TestGoogleChanged checks that an update fails and changes nothing if the event
// changed in the meantime.
func TestGoogleChanged(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	m := must(t, env, Create, `{"title":"a","start":"2026-01-08T10:00","calendar":"g"}`)
	id := m["event"].(map[string]any)["event_id"].(string)
	env.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch { // after the read and the search for conflicts
			double.Put("a", "primary", double.Events("a", "primary")[id])
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, e := call(t, env, Update, `{"event_id":"`+id+`","title":"b","calendar":"g"}`); e == nil ||
		e.Code != tools.Conflict || double.Events("a", "primary")[id]["summary"] != "a" {
		t.Errorf("%v", e)
	}
}
