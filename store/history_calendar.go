package store

import (
	"context"
	"slices"
)

// CalendarRecord is an event or a to-do before a change.
type CalendarRecord struct {
	ID, Calendar, UID string
	Event             *Event // nil if it did not exist, or is a to-do
	Todo              *Todo
}

// CalendarRecords returns the events and to-dos of a change as they were before it, none for
// the renaming of a calendar. It leaves out those that the change added and that are gone.
func (h History) CalendarRecords(ctx context.Context, c Change) (all []CalendarRecord, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil || whole.Lost || whole.Records[0].Kind == KindCalendar {
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

// CheckUndo reports why a change cannot be undone, like Undo. It leaves out the records
// with an id for which restored returns true.
func (h History) CheckUndo(ctx context.Context, c Change, restored func(id string) bool) error {
	return h.store.view(ctx, func(tx *Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil {
			return err
		}
		whole.UndoneBy = c.UndoneBy
		whole.Records = slices.DeleteFunc(whole.Records, func(r ChangedRecord) bool { return restored(r.ID) })
		return checkUndo(tx, whole)
	})
}

// FinishUndoElsewhere marks a change at a service as undone when its undo, which had been
// cut off, had nothing left to do. It fails with a NewerChangeError if there was no such
// undo: then another program restored the records.
func (h History) FinishUndoElsewhere(ctx context.Context, c Change) error {
	return h.store.update(withoutHistory(ctx), func(tx *Tx) error {
		by := uint64(0)
		err := scanChanges(tx, c.ID, func(newer Change) error {
			if newer.Undoes == c.ID && newer.UndoneBy == 0 {
				by = newer.ID
				return errStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if by == 0 {
			return newerChange(tx, c, c.Records[0])
		}
		return markUndone(tx, c.ID, by)
	})
}
