package calendar

import (
	"context"
	"errors"

	"techo/store"
	"techo/tools"
)

// Move is the tool move_event.
var Move = &tools.Tool{
	Name:    "move_event",
	For:     tools.Agents,
	Command: "cal move",
	About:   "Move an event to another calendar or to a shared space",
	More: "The event keeps its ID, its UID and its times; a series moves with all of its occurrences. The histories " +
		"of both places have the move; techo undo undoes it in both. Earlier versions stay in the history of the " +
		"place where they were. Without --to-calendar it goes to the default calendar there.",
	Effect:  tools.Changes,
	Sharing: tools.OneSpace,
	Words:   []string{"event_id"},
	Refused: "Could not move the event: %s",
	Examples: []tools.Example{
		{Does: "Share an event", Line: `cal move $(techo cal list 2026-01-08 --fields events.event_id | ` +
			`cut -d'"' -f6) --to-space team`},
		{Does: "Take it back", Line: `undo`},
	},
	Run: tools.Func[MoveIn, MoveOut](moveEvent),
}

// MoveIn is the input of move_event.
type MoveIn struct {
	EventID string `json:"event_id" minLength:"1" doc:"The event's id"`
	MoveToIn
}

// MoveToIn names where an event or a to-do moves to.
type MoveToIn struct {
	ToSpace    string `json:"to_space,omitempty" doc:"The shared space to move it to, or own (default: where it is)"`
	ToCalendar string `json:"to_calendar,omitempty" doc:"The calendar to move it to (default: the default one there)"`
}

// MoveOut is the result of move_event.
type MoveOut struct {
	Event   Event  `json:"event"`
	Message string `json:"message"`
}

func moveEvent(ctx context.Context, env *tools.Env, in MoveIn) (out MoveOut, err error) {
	from, to, err := in.between(ctx, env)
	if err != nil {
		return out, err
	}
	o, err := store.MoveEvent(ctx, from, to, in.EventID, in.ToCalendar, env.Zone)
	if err != nil {
		return out, Explain(env, explainMove(env, err))
	}
	out.Event = toEvent(env, &o)
	out.Event.Space = store.SpaceOf(to)
	out.Message = env.Localize("Moved to %s: %s, %s", calendarLabel(out.Event.Space, o.Calendar),
		titleOrPlaceholder(env, o.Title), whenText(env, &o))
	return out, nil
}

// between returns the store of a call and the one that it moves a record to, and tidies
// the name of the calendar.
func (in *MoveToIn) between(ctx context.Context, env *tools.Env) (from, to *store.Store, err error) {
	if err := in.enterCalendar(ctx, env); err != nil {
		return nil, nil, err
	}
	f := &inputChecker{env: env}
	if in.ToCalendar != "" {
		tidy := store.CalendarName(in.ToCalendar)
		if tidy == "" {
			f.add("to_calendar", "must be a name of at most %d bytes, not %q", store.MaxCalendarName,
				clip(in.ToCalendar))
		}
		in.ToCalendar = tidy
	} else if in.ToSpace == "" {
		f.add("to_calendar", "is required without to_space")
	}
	if err := f.err(); err != nil {
		return nil, nil, err
	}
	if from, err = env.Store(ctx, tools.Changes); err != nil || in.ToSpace == "" {
		return from, from, err
	}
	to, _, err = tools.StoreOf(ctx, env, in.ToSpace, tools.Changes)
	return from, to, err
}

// enterCalendar makes a target such as team/meetings the calendar meetings in the space team.
func (in *MoveToIn) enterCalendar(ctx context.Context, env *tools.Env) error {
	place := store.NormalUser(in.ToSpace)
	fixed := place != ""
	switch place {
	case "":
		place = tools.Space(env)
	case store.OwnSpace:
		place = ""
	}
	space, name, err := tools.CalendarPlace(ctx, env, place, fixed, in.ToCalendar)
	if err == nil && space != "" {
		in.ToSpace, in.ToCalendar = space, name
	}
	return err
}

// explainMove converts the errors of moves.
func explainMove(env *tools.Env, err error) error {
	var (
		same   *store.SameCalendarError
		remote *store.RemoteCalendarError
		taken  *store.TakenError
	)
	switch {
	case errors.As(err, &same):
		return env.Fail(tools.InvalidInput, "It is there already").
			WithHint(env.Hint("Name another place: --to-calendar NAME, --to-space NAME or --to-space own"))
	case errors.As(err, &remote):
		return env.Fail(tools.InvalidInput, "The calendar %s is at a service", remote.Calendar).
			WithHint(env.Hint("techo cal export and techo cal import copy events between calendars"))
	case errors.As(err, &taken) && taken.Kind != store.KindCalendar:
		return env.Fail(tools.AlreadyExists, "The calendar there has one with the same UID: %s", taken.Name).
			WithHint(env.Hint("Remove one of them, or move it to another calendar with --to-calendar"))
	}
	return err
}
