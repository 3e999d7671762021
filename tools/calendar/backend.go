package calendar

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// backend is the storage of a calendar: the local store or Google.
type backend interface {
	find(ctx context.Context, q store.EventQuery) (store.Found, error)
	get(ctx context.Context, id string) (store.Occurrence, error)
	add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error)
	edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite,
		change func(*store.Event) error) (store.Written, error)
	remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error)

	// importEvents adds events, or replaces those with the same UID. An event that the
	// calendar refuses becomes a problem.
	importEvents(ctx context.Context, all []store.Event) (store.Imported, []Problem, error)
	// each yields the events as they are stored: single events, series, and events that
	// replace an occurrence.
	each(ctx context.Context, fn func(store.Event) error) error
}

// localCalendar is a calendar in the store.
type localCalendar struct {
	st   *store.Store
	env  *tools.Env
	name string
	into *store.Import // what an import writes to
}

// inStore returns a calendar in a store. One that does not exist has only a name.
func inStore(st *store.Store, env *tools.Env, c store.Calendar, exists bool) localCalendar {
	return localCalendar{st, env, c.Name, store.NewImport(st, c, exists)}
}

func (l localCalendar) find(ctx context.Context, q store.EventQuery) (store.Found, error) {
	return l.st.FindEvents(ctx, q)
}

func (l localCalendar) get(ctx context.Context, id string) (store.Occurrence, error) {
	return l.st.GetEvent(ctx, id, l.env.Zone)
}

func (l localCalendar) add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error) {
	return l.st.AddEvent(ctx, e, how)
}

func (l localCalendar) edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite,
	change func(*store.Event) error) (store.Written, error) {
	return l.st.EditEvent(ctx, id, scope, how, change)
}

func (l localCalendar) remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error) {
	return l.st.RemoveEvent(ctx, id, scope, l.env.Zone)
}

func (l localCalendar) importEvents(ctx context.Context, all []store.Event) (store.Imported, []Problem, error) {
	n, err := l.into.Events(ctx, all)
	return n, nil, err
}

func (l localCalendar) each(ctx context.Context, fn func(store.Event) error) error {
	return l.st.EachEvent(ctx, l.name, fn)
}

// backendOf opens a calendar by name; "" is the chosen default. A calendar that does
// not exist is local: the store creates or refuses it.
func backendOf(ctx context.Context, env *tools.Env, name string, effect tools.Effect) (b backend, found string,
	err error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, name, err
	}
	c, err := st.FindCalendar(ctx, name)
	if err != nil {
		name = cmp.Or(name, store.DefaultCalendar)
		return inStore(st, env, store.Calendar{Name: name}, false), name, nil
	}
	if c.ReadOnly() && effect != tools.Reads {
		return nil, c.Name, readOnly(env, c.Name)
	}
	b, err = backendFor(env, st, c)
	return b, c.Name, err
}

// backendFor opens a calendar of a store.
func backendFor(env *tools.Env, st *store.Store, c store.Calendar) (backend, error) {
	switch c.Kind {
	case store.GoogleCalendar:
		return googleBackend(env, c)
	case store.SubscriptionCalendar:
		return subscription{inStore(st, env, c, true), c}, nil
	case store.CalDAVCalendar:
		return newCalDAV(env, st, c), nil
	}
	return inStore(st, env, c, true), nil
}

// addsElsewhere reports whether an input adds to a calendar at a service.
func addsElsewhere(ctx context.Context, env *tools.Env, input []byte) bool {
	var in struct{ Calendar string }
	if json.Unmarshal(input, &in) != nil {
		return false
	}
	b, _, err := backendOf(ctx, env, in.Calendar, tools.Adds)
	_, here := b.(localCalendar)
	return err == nil && !here
}

// readOnly is the error of a change of a calendar that is only read.
func readOnly(env *tools.Env, name string) error {
	return env.Fail(tools.Forbidden, "The calendar %s is read-only", name).
		WithHint(env.Hint("See techo cal calendars"))
}

// backendOfEvent opens the calendar of an event: the one whose events are in the
// store and include it, else the calendar with a name.
func backendOfEvent(ctx context.Context, env *tools.Env, name, id string, effect tools.Effect) (backend, error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, err
	}
	if c, err := st.FindCalendar(ctx, name); name == "" || err != nil || c.Kind != store.GoogleCalendar {
		if o, err := st.GetEvent(ctx, id, env.Zone); err == nil {
			name = o.Calendar
		}
	}
	b, _, err := backendOf(ctx, env, name, effect)
	return b, err
}

// toProblems describes the events whose occurrences are incomplete.
func toProblems(env *tools.Env, all []store.EventProblem) []Problem {
	texts := map[store.EventProblemCode]tools.Text{
		store.TooManyOccurrences: "too many occurrences",
		store.NoMatchingTime:     "no time matches its rule",
		store.NoTime:             "no time",
	}
	problems := []Problem{}
	for _, p := range all {
		message := env.Localize(texts[p.Code])
		if p.Code == store.UnreadableRule {
			message = env.Localize("its rule cannot be read: %v", p.Cause)
		}
		problems = append(problems, Problem{EventID: p.ID, Title: p.Title, Message: message})
	}
	return problems
}

// span is the time between two instants.
type span struct{ from, to time.Time }

func (s span) minutes() int { return int(s.to.Sub(s.from) / time.Minute) }

// wallSpan returns the span between two wall clock times of the caller. It starts or
// ends with a change of clocks that skips one of them.
func wallSpan(env *tools.Env, from, to time.Time) span {
	a, _ := zone.Reached(from, env.Zone)
	b, _ := zone.Reached(to, env.Zone)
	return span{a, b}
}

// mergeSpans joins spans that overlap or touch, sorts them, and clips them to
// within.
func mergeSpans(all []span, within span) []span {
	slices.SortFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
	var out []span
	for _, s := range all {
		if s.from.Before(within.from) {
			s.from = within.from
		}
		if s.to.After(within.to) {
			s.to = within.to
		}
		if !s.from.Before(s.to) {
			continue
		}
		if n := len(out); n > 0 && !s.from.After(out[n-1].to) {
			if s.to.After(out[n-1].to) {
				out[n-1].to = s.to
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// gaps returns the parts of within that busy, a result of mergeSpans, leaves free.
func gaps(busy []span, within span) []span {
	var free []span
	from := within.from
	for _, b := range busy {
		if from.Before(b.from) {
			free = append(free, span{from, b.from})
		}
		from = b.to
	}
	if from.Before(within.to) {
		free = append(free, span{from, within.to})
	}
	return free
}
