package store

import (
	"context"
	"errors"
	"fmt"

	"techo/store/kv"
)

// RemovingError reports a name that belongs to a calendar that is being removed.
type RemovingError struct{ Calendar string }

func (e *RemovingError) Error() string {
	return fmt.Sprintf("calendar %s: is being removed", e.Calendar)
}

// hideCalendar marks a calendar of more than MaxUndoableEvents as removed. It changes
// no other calendar.
func hideCalendar(ctx context.Context, s *Store, name string, withEvents bool) (c Calendar, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		stored, err := stored(t, name)
		if err == nil {
			c = *stored
		}
		switch {
		case errors.Is(err, kv.ErrNotFound) || err == nil && (c.Removing || c.Events() <= MaxUndoableEvents):
			return nil
		case err != nil:
			return err
		case name == DefaultCalendar:
			return errDefaultCalendar
		case !withEvents:
			return &FullCalendarError{name}
		}
		first, err := t.calendar(DefaultCalendar)
		if err != nil {
			return err
		}
		if first.Default == name {
			first.Default = ""
			if err := t.save(); err != nil {
				return err
			}
		}
		c.Removing = true
		return save(tx, calendarKey(c.key()), c)
	})
	return c, err
}

// deleteHidden deletes the events, to-dos and resources of a hidden calendar, and then
// the calendar.
func deleteHidden(ctx context.Context, s *Store, c Calendar) error {
	if !c.Removing {
		return nil
	}
	for done := false; !done && ctx.Err() == nil; {
		err := s.update(withoutHistory(ctx), func(tx *Tx) (err error) {
			done, err = deleteSome(s.newEventTx(tx), c.Name)
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
func deleteSome(t *eventTx, name string) (done bool, err error) {
	c, err := stored(t, name)
	if err != nil {
		return true, ignoreMissing(err)
	}
	c.Linked = false
	t.remember(c)
	n, err := deleteSomeEvents(t, name)
	if err != nil {
		return false, err
	}
	var keys [][]byte
	for item, err := range t.tx.Scan(kv.Range{Prefix: mirrorObjects.named(c.key())}) {
		if err != nil {
			return false, err
		}
		if n++; n > importChunk {
			break
		}
		keys = append(keys, append([]byte(nil), item.Key...))
	}
	if err := deleteKeys(t.tx, keys); err != nil || n > importChunk {
		return false, errors.Join(err, save(t.tx, calendarKey(c.key()), c))
	}
	return true, forget(t, c)
}

// deleteSomeEvents deletes up to importChunk events and to-dos of a calendar and the
// receipts that contain them. It returns their number, a greater one if more are left.
func deleteSomeEvents(t *eventTx, name string) (n int, err error) {
	var events []Event
	var todos []Todo
	err = t.each(name, func(e Event) error {
		if n++; n > importChunk {
			return errStop
		}
		events = append(events, e)
		return nil
	})
	if err == nil {
		err = todoTx{t}.each(name, func(todo Todo) error {
			if n++; n > importChunk {
				return errStop
			}
			todos = append(todos, todo)
			return nil
		})
	}
	if err != nil && !errors.Is(err, errStop) {
		return n, err
	}
	if err := readPlaces(t.tx, events, todos); err != nil {
		return n, err
	}
	var removed []recordID
	for i := range events {
		removed = append(removed, recordID{KindEvent, events[i].ID})
		if err := t.put(&events[i], nil); err != nil {
			return n, err
		}
	}
	for i := range todos {
		removed = append(removed, recordID{KindTodo, todos[i].ID})
		if err := (todoTx{t}).put(&todos[i], nil); err != nil {
			return n, err
		}
	}
	return n, eraseReceiptsOf(t.tx, removed...)
}
