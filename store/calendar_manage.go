package store

import (
	"context"
	"errors"
)

// MaxUndoableEvents limits the events of a calendar that is removed in one transaction,
// which can be undone.
const MaxUndoableEvents = 20_000

// errDefaultCalendar reports a change that DefaultCalendar does not allow.
var errDefaultCalendar = errors.New("calendar: the default calendar always exists")

// IsDefaultCalendarError reports whether a call failed because DefaultCalendar
// cannot be renamed or removed.
func IsDefaultCalendarError(err error) bool { return errors.Is(err, errDefaultCalendar) }

// SetDefaultCalendar chooses the calendar of calls that name none.
func (s *Store) SetDefaultCalendar(ctx context.Context, name string) (c Calendar, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		chosen, err := t.calendar(name)
		if err != nil {
			return err
		}
		first, err := t.calendar(DefaultCalendar)
		if err != nil {
			return err
		}
		if first.Default = name; name == DefaultCalendar {
			first.Default = ""
		}
		c = *chosen
		return save(tx, calendarKey(DefaultCalendar), first)
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
func (s *Store) RemoveCalendar(ctx context.Context, name string, withEvents bool) (c Calendar, err error) {
	c, err = hideCalendar(ctx, s, name, withEvents)
	if err != nil || c.Removing {
		return c, errors.Join(err, deleteHidden(ctx, s, c))
	}
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
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
			if err := (todoTx{t}).put(&todos[i], nil); err != nil {
				return err
			}
		}
		for i := range events {
			if err := t.put(&events[i], nil); err != nil {
				return err
			}
		}
		return dropCalendar(t, name)
	})
	return c, err
}

// wholeCalendar returns a calendar with all of its events.
func wholeCalendar(t *eventTx, name string) (c *Calendar, events []Event, err error) {
	if name == DefaultCalendar {
		return nil, nil, errDefaultCalendar
	}
	if c, err = t.calendar(name); err != nil {
		return nil, nil, err
	}
	err = t.each(name, func(e Event) error {
		events = append(events, e)
		return nil
	})
	return c, events, err
}

// dropCalendar deletes the record of a calendar without events.
func dropCalendar(t *eventTx, name string) error {
	c, err := t.calendar(name)
	if err != nil {
		return err
	}
	first, err := t.calendar(DefaultCalendar)
	if err != nil {
		return err
	}
	if first.Default == name {
		first.Default = ""
	} else if first.Default == "" && first.Events() == 0 {
		delete(t.calendars, DefaultCalendar) // it needs no record
	}
	delete(t.calendars, name)
	if err := deleteSpace(t.tx, mirrorObjects.named(c.key())); err != nil {
		return err
	}
	if err := forget(t, c); err != nil {
		return err
	}
	return t.save()
}

func todosIn(t *eventTx, calendar string) (all []Todo, err error) {
	err = todoTx{t}.each(calendar, func(todo Todo) error {
		all = append(all, todo)
		return nil
	})
	return all, err
}
