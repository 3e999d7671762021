package calendar

import (
	"encoding/json"
	"slices"

	"techo/tools"
)

// Dispatcher is the one name that stands for all tools of the calendar.
const Dispatcher = "calendar"

// Dispatch picks the tool that an input is for by the fields that it gives, in
// the order of the specification. A field that is null is not given. What is no
// JSON object is for the first tool to refuse.
func Dispatch(input []byte) *tools.Tool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(input, &fields)
	given := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { v, ok := fields[n]; return ok && string(v) != "null" })
	}
	switch {
	case given("duration_minutes"):
		return Suggest
	case given("event_id") && given("title", "start", "end", "location", "description", "recurrence", "busy", "status"):
		return Update
	case given("event_id"):
		return Delete
	case given("title"):
		return Create
	case given("check_type"):
		return Check
	}
	return List
}
