package agenda

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"techo/store"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/caldav"
)

// subscribedTodos are the to-dos of a subscription.
type subscribedTodos struct {
	backend.LocalTodos
	from subscription
}

func (s subscribedTodos) Find(ctx context.Context, q todo.Query) (todo.Found, error) {
	stale := s.from.refresh(ctx)
	found, err := s.LocalTodos.Find(ctx, q)
	return found, errors.Join(stale, err)
}

// TodosAt returns the to-dos of a calendar, or nil for one that has none.
func TodosAt(b backend.Calendar) backend.Todos {
	switch b := b.(type) {
	case backend.Local:
		return b.Todos()
	case subscription:
		return subscribedTodos{b.Local.Todos(), b}
	case caldav.Calendar:
		return b.Todos()
	}
	return nil
}

// TodosOf opens the to-dos of a calendar; "" is the chosen default.
func TodosOf(ctx context.Context, env *tools.Env, name string, effect tools.Effect) (b backend.Todos, found string,
	err error) {
	events, found, err := Open(ctx, env, name, effect)
	if err != nil {
		return nil, found, err
	}
	b, err = todosIn(env, events, found)
	return b, found, err
}

// TodosOfCalendar opens the to-dos of a calendar of a store.
func TodosOfCalendar(env *tools.Env, st *store.Store, c event.Calendar) (backend.Todos, error) {
	events, err := backendFor(env, st, c)
	if err != nil {
		return nil, err
	}
	return todosIn(env, events, c.Name)
}

func todosIn(env *tools.Env, events backend.Calendar, name string) (backend.Todos, error) {
	if b := TodosAt(events); b != nil {
		return b, nil
	}
	return nil, env.Fail(tools.InvalidInput, "The calendar %s is at Google and has no to-dos", name).
		WithHint(env.Hint("Use a local or a CalDAV calendar: %s",
			tools.Field("calendar", tools.Placeholder("NAME"))))
}

// TodosWith opens the to-dos of the calendar that has a to-do.
func TodosWith(ctx context.Context, env *tools.Env, id string, effect tools.Effect) (backend.Todos, error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, err
	}
	t, err := todo.Of(st.Ledger).Get(ctx, id, env.Zone)
	if err != nil {
		return nil, ExplainTodo(env, err)
	}
	b, _, err := TodosOf(ctx, env, t.Calendar, effect)
	return b, err
}

// TodoHere reports whether a change of a to-do waits for no service, also because there is no such to-do.
func TodoHere(ctx context.Context, env *tools.Env, id string) bool {
	b, err := TodosWith(ctx, env, id, tools.Changes)
	_, here := b.(backend.LocalTodos)
	return here || err != nil
}

// ExplainTodo is Explain for to-dos.
func ExplainTodo(env *tools.Env, err error) error {
	var (
		missing *ledger.NotFoundError
		changed *ledger.ChangedError
	)
	switch {
	case errors.As(err, &missing) && missing.Kind == ledger.KindTodo:
		e := env.Fail(tools.NotFound, "The to-do was not found")
		e.Details = []tools.Detail{{Path: "/todo_id", Message: missing.Name}}
		return e.WithHint(env.Hint("See %s", backend.Search("todo list", missing.Name, tools.Field("status", "all"))))
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The to-do changed since it was read").
			WithHint(env.Hint("Read it again with %s", tools.Use("todo get", changed.ID)))
	}
	return backend.Explain(env, err)
}

// SortByUrgency sorts to-dos: overdue ones, then other open ones by the day
// that they are due, by priority and by time. One without a due time and with a priority
// of 1 to 4 counts as due in a week; others without one come last. Done ones follow, the latest
// first.
func SortByUrgency(env *tools.Env, all []todo.Occurrence) {
	order := make([]urgency, len(all))
	now, week := env.Now(), dayNumber(Today(env).AddDate(0, 0, 7))
	for i := range all {
		order[i] = urgencyOf(&all[i], now, week, env.Zone)
	}
	slices.SortStableFunc(order, func(a, b urgency) int { return a.compare(&b) })
	sorted := make([]todo.Occurrence, len(all))
	for i := range order {
		sorted[i] = *order[i].Occurrence
	}
	copy(all, sorted)
}

// urgency is what orders a to-do among others. It is computed once for each.
type urgency struct {
	*todo.Occurrence
	group int // overdue, open, done
	day   int // that it is due
}

func urgencyOf(o *todo.Occurrence, now time.Time, week int, home *time.Location) urgency {
	u := urgency{Occurrence: o}
	switch {
	case !o.Open():
		u.group = 2
		return u
	case !o.Overdue(now):
		u.group = 1
	}
	switch {
	case !o.HasDue && o.Priority >= 1 && o.Priority <= 4:
		u.day = week
	case !o.HasDue:
		u.day = math.MaxInt
	case o.Form == event.AllDay:
		u.day = dayNumber(o.DueWall())
	default:
		u.day = dayNumber(o.To.In(home))
	}
	return u
}

// dayNumber returns a number by which days are in order.
func dayNumber(t time.Time) int {
	year, month, day := t.Date()
	return (year*100+int(month))*100 + day
}

func (a *urgency) compare(b *urgency) int {
	if c := cmp.Compare(a.group, b.group); c != 0 {
		return c
	}
	last := func() int { return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID)) }
	if a.group == 2 {
		return cmp.Or(b.CompletedAt.Compare(a.CompletedAt), last())
	}
	c := cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(cmp.Or(a.Priority, 10), cmp.Or(b.Priority, 10)),
		a.To.Compare(b.To), a.CreatedAt.Compare(b.CreatedAt))
	if c != 0 {
		return c
	}
	return last()
}
