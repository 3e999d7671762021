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
	if err := readRestored(t, KindTodo, len(before), func(i int) *Event { return &before[i].Event }); err != nil {
		return err
	}
	for i := range before {
		todo := &before[i]
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

// readRestored reads together what putting n events or to-dos back needs. It fails with
// an error of mustBeLocal.
func readRestored(t *eventTx, kind Kind, n int, event func(i int) *Event) error {
	uids, place := eventUIDs, eventKey
	if kind == KindTodo {
		uids, place = todoUIDs, todoPlaceKey
	}
	for i := range n {
		if err := mustBeLocal(t, event(i).Calendar); err != nil {
			return err
		}
	}
	var keys [][]byte
	for i := range n {
		e := event(i)
		key := t.calendars[e.Calendar].key()
		keys = append(keys, place(e.ID), uids.ofUID(key, e.UID, e.RecurrenceID), uids.ofUID(key, e.UID, ""))
	}
	values, err := t.tx.GetMany(keys)
	if err != nil {
		return err
	}
	for i := range n {
		if values[3*i] == nil {
			t.tx.noteNew(recordID{kind, event(i).ID})
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
