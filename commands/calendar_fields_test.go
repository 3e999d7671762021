package commands

import (
	"strings"
	"testing"
)

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
