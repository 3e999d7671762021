package calendar

import (
	"techo/store/event"
	"techo/store/ledger"
	"techo/store/todo"
)

// restoreTodos gives the to-dos of a change their previous values.
func restoreTodos(t *event.Tx, c ledger.Change) error {
	var before []todo.Todo
	d := todo.Tx{Ev: t}
	for _, record := range c.Records {
		if record.Kind != ledger.KindTodo {
			continue
		}
		if record.Exists {
			now, err := d.Load(record.ID)
			if err != nil {
				return err
			}
			if err := d.Put(&now, nil); err != nil {
				return err
			}
		}
		if record.Existed {
			todo, err := todo.OfValue(record.Before)
			if err != nil {
				return ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
			}
			if todo.Calendar, err = event.NameAt(t, todo.Calendar); err != nil {
				return err
			}
			before = append(before, todo)
		}
	}
	if err := readRestored(t, ledger.KindTodo, len(before),
		func(i int) *event.Event { return &before[i].Event }); err != nil {
		return err
	}
	for i := range before {
		if err := freeForTodo(d, &before[i]); err != nil {
			return err
		}
		if err := d.Put(nil, &before[i]); err != nil {
			return err
		}
	}
	return nil
}

// readRestored reads together what putting n events or to-dos back needs. It fails with
// an error of mustBeLocal.
func readRestored(t *event.Tx, kind ledger.Kind, n int, at func(i int) *event.Event) error {
	uids, place := event.UIDs, event.Key
	if kind == ledger.KindTodo {
		uids, place = todo.UIDs, todo.PlaceKey
	}
	for i := range n {
		if err := mustBeLocal(t, at(i).Calendar); err != nil {
			return err
		}
	}
	var keys [][]byte
	for i := range n {
		e := at(i)
		key := t.Calendars[e.Calendar].InKeys()
		keys = append(keys, place(e.ID), event.OfUID(uids, key, e.UID, e.RecurrenceID),
			event.OfUID(uids, key, e.UID, ""))
	}
	values, err := t.Tx.GetMany(keys)
	if err != nil {
		return err
	}
	for i := range n {
		if values[3*i] == nil {
			t.Tx.NoteNew(ledger.RecordID{Kind: kind, ID: at(i).ID})
		}
	}
	return nil
}

// mustBeLocal fails with a TakenError if the name of a calendar belongs to one whose
// events are at a service. A missing calendar is created.
func mustBeLocal(t *event.Tx, name string) error {
	calendar, err := t.Ensure(name)
	if err == nil && calendar.Kind != event.LocalCalendar {
		return &ledger.TakenError{Kind: ledger.KindCalendar, Name: name}
	}
	return err
}
