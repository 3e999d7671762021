package calendar

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"techo/tools/calendar/googletest"
)

// meetingAtGoogle is an event with everything that techo reads, and some that it does
// not.
func meetingAtGoogle() googletest.Event {
	return googletest.Event{"id": "meeting1", "summary": "Meeting", "sequence": 4, "colorId": "11",
		"start":     map[string]any{"dateTime": "2026-01-08T10:00:00+09:00", "timeZone": "Asia/Tokyo"},
		"end":       map[string]any{"dateTime": "2026-01-08T11:00:00+09:00", "timeZone": "Asia/Tokyo"},
		"organizer": map[string]any{"email": "boss@example.com", "self": true},
		"attendees": []any{
			map[string]any{"email": "ann@example.com", "displayName": "Ann", "responseStatus": "accepted",
				"comment": "ok", "additionalGuests": 2},
			map[string]any{"email": "bob@example.com", "responseStatus": "needsAction", "optional": true}},
		"reminders": map[string]any{"useDefault": false, "overrides": []any{
			map[string]any{"method": "email", "minutes": 1440}, map[string]any{"method": "popup", "minutes": 10}}},
		"source":   map[string]any{"title": "Page", "url": "https://example.com/a"},
		"location": "Room", "visibility": "private", "guestsCanModify": true,
		"conferenceData": map[string]any{"x": "y"},
		"extendedProperties": map[string]any{"shared": map[string]any{"s": "kept"},
			"private": map[string]any{"other": "kept", "techo-categories": `Work,A\, B`}}}
}

// asText returns JSON with sorted keys.
func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestGoogleDetails reads the details of an event at Google and changes them one by
// one: nothing else changes.
func TestGoogleDetails(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	id := double.Put("a", "primary", meetingAtGoogle())
	got := must(t, env, Get, fmt.Sprintf(`{"event_id":%q,"calendar":"g"}`, id))["event"].(map[string]any)
	for name, want := range map[string]string{
		"attendees": `[{"email":"ann@example.com","name":"Ann","optional":false,"status":"accepted"},` +
			`{"email":"bob@example.com","name":"","optional":true,"status":"needs-action"}]`,
		"organizer": `"boss@example.com"`, "url": `"https://example.com/a"`, "categories": `["Work","A, B"]`,
		"alarms": `["1d","10m"]`, "color": `"tomato"`, "sequence": `4`,
	} {
		if text := asText(got[name]); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	for _, c := range []struct {
		input string
		keys  string // of the patch, in order
		want  map[string]string
	}{
		{`"title":"New"`, "summary", map[string]string{"summary": `"New"`}},
		{`"color":"gold"`, "colorId", map[string]string{"colorId": `"5"`}},
		{`"url":"https://example.com/b"`, "source", map[string]string{"source": `{"title":"example.com",` +
			`"url":"https://example.com/b"}`}},
		{`"alarms":["10m","1d","1h"]`, "reminders", map[string]string{"reminders": `{"overrides":[` +
			`{"method":"popup","minutes":10},{"method":"email","minutes":1440},{"method":"popup","minutes":60}],` +
			`"useDefault":false}`}},
		{`"categories":["Home"]`, "extendedProperties", map[string]string{"extendedProperties": `{"private":` +
			`{"other":"kept","techo-categories":"Home"},"shared":{"s":"kept"}}`}},
		{`"attendees":["ANN@example.com",{"email":"carl@example.com","status":"declined"}]`, "attendees",
			map[string]string{"attendees": `[{"additionalGuests":2,"comment":"ok","displayName":"Ann",` +
				`"email":"ANN@example.com","responseStatus":"needsAction"},` +
				`{"email":"carl@example.com","responseStatus":"declined"}]`}},
		{`"attendees":[],"url":"","categories":[],"alarms":[],"color":""`,
			"attendees,colorId,extendedProperties,reminders,source", map[string]string{"attendees": `null`,
				"source": `null`, "colorId": `null`, "reminders": `{"overrides":[],"useDefault":false}`,
				"extendedProperties": `{"private":{"other":"kept"},"shared":{"s":"kept"}}`}},
	} {
		before := double.Events("a", "primary")[id]
		must(t, env, Update, fmt.Sprintf(`{"event_id":%q,"calendar":"g",%s}`, id, c.input))
		if keys := lastPatch(t, double); keys != c.keys {
			t.Errorf("%s: sent %s, want %s", c.input, keys, c.keys)
		}
		after := double.Events("a", "primary")[id]
		for name, want := range c.want {
			if text := asText(after[name]); text != want {
				t.Errorf("%s: %s is %s, want %s", c.input, name, text, want)
			}
		}
		for name := range before {
			if _, changed := c.want[name]; !changed && name != "etag" && name != "updated" &&
				!reflect.DeepEqual(before[name], after[name]) {
				t.Errorf("%s: %s changed from %v to %v", c.input, name, before[name], after[name])
			}
		}
	}
}

// lastPatch returns the fields of the last request, a patch.
func lastPatch(t *testing.T, double *googletest.Server) string {
	t.Helper()
	requests := double.Requests()
	last := requests[len(requests)-1]
	if last.Method != "PATCH" {
		t.Fatalf("the last request is %v", last)
	}
	return strings.Join(slices.Sorted(maps.Keys(last.Body)), ",")
}

// TestGoogleDetailsAdded creates an event with details, and refuses what Google does
// not keep.
func TestGoogleDetailsAdded(t *testing.T) {
	double, env := onDouble(t, "Asia/Tokyo")
	m := must(t, env, Create, `{"title":"x","start":"2026-01-08 10:00","calendar":"g","attendees":["ann@example.com"],`+
		`"alarms":["15m"],"url":"https://example.com","categories":["Work"],"color":"#0b8043"}`)
	made := double.Events("a", "primary")[m["event"].(map[string]any)["event_id"].(string)]
	for name, want := range map[string]string{
		"attendees": `[{"email":"ann@example.com","responseStatus":"needsAction"}]`, "colorId": `"10"`,
		"reminders":          `{"overrides":[{"method":"popup","minutes":15}],"useDefault":false}`,
		"source":             `{"title":"example.com","url":"https://example.com"}`,
		"extendedProperties": `{"private":{"techo-categories":"Work"}}`,
	} {
		if text := asText(made[name]); text != want {
			t.Errorf("%s: %s, want %s", name, text, want)
		}
	}
	if m := must(t, env, List, `{"query":"work","calendar":"g"}`); m["count"] != 1.0 {
		t.Errorf("by its category: %v", m)
	}
	for _, in := range []string{`"organizer":"a@example.com"`, `"alarms":["-5m"]`, `"alarms":["5w"]`,
		`"alarms":["2026-01-07 10:00"]`, `"alarms":["1m","2m","3m","4m","5m","6m"]`, `"url":"mailto:a@b"`,
		`"color":"nocolor"`} {
		if _, e := call(t, env, Create, `{"title":"x","start":"2026-01-09","calendar":"g",`+in+`}`); e == nil ||
			e.Code != "invalid_input" {
			t.Errorf("%s: %v", in, e)
		}
	}
}
