package caldav

import (
	"context"
	"errors"
	"slices"

	"techo/export"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// Todos are the to-dos of a calendar at a CalDAV server.
type Todos struct {
	backend.LocalTodos
	at Calendar
}

// Todos returns the to-dos of the calendar.
func (d Calendar) Todos() Todos { return Todos{d.Local.Todos(), d} }

func (d Todos) Find(ctx context.Context, q todo.Query) (todo.Found, error) {
	stale := d.at.Sync(ctx)
	found, err := d.LocalTodos.Find(ctx, q)
	return found, errors.Join(stale, err)
}

func (d Todos) Get(ctx context.Context, id string) (todo.Occurrence, error) {
	_ = d.at.Sync(ctx) // the copy answers
	return d.LocalTodos.Get(ctx, id)
}

func (d Todos) Each(ctx context.Context, fn func(todo.Todo) error) error {
	if err := d.at.Sync(ctx); err != nil {
		return err
	}
	return d.LocalTodos.Each(ctx, fn)
}

func (d Todos) Add(ctx context.Context, t todo.Todo) (o todo.Occurrence, err error) {
	if err := d.at.Sync(ctx); err != nil {
		return o, err
	}
	key, keyed := tools.KeyOf(d.at.Env)
	if t.UID = backend.NewID(d.at.calendar.Remote, key, keyed); keyed {
		t.Extra = append(slices.Clip(t.Extra), inputLine+key.Input)
		if old, err := d.ofUID(ctx, t.UID); err == nil && len(old) > 0 {
			if !slices.Contains(old[0].Extra, inputLine+key.Input) {
				return o, &ledger.ReusedKeyError{Key: key.Key}
			}
			return todo.Of(d.at.St.Ledger).Get(ctx, old[0].ID, d.at.Env.Zone)
		}
	}
	t.CreatedAt, t.UpdatedAt = d.at.Env.Now(), d.at.Env.Now()
	if err := d.at.create(ctx, t.UID, export.Calendar{Todos: []todo.Todo{t}}); err != nil {
		return o, err
	}
	return d.after(ctx, t.UID, "")
}

func (d Todos) ofUID(ctx context.Context, uid string) ([]todo.Todo, error) {
	return calendar.NewMirror(d.at.St.Ledger, d.at.Name).TodosOf(ctx, uid)
}

func (d Todos) Edit(ctx context.Context, id string, change func(*todo.Occurrence) error) (
	o todo.Occurrence, err error) {
	err = d.rewrite(ctx, id, func(st *store.Store) (err error) {
		o, err = todo.Of(st.Ledger).Edit(ctx, id, d.at.Env.Zone, change)
		return err
	})
	if err != nil {
		return o, err
	}
	return d.after(ctx, o.UID, o.RecurrenceID)
}

func (d Todos) Complete(ctx context.Context, id string, how todo.How) (c todo.Completion, err error) {
	err = d.rewrite(ctx, id, func(st *store.Store) (err error) {
		c, err = todo.Of(st.Ledger).Complete(ctx, id, how, d.at.Env.Zone)
		return err
	})
	if err != nil {
		return c, err
	}
	repeats, uid := c.Next.Todo != nil, ""
	if repeats {
		uid = c.Next.UID
	}
	if c.Done, err = d.after(ctx, c.Done.UID, c.Done.RecurrenceID); err == nil && repeats {
		c.Next, err = d.after(ctx, uid, "")
	}
	return c, err
}

func (d Todos) Remove(ctx context.Context, id string) (o todo.Occurrence, err error) {
	err = d.rewrite(ctx, id, func(st *store.Store) (err error) {
		o, err = todo.Of(st.Ledger).Remove(ctx, id, d.at.Env.Zone)
		return err
	})
	if err == nil {
		err = d.at.refreshed(ctx)
	}
	return o, err
}

func (d Todos) ImportAll(ctx context.Context, all []todo.Todo) (n event.Imported, problems []ics.Problem,
	err error) {
	return importObjects(ctx, d.at, all, func(c *export.Calendar, t todo.Todo) *event.Event {
		c.Todos = append(c.Todos, t)
		return &t.Event
	})
}

// after returns a to-do as the server has it after a write.
func (d Todos) after(ctx context.Context, uid, recurrenceID string) (o todo.Occurrence, err error) {
	if err := d.at.refreshed(ctx); err != nil {
		return o, err
	}
	all, err := d.ofUID(ctx, uid)
	if err != nil {
		return o, err
	}
	for i := range all {
		if all[i].RecurrenceID == recurrenceID {
			return todo.Of(d.at.St.Ledger).Get(ctx, all[i].ID, d.at.Env.Zone)
		}
	}
	return o, &ledger.NotFoundError{Kind: ledger.KindTodo, Name: uid}
}

// rewrite applies a change to the to-dos with the UID of a to-do.
func (d Todos) rewrite(ctx context.Context, id string, change func(*store.Store) error) error {
	if err := d.at.Sync(ctx); err != nil {
		return err
	}
	o, err := todo.Of(d.at.St.Ledger).Get(ctx, id, d.at.Env.Zone)
	if err != nil {
		return err
	}
	return d.at.rewrite(ctx, o.UID, true, change)
}
