package calendar

import (
	"context"
	"slices"
	"time"

	"techo/store"
	"techo/tools"
)

// backend is where the events of a calendar are: in the store, or at Google.
// Both speak of events as the store does.
type backend interface {
	find(ctx context.Context, q store.EventQuery) (store.Found, error)
	get(ctx context.Context, id string) (store.Occurrence, error)
	add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error)
	edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite, change func(*store.Event) error) (store.Written, error)
	remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error)
}

// local is the store.
type local struct {
	st  *store.Store
	env *tools.Env
}

func (l local) find(ctx context.Context, q store.EventQuery) (store.Found, error) {
	return l.st.FindEvents(ctx, q)
}

func (l local) get(ctx context.Context, id string) (store.Occurrence, error) {
	return l.st.GetEvent(ctx, id, l.env.Zone)
}

func (l local) add(ctx context.Context, e store.Event, how store.EventWrite) (store.Written, error) {
	return l.st.AddEvent(ctx, e, how)
}

func (l local) edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite, change func(*store.Event) error) (store.Written, error) {
	return l.st.EditEvent(ctx, id, scope, how, change)
}

func (l local) remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error) {
	return l.st.RemoveEvent(ctx, id, scope, l.env.Zone)
}

// backendOf opens the calendar of a name.
func backendOf(ctx context.Context, env *tools.Env, name string, effect tools.Effect) (backend, error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, err
	}
	l := local{st, env}
	if name == "" || name == store.DefaultCalendar {
		name = store.DefaultCalendar
	}
	c, err := st.FindCalendar(ctx, name)
	if err != nil || c.Kind != store.GoogleCalendar {
		return l, nil // one that is not there is the backend's to refuse, or to make
	}
	return googleBackend(env, c)
}

// Unchecked is a calendar that could not be read.
type Unchecked struct {
	Calendar string `json:"calendar"`
	Reason   string `json:"reason"`
	err      error
}

// gathered is what several calendars hold.
type gathered struct {
	store.Found
	checked   []string
	unchecked []Unchecked
}

// gather reads several calendars. One that is not there is an error; one that
// cannot be read now is unchecked, which is never the same as free.
func gather(ctx context.Context, env *tools.Env, names []string, q store.EventQuery) (g gathered, err error) {
	st, err := env.Store(ctx, tools.Reads)
	if err != nil {
		return g, err
	}
	if slices.Contains(names, store.AllCalendars) {
		all, err := st.Calendars(ctx)
		if err != nil {
			return g, err
		}
		names = nil
		for _, c := range all {
			names = append(names, c.Name)
		}
	}
	g.checked, g.unchecked = []string{}, []Unchecked{}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		b, err := backendOf(ctx, env, name, tools.Reads)
		if err != nil {
			return g, err
		}
		part := q
		part.Calendars, part.Zone = []string{name}, env.Zone
		found, err := b.find(ctx, part)
		if _, remote := b.(local); err != nil && !remote {
			g.unchecked = append(g.unchecked, Unchecked{name, explain(env, err).Error(), explain(env, err)})
			continue
		}
		if err != nil {
			return g, err
		}
		g.checked = append(g.checked, name)
		if g.Occurrences == nil {
			g.Occurrences = found.Occurrences // in order, as one calendar's are
		} else {
			g.Occurrences = append(g.Occurrences, found.Occurrences...)
			slices.SortStableFunc(g.Occurrences, func(a, b store.Occurrence) int { return a.From.Compare(b.From) })
		}
		g.Problems = append(g.Problems, found.Problems...)
		g.Truncated = g.Truncated || found.Truncated
	}
	return g, nil
}

// problemsOf tells what could not be followed.
func problemsOf(all []store.EventProblem) []Problem {
	problems := []Problem{}
	for _, p := range all {
		problems = append(problems, Problem{EventID: p.ID, Title: p.Title, Message: p.Reason})
	}
	return problems
}

// stretch is a time, from one instant up to another.
type stretch struct{ from, to time.Time }

func (s stretch) minutes() int { return int(s.to.Sub(s.from) / time.Minute) }

// merged joins the stretches that overlap or touch, in order, clipped to one.
func merged(all []stretch, within stretch) []stretch {
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	var out []stretch
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

// gaps are what merged stretches leave of one.
func gaps(busy []stretch, within stretch) []stretch {
	var free []stretch
	from := within.from
	for _, b := range busy {
		if from.Before(b.from) {
			free = append(free, stretch{from, b.from})
		}
		from = b.to
	}
	if from.Before(within.to) {
		free = append(free, stretch{from, within.to})
	}
	return free
}
