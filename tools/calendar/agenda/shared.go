package agenda

import (
	"context"
	"errors"
	"slices"

	"techo/store"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/backend"
)

// calendarAt is a calendar with the store that has it: the user's own or a shared space.
type calendarAt struct {
	event.Calendar
	St *store.Store
}

// Space returns the shared space that has the calendar, or "".
func (c *calendarAt) Space() string {
	if c.St == nil {
		return ""
	}
	return c.St.Ledger.Space
}

// Label names the calendar among the calendars of several spaces.
func (c *calendarAt) Label() string { return backend.Label(c.Space(), c.Name) }

// Requested returns the calendars with some names, without duplicates. The name for
// all calendars becomes the list of them, with the calendars of all spaces of the user
// unless the call names one. A missing calendar counts as a local one: reading it fails.
func Requested(ctx context.Context, env *tools.Env, asked []string) (all []calendarAt, err error) {
	if slices.Contains(asked, event.AllCalendars) {
		return All(ctx, env)
	}
	for _, name := range asked {
		st, name, err := placeOf(ctx, env, name)
		if err != nil {
			return nil, err
		}
		c, err := st.FindCalendar(ctx, name)
		missing := new(ledger.NotFoundError)
		switch {
		case errors.As(err, &missing) && name != "":
			c = event.Calendar{Name: name, Binding: event.Binding{Kind: event.LocalCalendar}}
		case err != nil:
			return nil, err
		}
		at := calendarAt{c, st}
		same := func(o calendarAt) bool { return o.Name == c.Name && o.Space() == at.Space() }
		if !slices.ContainsFunc(all, same) {
			all = append(all, at)
		}
	}
	return all, nil
}

// placeOf returns the store that has a calendar, and its name there: for team/default the
// space team.
func placeOf(ctx context.Context, env *tools.Env, asked string) (st *store.Store, name string, err error) {
	space, name, err := tools.CalendarPlace(ctx, env, tools.Space(env), tools.InOnePlace(env), asked)
	if err != nil {
		return nil, "", err
	}
	if space != "" {
		st, _, err = tools.StoreOf(ctx, env, space, tools.Reads)
		return st, name, err
	}
	st, err = env.Store(ctx, tools.Reads)
	return st, name, err
}

// All returns the calendars of all places where the call looks.
func All(ctx context.Context, env *tools.Env) (all []calendarAt, err error) {
	sources, err := tools.Sources(ctx, env)
	if err != nil {
		return nil, err
	}
	for _, from := range sources {
		calendars, err := from.Calendars(ctx)
		if err != nil {
			return nil, err
		}
		for _, c := range calendars {
			all = append(all, calendarAt{c, from.Store})
		}
	}
	return all, nil
}
