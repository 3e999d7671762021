package calendar

import (
	"context"

	"techo/store/calendar"
	"techo/tools"
	"techo/tools/calendar/agenda"
	"techo/tools/calendar/backend"
)

// Move is the tool move_event.
var Move = &tools.Tool{
	Name:    "move_event",
	For:     tools.Agents,
	Command: "cal move",
	About:   "Move an event to another calendar or to a shared space",
	Details: "The event keeps its ID, its UID and its times; a series moves with all of its " +
		"occurrences. The histories of both places have the move. Earlier versions stay in the " +
		"history of the place where they were. Unless a calendar is named, it goes to the " +
		"default calendar there.",
	Notes: []tools.Note{
		{Text: "%s undoes it in both.", Names: []string{"undo"}},
	},
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	Words:   []string{"event_id"},
	Refused: "Could not move the event: %s",
	Examples: []tools.Example{
		{Does: "Share an event", Line: `cal move k3a1at4gerb7 --to-space team`},
		{Does: "Take it back", Line: `undo`},
	},
	Run: tools.Func[MoveIn, MoveOut](moveEvent),
}

// MoveIn is the input of move_event.
type MoveIn struct {
	EventID string `json:"event_id" minLength:"1" doc:"The event's id" list:"bare" record:"event"`
	agenda.MoveToIn
}

// MoveOut is the result of move_event.
type MoveOut struct {
	Event   agenda.Event `json:"event"`
	Message string       `json:"message"`
}

func moveEvent(ctx context.Context, env *tools.Env, in MoveIn) (out MoveOut, err error) {
	from, to, err := in.Between(ctx, env)
	if err != nil {
		return out, err
	}
	o, err := calendar.MoveEvent(ctx, from.Ledger, to.Ledger, in.EventID, in.ToCalendar, env.Zone)
	if err != nil {
		return out, backend.Explain(env, agenda.ExplainMove(env, err))
	}
	out.Event = agenda.ToEvent(env, &o)
	out.Event.Space = to.Ledger.Space
	out.Message = env.Localize("Moved to %s: %s, %s", backend.Label(out.Event.Space, o.Calendar),
		backend.TitleOrPlaceholder(env, o.Title), backend.MomentText(env, &o))
	return out, nil
}
