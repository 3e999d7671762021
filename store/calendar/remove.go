package calendar

import (
	"context"
	"errors"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// HideCalendar marks a calendar of more than MaxUndoableEvents as removed. It changes
// no other calendar.
func HideCalendar(ctx context.Context, s *ledger.Ledger, name string, withEvents bool) (c event.Calendar, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := event.NewTx(tx)
		stored, err := event.Stored(t, name)
		if err == nil {
			c = *stored
		}
		switch {
		case errors.Is(err, kv.ErrNotFound) || err == nil && (c.Removing || c.Events() <= MaxUndoableEvents):
			return nil
		case err != nil:
			return err
		case name == event.DefaultCalendar:
			return event.ErrDefaultCalendar
		case !withEvents:
			return &FullCalendarError{name}
		}
		first, err := t.Calendar(event.DefaultCalendar)
		if err != nil {
			return err
		}
		if first.Default == name {
			first.Default = ""
			if err := t.Save(); err != nil {
				return err
			}
		}
		c.Removing = true
		return ledger.Save(tx, event.CalendarKey(c.InKeys()), c)
	})
	return c, err
}

// DeleteHidden deletes the events, to-dos and resources of a hidden calendar, and then
// the calendar.
func DeleteHidden(ctx context.Context, s *ledger.Ledger, c event.Calendar) error {
	if !c.Removing {
		return nil
	}
	for done := false; !done && ctx.Err() == nil; {
		err := s.Update(ledger.WithoutHistory(ctx), func(tx *ledger.Tx) (err error) {
			done, err = deleteSome(event.NewTx(tx), c.Name)
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// deleteSome deletes up to importChunk records of a hidden calendar. done is true when
// none is left; then the calendar is deleted too.
func deleteSome(t *event.Tx, name string) (done bool, err error) {
	c, err := event.Stored(t, name)
	if err != nil {
		return true, ledger.IgnoreMissing(err)
	}
	c.Linked = false
	t.Remember(c)
	n, err := deleteSomeEvents(t, name)
	if err != nil {
		return false, err
	}
	var keys [][]byte
	for item, err := range t.Tx.Scan(kv.Range{Prefix: event.MirrorObjects.Named(c.InKeys())}) {
		if err != nil {
			return false, err
		}
		if n++; n > event.ImportChunk {
			break
		}
		keys = append(keys, append([]byte(nil), item.Key...))
	}
	if err := t.Tx.DeleteKeys(keys); err != nil || n > event.ImportChunk {
		return false, errors.Join(err, ledger.Save(t.Tx, event.CalendarKey(c.InKeys()), c))
	}
	return true, event.Forget(t, c)
}

// deleteSomeEvents deletes up to importChunk events and to-dos of a calendar and the
// receipts that contain them. It returns their number, a greater one if more are left.
func deleteSomeEvents(t *event.Tx, name string) (n int, err error) {
	var events []event.Event
	var todos []todo.Todo
	err = t.Each(name, func(e event.Event) error {
		if n++; n > event.ImportChunk {
			return ledger.ErrStop
		}
		events = append(events, e)
		return nil
	})
	if err == nil {
		err = todo.Tx{Ev: t}.Each(name, func(todo todo.Todo) error {
			if n++; n > event.ImportChunk {
				return ledger.ErrStop
			}
			todos = append(todos, todo)
			return nil
		})
	}
	if err != nil && !errors.Is(err, ledger.ErrStop) {
		return n, err
	}
	if err := readPlaces(t.Tx, events, todos); err != nil {
		return n, err
	}
	var removed []ledger.RecordID
	for i := range events {
		removed = append(removed, ledger.RecordID{Kind: ledger.KindEvent, ID: events[i].ID})
		if err := t.Put(&events[i], nil); err != nil {
			return n, err
		}
	}
	for i := range todos {
		removed = append(removed, ledger.RecordID{Kind: ledger.KindTodo, ID: todos[i].ID})
		if err := (todo.Tx{Ev: t}).Put(&todos[i], nil); err != nil {
			return n, err
		}
	}
	return n, t.Tx.Ledger.Schemas.Erase(t.Tx, removed...)
}
