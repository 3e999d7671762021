package calendar

import (
	"encoding/json"
	"slices"

	"techo/tools"
	"techo/tools/calendar/free"
	"techo/tools/schema"
)

// Dispatcher is the name of the tool that combines all calendar tools.
const Dispatcher = "calendar"

// Dispatch chooses the tool for an input by its fields, in the order of the
// specification, and returns the input for it: without the fields that only other
// calendar tools have, such as a title beside duration_minutes. A null field counts
// as missing. The chosen tool refuses an input that is not a JSON object, and a deletion
// one with a condition of changes, a dry run or a calendar to move to.
func Dispatch(input []byte) (*tools.Tool, []byte) {
	fields := schema.FieldsOf(input)
	named := map[string]json.RawMessage{}
	for name, value := range fields {
		if string(value) != "null" {
			named[fieldName(name)] = value
		}
	}
	if named["title"] != nil { // some clients send an empty text for each field that they do not use
		for _, name := range []string{"duration_minutes", "event_id", "check_type"} {
			if string(named[name]) == `""` {
				delete(named, name)
			}
		}
	}
	t := toolFor(named)
	foreign := false
	for name, value := range fields {
		field := fieldName(name)
		if t == Delete && string(value) != "null" && (hasField(Update, field) || hasField(Move, field)) {
			continue
		}
		if !hasField(t, field) && slices.ContainsFunc(Tools(), func(t *tools.Tool) bool { return hasField(t, field) }) {
			delete(fields, name)
			foreign = true
		}
	}
	if !foreign {
		return t, input
	}
	rest, err := json.Marshal(fields)
	if err != nil {
		return t, input
	}
	return t, rest
}

// fieldName returns the field of a calendar tool that a name means, or the name itself.
func fieldName(name string) string {
	for _, t := range Tools() {
		if p := t.Field(name); p != nil {
			return p.Name
		}
	}
	return name
}

// hasField reports whether the input of a tool has a field.
func hasField(t *tools.Tool, name string) bool {
	return slices.ContainsFunc(t.Input().Properties, func(p schema.Property) bool { return p.Name == name })
}

// toolFor returns the tool for the fields of an input.
func toolFor(fields map[string]json.RawMessage) *tools.Tool {
	given := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return fields[n] != nil })
	}
	switch {
	case given("duration_minutes"):
		return free.Suggest
	case given("event_id") && given("title", "start", "end", "location", "description", "recurrence", "busy", "status",
		"attendees", "organizer", "url", "categories", "alarms", "color"):
		return Update
	case given("event_id"):
		return Delete
	case given("title"):
		return Create
	case given("check_type"):
		return free.Check
	}
	return List
}
