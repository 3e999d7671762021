package agenda

import (
	"cmp"
	"context"
	"encoding/json"

	"techo/store"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/caldav"
	"techo/tools/calendar/google"
)

// Open opens a calendar by name; "" is the chosen default. A calendar that does
// not exist is local: the store creates or refuses it.
func Open(ctx context.Context, env *tools.Env, name string, effect tools.Effect) (b backend.Calendar, found string,
	err error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, name, err
	}
	c, err := st.FindCalendar(ctx, name)
	if err != nil {
		name = cmp.Or(name, event.DefaultCalendar)
		return backend.InStore(st, env, event.Calendar{Name: name}, false), name, nil
	}
	if c.ReadOnly() && effect != tools.Reads {
		return nil, c.Name, readOnly(env, c.Name)
	}
	b, err = backendFor(env, st, c)
	return b, c.Name, err
}

func backendFor(env *tools.Env, st *store.Store, c event.Calendar) (backend.Calendar, error) {
	switch c.Kind {
	case event.GoogleCalendar:
		return google.Open(env, c)
	case event.SubscriptionCalendar:
		return subscription{backend.InStore(st, env, c, true), c}, nil
	case event.CalDAVCalendar:
		return caldav.Open(env, st, c), nil
	}
	return backend.InStore(st, env, c, true), nil
}

// AddsElsewhere reports whether an input adds to a calendar at a service.
func AddsElsewhere(ctx context.Context, env *tools.Env, input []byte) bool {
	var in struct{ Calendar string }
	if json.Unmarshal(input, &in) != nil {
		return false
	}
	b, _, err := Open(ctx, env, in.Calendar, tools.Adds)
	_, here := b.(backend.Local)
	return err == nil && !here
}

// readOnly is the error of a change of a calendar that is only read.
func readOnly(env *tools.Env, name string) error {
	return env.Fail(tools.Forbidden, "The calendar %s is read-only", name).
		WithHint(env.Hint("See %s", tools.Use("cal calendars")))
}

// OpenOf opens the calendar of an event: the one whose events are in the
// store and include it, else the calendar with a name.
func OpenOf(ctx context.Context, env *tools.Env, name, id string, effect tools.Effect) (backend.Calendar, error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, err
	}
	if c, err := st.FindCalendar(ctx, name); name == "" || err != nil || c.Kind != event.GoogleCalendar {
		if o, err := st.GetEvent(ctx, id, env.Zone); err == nil {
			name = o.Calendar
		}
	}
	b, _, err := Open(ctx, env, name, effect)
	return b, err
}
