package calendar

import "testing"

// TestDispatch checks the order in which the fields of an input choose a tool, and the
// input that is left for it.
func TestDispatch(t *testing.T) {
	for _, c := range []struct{ input, tool, left string }{
		{`{"duration_minutes":30,"event_id":"a","title":"x","check_type":"day"}`, "suggest_schedule",
			`{"duration_minutes":30}`},
		{`{"event_id":"a","title":"x","check_type":"day"}`, "update_event", `{"event_id":"a","title":"x"}`},
		{`{"event_id":"a","start":"2026-01-05"}`, "update_event", `{"event_id":"a","start":"2026-01-05"}`},
		{`{"event_id":"a","end":"2026-01-05"}`, "update_event", ""},
		{`{"event_id":"a","location":""}`, "update_event", ""},
		{`{"event_id":"a","description":""}`, "update_event", ""},
		{`{"event_id":"a","recurrence":[]}`, "update_event", ""},
		{`{"event_id":"a","busy":false}`, "update_event", ""},
		{`{"event_id":"a","status":"tentative"}`, "update_event", ""},
		{`{"event_id":"a","alarms":["10m"]}`, "update_event", ""},
		{`{"event_id":"a"}`, "delete_event", ""},
		{`{"event_id":"a","scope":"all"}`, "delete_event", ""},
		{`{"event_id":"a","title":null,"check_type":"day"}`, "delete_event", `{"event_id":"a"}`},
		{`{"event_id":"a","dry_run":true}`, "delete_event", `{"event_id":"a","dry_run":true}`},
		{`{"event_id":"a","to_calendar":"b"}`, "delete_event", ""}, // which refuses to_calendar
		{`{"title":"x","check_type":"day"}`, "create_event", `{"title":"x"}`},
		{`{"title":"x","start":"2026-01-05","query":"y"}`, "create_event", `{"start":"2026-01-05","title":"x"}`},
		{`{"check_type":"day","date":"2026-01-05","query":"y"}`, "check_availability",
			`{"check_type":"day","date":"2026-01-05"}`},
		{`{"date":"2026-01-05"}`, "list_events", ""},
		{`{"start":"2026-01-05"}`, "list_events", `{}`},
		{`{}`, "list_events", ""},
		{`{"event_id":null,"title":null}`, "list_events", `{}`},
		{`{"titel":"x","event_id":"a"}`, "delete_event", ""}, // which refuses titel
		{`[`, "list_events", ""},

		// names and forms that Invoke converts
		{`{"durationMinutes":60,"dateFrom":"2026-01-05"}`, "suggest_schedule", ""},
		{`{"checkType":"day"}`, "check_availability", ""},
		{`{"id":"a","title":"x","query":"y"}`, "update_event", `{"id":"a","title":"x"}`},
		{`{"duration_minutes":"","event_id":"","title":"x"}`, "create_event", `{"title":"x"}`},
		{`"{\"title\":\"x\"}"`, "create_event", ""},
		{`[{"event_id":"a"}]`, "delete_event", ""},
		{`[{"event_id":"a"},{}]`, "list_events", ""},
		{`"x"`, "list_events", ""},
	} {
		left := c.left
		if left == "" {
			left = c.input
		}
		if tool, rest := Dispatch([]byte(c.input)); tool.Name != c.tool || string(rest) != left {
			t.Errorf("%s: %s %s, want %s %s", c.input, tool.Name, rest, c.tool, left)
		}
	}
}
