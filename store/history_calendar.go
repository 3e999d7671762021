package store

import (
	"context"
)

// CalendarRecord is an event or a to-do before a change.
type CalendarRecord struct {
	ID, Calendar, UID string
	Event             *Event // nil if it did not exist, or is a to-do
	Todo              *Todo
}

// CalendarRecords returns the events and to-dos of a change as they were before it, none for
// the renaming of a calendar. It leaves out those that the change added and that are gone.
func CalendarRecords(ctx context.Context, l *Ledger, c Change) (all []CalendarRecord, err error) {
	err = l.view(ctx, func(tx *Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil || whole.Lost || whole.Records[0].Kind == KindCalendar {
			return err
		}
		for _, r := range whole.Records {
			value, found := r.before, r.Existed
			if !r.Existed {
				if value, err = currentValue(tx, whole, r); err != nil {
					return err
				}
				found = value != nil
			}
			if !found {
				continue
			}
			one, err := calendarRecord(r, value)
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			if err := one.rename(newEventTx(tx)); err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// calendarRecord decodes the value of an event or a to-do.
func calendarRecord(r ChangedRecord, value []byte) (one CalendarRecord, err error) {
	one.ID = r.ID
	switch r.Kind {
	case KindEvent:
		e, err := eventOfValue(value)
		if one.Calendar, one.UID = e.Calendar, e.UID; r.Existed {
			one.Event = &e
		}
		return one, err
	case KindTodo:
		t, err := todoOfValue(value)
		if one.Calendar, one.UID = t.Calendar, t.UID; r.Existed {
			one.Todo = &t
		}
		return one, err
	}
	return one, nil
}

// rename replaces the key of the calendar by its name.
func (r *CalendarRecord) rename(t *eventTx) (err error) {
	if r.Calendar, err = nameAt(t, r.Calendar); r.Event != nil {
		r.Event.Calendar = r.Calendar
	}
	if r.Todo != nil {
		r.Todo.Calendar = r.Calendar
	}
	return err
}
