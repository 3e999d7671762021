package calendar

import (
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
