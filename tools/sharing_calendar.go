package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"techo/store"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/space"
	"techo/tools/jsontree"
	"techo/tools/schema"
)

// CalendarPlace returns where the calendar is that a call names: in a shared space of the user,
// as in team/default, with its name there, or else, with the space "", in the place of the
// call, which is a space or "". A calendar of that place whose own name has a slash comes
// first. fixed means that the caller chose the place: no other space counts.
func CalendarPlace(ctx context.Context, env *Env, place string, fixed bool, calendar string) (place2, name string,
	err error) {
	place2, name, found := strings.Cut(calendar, "/")
	place2 = ledger.NormalUser(strings.TrimSpace(place2))
	if !found || name == "" || fixed && place2 != place {
		return "", calendar, nil
	}
	st, err := env.Open(ctx, false)
	if err != nil {
		return "", calendar, nil // the call itself opens the store again, or sends the name to a server
	}
	if exists, err := hasCalendar(ctx, env, st, place, calendar); exists || err != nil {
		return "", calendar, err
	}
	spaces, err := space.Of(st.Ledger).Names(ctx, env.User)
	if err != nil || !slices.Contains(spaces, place2) || !env.Sharing.Allows(place2) {
		return "", calendar, err
	}
	return place2, name, nil
}

// hasCalendar reports whether a calendar is in a place, as far as the caller may see it.
func hasCalendar(ctx context.Context, env *Env, st *store.Store, place, calendar string) (bool, error) {
	switch {
	case place != "":
		st = store.In(st, place, env.User)
	case !env.Sharing.Allows(space.Own):
		return false, nil
	}
	_, err := st.FindCalendar(ctx, event.CalendarName(calendar))
	if errors.As(err, new(*ledger.NotFoundError)) || errors.As(err, new(*space.NoSpaceError)) {
		return false, nil
	}
	return err == nil, err
}

// enterCalendars returns an input whose calendars have names of one place: for team/default
// the name is default, and the field space is team. space is the normal form of that field
// before. The first calendar decides about the place of all.
func (t *Tool) enterCalendars(ctx context.Context, env *Env, input []byte, place2 string) ([]byte, string, error) {
	if len(t.Calendars) == 0 || !bytes.ContainsRune(input, '/') {
		return input, place2, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(input, &fields); err != nil {
		return nil, "", err
	}
	place, fixed := place2, place2 != ""
	if place == space.Own {
		place = ""
	}
	for _, field := range t.Calendars {
		var calendar string
		if fields[field] == nil || json.Unmarshal(fields[field], &calendar) != nil {
			continue
		}
		in, name, err := CalendarPlace(ctx, env, place, fixed, calendar)
		if err != nil {
			return nil, "", err
		}
		if fixed = true; in == "" {
			continue
		}
		place, place2 = in, in
		if fields[field], err = jsontree.Marshal(name); err != nil {
			return nil, "", err
		}
		if fields[schema.SpaceField], err = jsontree.Marshal(in); err != nil {
			return nil, "", err
		}
	}
	entered, err := jsontree.Marshal(fields)
	if err != nil {
		return nil, "", err
	}
	input, problems := schema.Validate(env, t.Input(), entered)
	if len(problems) > 0 {
		return nil, "", InvalidError(env, problems)
	}
	return input, place2, nil
}
