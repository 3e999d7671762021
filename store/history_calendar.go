package store

import (
	"context"

	"techo/store/kv"
)

// CalendarRecord is an event or a to-do before a change.
type CalendarRecord struct {
	ID, Calendar, UID string
	Event             *Event // nil if it did not exist, or is a to-do
	Todo              *Todo
}

// CalendarRecords returns the events and to-dos of a change as they were before it. It
// leaves out those that the change added and that are gone.
func (h History) CalendarRecords(ctx context.Context, c Change) (all []CalendarRecord, err error) {
	err = h.store.view(ctx, func(tx kv.Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil || whole.Lost {
			return err
		}
		now := &historyTx{tx: tx}
		for _, r := range whole.Records {
			value, found := r.before, r.Existed
			if !r.Existed {
				if value, found, err = now.currentValue(r.Kind, r.ID); err != nil {
					return err
				}
			}
			if !found {
				continue
			}
			one, err := calendarRecord(r, value)
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			if err := one.rename(h.store.newEventTx(tx)); err != nil {
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

// CheckUndo reports why a change cannot be undone, like Undo.
func (h History) CheckUndo(ctx context.Context, c Change) error {
	return h.store.view(ctx, func(tx kv.Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil {
			return err
		}
		whole.UndoneBy = c.UndoneBy
		return checkUndo(tx, whole)
	})
}
