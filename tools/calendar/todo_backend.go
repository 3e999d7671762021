package calendar

import (
	"cmp"
	"context"
	"errors"
	"time"

	"techo/store"
	"techo/tools"
)

// todoBackend is a calendar that has to-dos.
type todoBackend interface {
	all(ctx context.Context) ([]store.TodoOccurrence, error)
	get(ctx context.Context, id string) (store.TodoOccurrence, error)
	add(ctx context.Context, t store.Todo) (store.TodoOccurrence, error)
	edit(ctx context.Context, id string, change func(*store.TodoOccurrence) error) (store.TodoOccurrence, error)
	// complete returns what was completed and, for a series, its next occurrence.
	complete(ctx context.Context, id string, at time.Time) (done, next store.TodoOccurrence, err error)
	remove(ctx context.Context, id string) (store.TodoOccurrence, error)

	importAll(ctx context.Context, all []store.Todo) (store.Imported, []Problem, error)
	each(ctx context.Context, fn func(store.Todo) error) error
}

// localTodos are the to-dos of a calendar in the store.
type localTodos struct{ at localCalendar }

func (l localTodos) all(ctx context.Context) ([]store.TodoOccurrence, error) {
	return store.TodosOf(l.at.st).In(ctx, l.at.name, l.at.env.Zone)
}

func (l localTodos) get(ctx context.Context, id string) (store.TodoOccurrence, error) {
	return store.TodosOf(l.at.st).Get(ctx, id, l.at.env.Zone)
}

func (l localTodos) add(ctx context.Context, t store.Todo) (store.TodoOccurrence, error) {
	return store.TodosOf(l.at.st).Add(ctx, t, l.at.env.Zone)
}

func (l localTodos) edit(ctx context.Context, id string, change func(*store.TodoOccurrence) error) (
	store.TodoOccurrence, error) {
	return store.TodosOf(l.at.st).Edit(ctx, id, l.at.env.Zone, change)
}

func (l localTodos) complete(ctx context.Context, id string, at time.Time) (done, next store.TodoOccurrence,
	err error) {
	return store.TodosOf(l.at.st).Complete(ctx, id, at, l.at.env.Zone)
}

func (l localTodos) remove(ctx context.Context, id string) (store.TodoOccurrence, error) {
	return store.TodosOf(l.at.st).Remove(ctx, id, l.at.env.Zone)
}

func (l localTodos) importAll(ctx context.Context, all []store.Todo) (store.Imported, []Problem, error) {
	n, err := l.at.into.Todos(ctx, all)
	return n, nil, err
}

func (l localTodos) each(ctx context.Context, fn func(store.Todo) error) error {
	return store.TodosOf(l.at.st).Each(ctx, l.at.name, fn)
}

// subscribedTodos are the to-dos of a subscription.
type subscribedTodos struct {
	localTodos
	from subscription
}

func (s subscribedTodos) all(ctx context.Context) ([]store.TodoOccurrence, error) {
	stale := s.from.refresh(ctx)
	all, err := s.localTodos.all(ctx)
	return all, errors.Join(stale, err)
}

// todosAt returns the to-dos of a calendar, or nil for one that has none.
func todosAt(b backend) todoBackend {
	switch b := b.(type) {
	case localCalendar:
		return localTodos{b}
	case subscription:
		return subscribedTodos{localTodos{b.localCalendar}, b}
	case calDAV:
		return calDAVTodos{localTodos{b.localCalendar}, b}
	}
	return nil
}

// todosOf opens the to-dos of a calendar; "" is the chosen default.
func todosOf(ctx context.Context, env *tools.Env, name string, effect tools.Effect) (b todoBackend, found string,
	err error) {
	events, found, err := backendOf(ctx, env, name, effect)
	if err != nil {
		return nil, found, err
	}
	b, err = todosIn(env, events, found)
	return b, found, err
}

// todosOfCalendar opens the to-dos of a calendar of a store.
func todosOfCalendar(env *tools.Env, st *store.Store, c store.Calendar) (todoBackend, error) {
	events, err := backendFor(env, st, c)
	if err != nil {
		return nil, err
	}
	return todosIn(env, events, c.Name)
}

func todosIn(env *tools.Env, events backend, name string) (todoBackend, error) {
	if b := todosAt(events); b != nil {
		return b, nil
	}
	return nil, env.Fail(tools.InvalidInput, "The calendar %s is at Google and has no to-dos", name).
		WithHint(env.Hint("Use a local or a CalDAV calendar: --calendar NAME"))
}

// todosWith opens the to-dos of the calendar that has a to-do.
func todosWith(ctx context.Context, env *tools.Env, id string, effect tools.Effect) (todoBackend, error) {
	st, err := env.Store(ctx, effect)
	if err != nil {
		return nil, err
	}
	t, err := store.TodosOf(st).Get(ctx, id, env.Zone)
	if err != nil {
		return nil, explainTodo(env, err)
	}
	b, _, err := todosOf(ctx, env, t.Calendar, effect)
	return b, err
}

// explainTodo is Explain for to-dos.
func explainTodo(env *tools.Env, err error) error {
	var (
		missing *store.NotFoundError
		changed *store.ChangedError
	)
	switch {
	case errors.As(err, &missing) && missing.Kind == store.KindTodo:
		e := env.Fail(tools.NotFound, "The to-do was not found")
		e.Details = []tools.Detail{{Path: "/todo_id", Message: missing.Name}}
		return e.WithHint(env.Hint("See techo todo list --status all"))
	case errors.As(err, &changed):
		return env.Fail(tools.Conflict, "The to-do changed since it was read").
			WithHint(env.Hint("Read it again with techo todo get %s", changed.ID))
	}
	return Explain(env, err)
}

// compareTodos orders to-dos: open ones first, by the time that they are due, then by
// priority; those without one last. Done ones follow, the latest first.
func compareTodos(a, b *store.TodoOccurrence) int {
	if a.Open() != b.Open() {
		if a.Open() {
			return -1
		}
		return 1
	}
	if !a.Open() {
		return cmp.Or(b.CompletedAt.Compare(a.CompletedAt), cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	}
	if a.HasDue != b.HasDue {
		if a.HasDue {
			return -1
		}
		return 1
	}
	due := 0
	if a.HasDue {
		due = a.To.Compare(b.To)
	}
	rank := func(t *store.TodoOccurrence) int { return cmp.Or(t.Priority, 10) }
	return cmp.Or(due, cmp.Compare(rank(a), rank(b)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Title, b.Title),
		cmp.Compare(a.ID, b.ID))
}
