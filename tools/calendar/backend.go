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
