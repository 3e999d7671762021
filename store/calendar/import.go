package calendar

import (
	"context"
	"errors"
	"slices"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// Import adds events and to-dos to one calendar, in several transactions. If the calendar
// is renamed meanwhile, the import goes on under the new name; if it is removed, the import
// fails with a NotFoundError.
type Import struct {
	s    *ledger.Ledger
	name string
	key  string // "" until the calendar exists
}

// NewImport begins an import into a calendar. c is the calendar, or one with a name only
// that the import creates, unless it exists by then.
func NewImport(s *ledger.Ledger, c event.Calendar, exists bool) *Import {
	m := &Import{s: s, name: c.Name}
	if exists {
		m.key = c.InKeys()
	}
	return m
}

// ImportEvents adds events from elsewhere to a calendar. See Import.
func (s Manager) ImportEvents(ctx context.Context, calendar string, all []event.Event) (event.Imported, error) {
	return NewImport(s.Ledger, event.Calendar{Name: calendar}, false).Events(ctx, all)
}

// Name returns the name of the calendar at the last transaction.
func (m *Import) Name() string { return m.name }

// Events adds events from elsewhere and replaces existing ones with the same UID and
// recurrence id. Importing the same events again changes nothing.
func (m *Import) Events(ctx context.Context, all []event.Event) (event.Imported, error) {
	return importAll(ctx, m, all, func(t *event.Tx, calendar string, chunk []event.Event, n *event.Imported) error {
		if err := t.ReadKnown(calendar, chunk); err != nil {
			return err
		}
		for _, e := range chunk {
			e.Calendar = calendar
			if err := t.Take(e, m.s.Time(), n); err != nil {
				return err
			}
		}
		return t.AddExceptions()
	})
}

// importAll takes events or to-dos in several transactions.
func importAll[T any](ctx context.Context, m *Import, all []T,
	take func(t *event.Tx, calendar string, chunk []T, n *event.Imported) error) (total event.Imported, err error) {
	for chunk := range slices.Chunk(all, event.ImportChunk) {
		var n event.Imported
		err := m.update(ctx, func(t *event.Tx, calendar string) error {
			n = event.Imported{}
			return take(t, calendar, chunk, &n)
		})
		if err != nil {
			return total, err
		}
		total.Add(n)
		if ctx.Err() != nil {
			return total, context.Cause(ctx)
		}
	}
	return total, nil
}

// update runs a transaction with the present name of the calendar.
func (m *Import) update(ctx context.Context, fn func(t *event.Tx, calendar string) error) error {
	var name, key string
	err := m.s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		name, key = m.name, ""
		if m.key != "" {
			c, err := event.CalendarAt(t, m.key)
			if errors.Is(err, kv.ErrNotFound) {
				return &ledger.NotFoundError{Kind: ledger.KindCalendar, Name: m.name}
			}
			if err != nil {
				return err
			}
			name = c.Name
		}
		if err := event.UsableName(t, name); err != nil {
			return err
		}
		if err := fn(t, name); err != nil {
			return err
		}
		if c := t.Calendars[name]; c != nil {
			key = c.InKeys()
		}
		return t.Save()
	})
	if err == nil {
		m.name, m.key = name, key
	}
	return err
}

// ImportTodos adds to-dos from elsewhere to a calendar. See Import.
func (s Manager) ImportTodos(ctx context.Context, calendar string, all []todo.Todo) (event.Imported, error) {
	return NewImport(s.Ledger, event.Calendar{Name: calendar}, false).Todos(ctx, all)
}

// Todos adds to-dos from elsewhere and replaces those with the same UID and recurrence
// id. An older version (SEQUENCE) is left out.
func (m *Import) Todos(ctx context.Context, all []todo.Todo) (event.Imported, error) {
	return importAll(ctx, m, all, func(t *event.Tx, calendar string, chunk []todo.Todo, n *event.Imported) error {
		d := todo.Tx{Ev: t}
		if err := d.ReadKnown(calendar, chunk); err != nil {
			return err
		}
		for _, todo := range chunk {
			todo.Calendar = calendar
			if err := d.Take(todo, m.s.Time(), n); err != nil {
				return err
			}
		}
		return nil
	})
}
