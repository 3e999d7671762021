package calendar

import (
	"encoding/json"
	"slices"

	"techo/tools"
)

// Dispatcher is the name of the tool that combines all calendar tools.
const Dispatcher = "calendar"

// Dispatch chooses the tool for an input by its fields, in the order of the
// specification. A null field counts as missing. The chosen tool refuses an input
// that is not a JSON object.
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
