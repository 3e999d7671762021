package agenda

import (
	"context"
	"errors"

	"techo/internal/legible"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/space"
	"techo/tools"
)

// MoveToIn names where an event or a to-do moves to.
type MoveToIn struct {
	ToSpace    string `json:"to_space,omitempty" doc:"The shared space to move it to, or own (default: where it is)"`
	ToCalendar string `json:"to_calendar,omitempty" doc:"The calendar to move it to (default: the default one there)"`
}

// Between returns the store of a call and the one that it moves a record to, and tidies
// the name of the calendar.
func (in *MoveToIn) Between(ctx context.Context, env *tools.Env) (from, to *store.Store, err error) {
	if err := in.enterCalendar(ctx, env); err != nil {
		return nil, nil, err
	}
	f := &Checker{Env: env}
	if in.ToCalendar != "" {
		tidy := event.CalendarName(in.ToCalendar)
		if tidy == "" {
			f.Add("to_calendar", "must be a name of at most %d bytes, not %q", event.MaxCalendarName,
				legible.Clip(in.ToCalendar))
		}
		in.ToCalendar = tidy
	} else if in.ToSpace == "" {
		f.Add("to_calendar", "is required without to_space")
	}
	if err := f.Err(); err != nil {
		return nil, nil, err
	}
	if from, err = env.Store(ctx, tools.Changes); err != nil || in.ToSpace == "" {
		return from, from, err
	}
	to, _, err = tools.StoreOf(ctx, env, in.ToSpace, tools.Changes)
	return from, to, err
}

// ExplainMove converts the errors of moves.
func ExplainMove(env *tools.Env, err error) error {
	var (
		same   *calendar.SameCalendarError
		remote *event.RemoteCalendarError
		taken  *ledger.TakenError
	)
	switch {
	case errors.As(err, &same):
		return env.Fail(tools.InvalidInput, "It is there already").
			WithHint(env.Hint("Name another place: %s, %s or %s",
				tools.Field("to_calendar", tools.Placeholder("NAME")), tools.Field("to_space", tools.Placeholder("NAME")), tools.Field("to_space", "own")))
	case errors.As(err, &remote):
		return env.Fail(tools.InvalidInput, "The calendar %s is at a service", remote.Calendar).
			WithHint(env.Hint("%s and %s copy events between calendars",
				tools.Use("cal export"), tools.Use("cal import")))
	case errors.As(err, &taken) && taken.Kind != ledger.KindCalendar:
		return env.Fail(tools.AlreadyExists, "The calendar there has one with the same UID: %s", taken.Name).
			WithHint(env.Hint("Remove one of them, or move it to another calendar with %s",
				tools.Field("to_calendar")))
	}
	return err
}

// enterCalendar makes a target such as team/meetings the calendar meetings in the space team.
func (in *MoveToIn) enterCalendar(ctx context.Context, env *tools.Env) error {
	place := ledger.NormalUser(in.ToSpace)
	fixed := place != ""
	switch place {
	case "":
		place = tools.Space(env)
	case space.Own:
		place = ""
	}
	place2, name, err := tools.CalendarPlace(ctx, env, place, fixed, in.ToCalendar)
	if err == nil && place2 != "" {
		in.ToSpace, in.ToCalendar = place2, name
	}
	return err
}
