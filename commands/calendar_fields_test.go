package commands

import (
	"strings"
	"testing"

	"techo/tools/calendar"
)

// TestCalendarFields checks that each calendar tool, and the one that combines them,
// refuses an unknown field on every interface, and does nothing.
func TestCalendarFields(t *testing.T) {
	w := newWorld(t)
	event := w.run("cal", "create", "Review", "2026-01-06 10:00").ok()["event"].(map[string]any)["event_id"].(string)
	web := w.serve(t, "serve", "--quiet", "--audience", "person")
	speak := w.speak(t, "--audience", "person")
	inputs := map[string][]string{
		"create_event":       {`"title":"x","start":"2026-01-07"`},
		"list_events":        {`"date":"2026-01-07"`},
		"get_event":          {`"event_id":"` + event + `"`},
		"update_event":       {`"event_id":"` + event + `","title":"x"`},
		"move_event":         {`"event_id":"` + event + `","to_calendar":"work"`},
		"delete_event":       {`"event_id":"` + event + `"`},
		"check_availability": {`"check_type":"day","date":"2026-01-07"`},
		"suggest_schedule":   {`"date_from":"2026-01-07","date_to":"2026-01-07","duration_minutes":30`},
		"list_calendars":     {``},
	}
	for _, tool := range calendar.Tools() {
		if len(inputs[tool.Name]) == 0 {
			t.Fatal("no input for " + tool.Name)
		}
		switch tool.Name {
		case "get_event", "list_calendars", "move_event": // the combined tool cannot choose these
		default:
			inputs[calendar.Dispatcher] = append(inputs[calendar.Dispatcher], inputs[tool.Name]...)
		}
	}
	for tool, all := range inputs {
		for _, fields := range all {
			input := strings.Replace("{"+fields+`,"surprise":1}`, "{,", "{", 1)
			want := w.feed(input, "call", tool)
			want.fails("invalid_input", "/surprise")
			_, got := web.Ask("POST", "/tools/"+tool, input)
			text, isError := speak(tool, input)
			wanted := withoutHints(want.out)
			if withoutHints(got) != wanted || withoutHints(text+"\n") != wanted || !isError {
				t.Errorf("%s %s:\nHTTP %s\nMCP %s\nwant %s", tool, input, got, text, want.out)
			}
		}
	}
	w.run("cal", "get", event).ok()
	if total := w.run("cal", "list", "--query", "x").ok()["count"]; total != 0.0 {
		t.Errorf("%v events were created", total)
	}
}

// TestCombinedDeletes checks that the combined tool leaves out the fields of queries when
// it deletes an event, but not the conditions and the dry run of changes.
func TestCombinedDeletes(t *testing.T) {
	w := newWorld(t)
	event := w.run("cal", "create", "Review", "2026-01-06 10:00").ok()["event"].(map[string]any)["event_id"].(string)
	for _, field := range []string{`"dry_run":true`, `"if_free":true`, `"expected_etag":"x"`} {
		name := "/" + strings.Split(field, `"`)[1]
		w.run("call", "calendar", `{"event_id":"`+event+`",`+field+`}`).fails("invalid_input", name)
	}
	w.run("cal", "get", event).ok()
	w.run("call", "calendar", `{"event_id":"`+event+`","title":null,"dry_run":null,"date":"2026-01-06"}`).ok()
	w.run("cal", "get", event).fails("not_found", "/event_id")
}
