package calendar

import (
	"context"
	"errors"
	"slices"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/todo"
)

// # Moves between calendars
//
// An event or a to-do moves to another calendar of its space or of another one, and keeps
// its id, its UID and its times. A series moves with the events that replace occurrences.

// SameCalendarError reports that a record to move is in that calendar already.
type SameCalendarError struct{ Calendar string }

func (e *SameCalendarError) Error() string { return "calendar " + e.Calendar + ": the same one" }

// MoveEvent moves an event from one store to a calendar of another store or of the same
// one; "" is the chosen default there. The id of an occurrence moves the series.
func MoveEvent(ctx context.Context, from, to *ledger.Ledger, id, calendar string,
	loc *time.Location) (o event.Occurrence,
	err error) {
	err = betweenCalendars(ctx, from, to, func(here, there *event.Tx) error {
		if o, err = here.Get(id, loc); err != nil {
			return err
		}
		target, err := moveTarget(here, there, o.Calendar, calendar)
		if err != nil {
			return err
		}
		all, err := eventsOfUID(here, o.Calendar, o.UID)
		if err != nil {
			return err
		}
		for i := range slices.Backward(all) { // the series last
			if err := here.Put(&all[i], nil); err != nil {
				return err
			}
		}
		for _, e := range all {
			e.Calendar = target
			if err := freeForEvent(there, &e); err != nil {
				return err
			}
			if err := there.Put(nil, &e); err != nil {
				return err
			}
		}
		o, err = there.Get(id, loc)
		return err
	})
	return o, err
}

// MoveTodo is MoveEvent for a to-do.
func MoveTodo(ctx context.Context, from, to *ledger.Ledger, id, calendar string, loc *time.Location) (o todo.Occurrence,
	err error) {
	err = betweenCalendars(ctx, from, to, func(here, there *event.Tx) error {
		old, fresh := todo.Tx{Ev: here}, todo.Tx{Ev: there}
		todo, err := old.Load(id)
		if err != nil {
			return err
		}
		target, err := moveTarget(here, there, todo.Calendar, calendar)
		if err != nil {
			return err
		}
		all, err := old.OfUID(todo.Calendar, todo.UID)
		if err != nil {
			return err
		}
		for i := range all {
			if err := old.Put(&all[i], nil); err != nil {
				return err
			}
		}
		for _, t := range all {
			t.Calendar = target
			if err := freeForTodo(fresh, &t); err != nil {
				return err
			}
			if err := fresh.Put(nil, &t); err != nil {
				return err
			}
		}
		todo.Calendar = target
		o = fresh.Current(todo, loc)
		return nil
	})
	return o, err
}

// betweenCalendars runs fn in one transaction of one or two stores, and saves their
// calendars.
func betweenCalendars(ctx context.Context, from, to *ledger.Ledger, fn func(here, there *event.Tx) error) error {
	if from.Space == to.Space && from.Root() == to.Root() {
		return from.Update(ctx, func(tx *ledger.Tx) error {
			t := event.NewTx(tx)
			if err := fn(t, t); err != nil {
				return err
			}
			return t.Save()
		})
	}
	return ledger.UpdateBoth(ctx, from, to, func(here, there *ledger.Tx) error {
		old, fresh := event.NewTx(here), event.NewTx(there)
		if err := fn(old, fresh); err != nil {
			return err
		}
		if err := old.Save(); err != nil {
			return err
		}
		return fresh.Save()
	})
}

// moveTarget returns the name of the calendar that a record of another one moves to. It
// fails with a SameCalendarError, a RemoteCalendarError or a CalendarNameError.
func moveTarget(here, there *event.Tx, from, to string) (string, error) {
	if to == "" {
		var err error
		if to, err = event.UsualName(there); err != nil {
			return "", err
		}
	}
	if here == there && from == to {
		return "", &SameCalendarError{to}
	}
	if err := event.UsableName(there, to); err != nil {
		return "", err
	}
	for t, name := range map[*event.Tx]string{here: from, there: to} {
		if c, err := t.Ensure(name); err != nil {
			return "", err
		} else if c.Kind != event.LocalCalendar {
			return "", &event.RemoteCalendarError{Calendar: name}
		}
	}
	return to, nil
}

// freeForEvent fails with a TakenError if another event has the UID or the id of one
// to be added.
func freeForEvent(t *event.Tx, e *event.Event) error {
	_, err := t.ByUID(e.Calendar, e.UID, e.RecurrenceID)
	if errors.Is(err, kv.ErrNotFound) {
		_, err = t.Tx.Get(event.Key(e.ID))
	}
	if err == nil {
		return &ledger.TakenError{Kind: ledger.KindEvent, Name: e.UID}
	}
	return ledger.IgnoreMissing(err)
}

// freeForTodo is freeForEvent for a to-do.
func freeForTodo(d todo.Tx, t *todo.Todo) error {
	_, err := d.ByUID(t.Calendar, t.UID, t.RecurrenceID)
	if errors.Is(err, kv.ErrNotFound) {
		_, err = d.Ev.Tx.Get(todo.PlaceKey(t.ID))
	}
	if err == nil {
		return &ledger.TakenError{Kind: ledger.KindTodo, Name: t.UID}
	}
	return ledger.IgnoreMissing(err)
}
