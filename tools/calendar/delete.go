package calendar

import (
	"context"

	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
)

// Delete is the tool delete_event.
var Delete = &tools.Tool{
	Name:    "delete_event",
	For:     tools.Agents,
	Command: "cal delete",
	About:   "Delete an event",

	ExactVerb: true, // cal remove removes a calendar
	More: "For a series, scope this deletes one occurrence (the first one for the ID of the series), following " +
		"deletes it and all later ones, and all deletes the whole series.",
	Effect:    tools.Removes,
	Sharing:   tools.OneSpace,
	Calendars: []string{"calendar"},
	World:     true,
	Words:     []string{"event_id"},
	Refused:   "Could not delete the event: %s",
	Examples: []tools.Example{
		{Does: "Delete an event of techo cal list", Line: `cal delete k3a1at4gerb7`},
	},
	Run: tools.Func[DeleteIn, DeleteOut](deleteEvent),
}

// DeleteIn is the input of delete_event.
type DeleteIn struct {
	EventID  string `json:"event_id" minLength:"1" doc:"The event's id" list:"bare" record:"event"`
	Scope    string `json:"scope" default:"this" enum:"this,following,all" doc:"How much of a series to delete" list:"bare"`
	Calendar string `json:"calendar,omitempty" doc:"The calendar's name, for a Google calendar"`
}

// DeleteOut is the result of delete_event.
type DeleteOut struct {
	Deleted agenda.Event `json:"deleted"`
	Scope   string       `json:"scope"`
	Message string       `json:"message"`
	o       event.Occurrence
}

func deleteEvent(ctx context.Context, env *tools.Env, in DeleteIn) (out DeleteOut, err error) {
	b, err := agenda.OpenOf(ctx, env, in.Calendar, in.EventID, tools.Removes)
	if err != nil {
		return out, err
	}
	o, err := b.Remove(ctx, in.EventID, scopeOf(in.Scope))
	if err != nil {
		return out, backend.Explain(env, err)
	}
	message := tools.Text("Deleted: %s, %s")
	switch {
	case o.Original == "" && !o.Recurs():
	case in.Scope == "following":
		message = "Deleted this and all later occurrences: %s, %s"
	case in.Scope == "all":
		message = "Deleted the whole series: %s, %s"
	default:
		message = "Deleted this occurrence: %s, %s"
	}
	done := env.Localize(message, backend.TitleOrPlaceholder(env, o.Title), backend.MomentText(env, &o))
	return DeleteOut{agenda.ToEvent(env, &o), in.Scope, tools.AfterPurge(ctx, env, done), o}, nil
}
