// Package calendar has what concerns the events and the to-dos of a calendar together: imports, copies of
// calendars at services, moves, removal, undo, checks and repairs.
package calendar

import (
	"context"
	"errors"

	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
)

// MaxUndoableEvents limits the events of a calendar that is removed in one transaction,
// which can be undone.
const MaxUndoableEvents = 20_000

// Manager manages the calendars of a store with their events and to-dos.
type Manager struct{ *ledger.Ledger }

// SetDefaultCalendar chooses the calendar of calls that name none.
func (s Manager) SetDefaultCalendar(ctx context.Context, name string) (c event.Calendar, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		chosen, err := t.Calendar(name)
		if err != nil {
			return err
		}
		first, err := t.Calendar(event.DefaultCalendar)
		if err != nil {
			return err
		}
		if first.Default = name; name == event.DefaultCalendar {
			first.Default = ""
		}
		c = *chosen
		return ledger.Save(tx, event.CalendarKey(event.DefaultCalendar), first)
	})
	return c, err
}

// FullCalendarError reports that a calendar to remove has events.
type FullCalendarError struct{ Calendar string }

func (e *FullCalendarError) Error() string { return "calendar " + e.Calendar + ": not empty" }

// RemoveCalendar removes a calendar from the store. Events at another service stay
// there. It fails with a TakenError if the calendar has events in the store, unless
// withEvents is set. DefaultCalendar cannot be removed. One with more than
// MaxUndoableEvents is removed for good: it disappears at once, and its events are
// deleted in several transactions. If that was cut off, a second call goes on.
func (s Manager) RemoveCalendar(ctx context.Context, name string, withEvents bool) (c event.Calendar, err error) {
	c, err = HideCalendar(ctx, s.Ledger, name, withEvents)
	if err != nil || c.Removing {
		return c, errors.Join(err, DeleteHidden(ctx, s.Ledger, c))
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		old, events, err := wholeCalendar(t, name)
		if err != nil {
			return err
		}
		todos, err := todosIn(t, name)
		if err != nil {
			return err
		}
		c = *old
		if len(events)+len(todos) > 0 && !withEvents {
			return &FullCalendarError{name}
		}
		if err := readPlaces(tx, events, todos); err != nil {
			return err
		}
		old.Linked = false
		for i := range todos {
			if err := (todo.Tx{Ev: t}).Put(&todos[i], nil); err != nil {
				return err
			}
		}
		for i := range events {
			if err := t.Put(&events[i], nil); err != nil {
				return err
			}
		}
		return dropCalendar(t, name)
	})
	return c, err
}

func wholeCalendar(t *event.Tx, name string) (c *event.Calendar, events []event.Event, err error) {
	if name == event.DefaultCalendar {
		return nil, nil, event.ErrDefaultCalendar
	}
	if c, err = t.Calendar(name); err != nil {
		return nil, nil, err
	}
	err = t.Each(name, func(e event.Event) error {
		events = append(events, e)
		return nil
	})
	return c, events, err
}

// dropCalendar deletes the record of a calendar without events.
func dropCalendar(t *event.Tx, name string) error {
	c, err := t.Calendar(name)
	if err != nil {
		return err
	}
	first, err := t.Calendar(event.DefaultCalendar)
	if err != nil {
		return err
	}
	if first.Default == name {
		first.Default = ""
	} else if first.Default == "" && first.Events() == 0 {
		delete(t.Calendars, event.DefaultCalendar) // it needs no record
	}
	delete(t.Calendars, name)
	if err := t.Tx.DeletePrefix(event.MirrorObjects.Named(c.InKeys())); err != nil {
		return err
	}
	if err := event.Forget(t, c); err != nil {
		return err
	}
	return t.Save()
}

func todosIn(t *event.Tx, calendar string) (all []todo.Todo, err error) {
	err = todo.Tx{Ev: t}.Each(calendar, func(todo todo.Todo) error {
		all = append(all, todo)
		return nil
	})
	return all, err
}

// BindCalendar connects a calendar to a service. It fails with a TakenError if the
// calendar has events.
func (s Manager) BindCalendar(ctx context.Context, name string, to event.Binding) error {
	return s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		c, err := t.Ensure(name)
		if err != nil {
			return err
		}
		todos, err := todosIn(t, name)
		if err != nil {
			return err
		}
		if c.Events() > 0 || len(todos) > 0 {
			return &ledger.TakenError{Kind: ledger.KindCalendar, Name: name}
		}
		c.Binding, c.Sync = to, event.SyncState{}
		return t.Save()
	})
}

// readPlaces reads many events and to-dos and their places together: a database then answers at once.
func readPlaces(tx *ledger.Tx, events []event.Event, todos []todo.Todo) error {
	ids := make([]string, len(events))
	for i := range events {
		ids[i] = events[i].ID
	}
	if _, err := currentEvents(tx, "", ids); err != nil {
		return err
	}
	ids = make([]string, len(todos))
	for i := range todos {
		ids[i] = todos[i].ID
	}
	_, err := currentTodos(tx, "", ids)
	return err
}
