package calendar

import (
	"context"
	"errors"
	"slices"

	"techo/store"
	"techo/tools"
)

// calendarAt is a calendar with the store that has it: the user's own or a shared space.
type calendarAt struct {
	store.Calendar
	st *store.Store
}

// space returns the shared space that has the calendar, or "".
func (c *calendarAt) space() string {
	if c.st == nil {
		return ""
	}
	return store.SpaceOf(c.st)
}

// label names the calendar among the calendars of several spaces.
func (c *calendarAt) label() string { return calendarLabel(c.space(), c.Name) }

// calendarLabel names a calendar and its space: team/default.
func calendarLabel(space, name string) string {
	if space == "" {
		return name
	}
	return space + "/" + name
}

// requestedCalendars returns the calendars with some names, without duplicates. The name for
// all calendars becomes the list of them, with the calendars of all spaces of the user
// unless the call names one. A missing calendar counts as a local one: reading it fails.
func requestedCalendars(ctx context.Context, env *tools.Env, asked []string) (all []calendarAt, err error) {
	if slices.Contains(asked, store.AllCalendars) {
		return allCalendars(ctx, env)
	}
	for _, name := range asked {
		st, name, err := placeOf(ctx, env, name)
		if err != nil {
			return nil, err
		}
		c, err := st.FindCalendar(ctx, name)
		missing := new(store.NotFoundError)
		switch {
		case errors.As(err, &missing) && name != "":
			c = store.Calendar{Name: name, Binding: store.Binding{Kind: store.LocalCalendar}}
		case err != nil:
			return nil, err
		}
		at := calendarAt{c, st}
		same := func(o calendarAt) bool { return o.Name == c.Name && o.space() == at.space() }
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

// allCalendars returns the calendars of all places where the call looks.
func allCalendars(ctx context.Context, env *tools.Env) (all []calendarAt, err error) {
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
