package store

import (
	"errors"

	"techo/store/kv"
)

// restoreTodos gives the to-dos of a change their previous values.
func (r *restoring) restoreTodos(t *eventTx, c Change) error {
	var before []Todo
	d := todoTx{t}
	for _, record := range c.Records {
		if record.Kind != KindTodo {
			continue
		}
		if record.Exists {
			now, err := d.load(record.ID)
			if err != nil {
				return err
			}
			if err := d.put(&now, nil); err != nil {
				return err
			}
		}
		if record.Existed {
			todo, err := todoOfValue(record.before)
			if err != nil {
				return finding(Unreadable, KindChange, ChangeID(c.ID), err)
			}
			if todo.Calendar, err = nameAt(t, todo.Calendar); err != nil {
				return err
			}
			before = append(before, todo)
		}
	}
	for i := range before {
		todo := &before[i]
		if err := mustBeLocal(t, todo.Calendar); err != nil {
			return err
		}
		if _, err := d.byUID(todo.Calendar, todo.UID, todo.RecurrenceID); err == nil {
			return &TakenError{Kind: KindTodo, Name: todo.UID}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err := d.put(nil, todo); err != nil {
			return err
		}
	}
	return nil
}

// mustBeLocal fails with a TakenError if the name of a calendar belongs to one whose
// events are at a service. A missing calendar is created.
func mustBeLocal(t *eventTx, name string) error {
	calendar, err := t.ensure(name)
	if err == nil && calendar.Kind != LocalCalendar {
		return &TakenError{Kind: KindCalendar, Name: name}
	}
	return err
}
