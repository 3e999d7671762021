package calendar

import (
	"bytes"
	"context"

	"techo/store/event"
	"techo/store/history"
	"techo/store/ledger"
	"techo/store/todo"
)

// Record is an event or a to-do before a change.
type Record struct {
	ID, Calendar, UID string
	Event             *event.Event // nil if it did not exist, or is a to-do
	Todo              *todo.Todo
}

// RecordsBefore returns the events and to-dos of a change as they were before it, none for
// the renaming of a calendar. It leaves out what the change added and is gone.
func RecordsBefore(ctx context.Context, l *ledger.Ledger, c ledger.Change) (all []Record, err error) {
	err = l.View(ctx, func(tx *ledger.Tx) error {
		whole, err := tx.LoadWholeChange(c.ID)
		if err != nil || whole.Lost || whole.Records[0].Kind == ledger.KindCalendar {
			return err
		}
		for _, r := range whole.Records {
			value, found := r.Before, r.Existed
			if !r.Existed {
				if value, err = history.CurrentValue(tx, whole, r); err != nil {
					return err
				}
				found = value != nil
			}
			if !found {
				continue
			}
			one, err := calendarRecord(r, value)
			if err != nil {
				return ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
			}
			if err := one.rename(event.NewTx(tx)); err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// calendarRecord decodes the value of an event or a to-do.
func calendarRecord(r ledger.ChangedRecord, value []byte) (one Record, err error) {
	one.ID = r.ID
	switch r.Kind {
	case ledger.KindEvent:
		e, err := ofEventValue(value)
		if one.Calendar, one.UID = e.Calendar, e.UID; r.Existed {
			one.Event = &e
		}
		return one, err
	case ledger.KindTodo:
		t, err := todo.OfValue(value)
		if one.Calendar, one.UID = t.Calendar, t.UID; r.Existed {
			one.Todo = &t
		}
		return one, err
	}
	return one, nil
}

// rename replaces the key of the calendar by its name.
func (r *Record) rename(t *event.Tx) (err error) {
	if r.Calendar, err = event.NameAt(t, r.Calendar); r.Event != nil {
		r.Event.Calendar = r.Calendar
	}
	if r.Todo != nil {
		r.Todo.Calendar = r.Calendar
	}
	return err
}

// # Names of calendars in the history
//
// A renaming is a change of its own. Its record has the name of the calendar before it, and
// the digest of the new name. The events of the calendar are no part of it: they change
// independently, whatever the calendar is called.

// IDNamed returns the id that the changes of the calendar with a name have, also of
// one that has no changes. It returns "" if there is no such calendar.
func IDNamed(ctx context.Context, l *ledger.Ledger, name string) (id string, err error) {
	err = l.View(ctx, func(tx *ledger.Tx) error {
		c, err := event.Stored(&event.Tx{Tx: tx}, name)
		if err == nil {
			id = event.CalendarID(c.InKeys())
		}
		return ledger.IgnoreMissing(err)
	})
	return id, err
}

// restoreName gives a calendar its previous name. It fails with a TakenError or a
// RemovingError if another calendar has that.
func restoreName(tx *ledger.Tx, c ledger.Change) error {
	t := event.NewTx(tx)
	for _, record := range c.Records {
		now, err := event.CalendarOfID(tx, record.ID)
		if err != nil {
			return err
		}
		name := string(record.Before)
		if err := event.NameFree(t, name); err != nil {
			return err
		}
		if err := event.Rename(t, &now, name); err != nil {
			return err
		}
	}
	return t.Save()
}

// atCalDAV reports whether a value of the history is of a calendar at a CalDAV server, which keeps
// versions.
func atCalDAV(tx *ledger.Tx, value []byte) (bool, error) {
	c, err := event.CalendarAt(&event.Tx{Tx: tx, Calendars: map[string]*event.Calendar{}},
		(&ledger.FieldReader{B: value}).Text())
	return err == nil && c.Kind == event.CalDAVCalendar, ledger.IgnoreMissing(err)
}

// sameEvent reports whether two values of the history have the same content, whatever their version
// and the times that a service assigns.
func sameEvent(a, b []byte) (bool, error) {
	one, err := ofEventValue(a)
	if err != nil {
		return false, err
	}
	other, err := ofEventValue(b)
	one.ClearVersion()
	other.ClearVersion()
	return bytes.Equal(event.RecordOf(&one), event.RecordOf(&other)), err
}

// sameTodo is sameEvent for to-dos.
func sameTodo(a, b []byte) (bool, error) {
	one, err := todo.OfValue(a)
	if err != nil {
		return false, err
	}
	other, err := todo.OfValue(b)
	one.ClearVersion()
	other.ClearVersion()
	return bytes.Equal(todo.RecordOf(&one), todo.RecordOf(&other)), err
}
