package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"techo/store/kv"
)

// # Moves between calendars
//
// An event or a to-do moves to another calendar of its space or of another one, and keeps
// its id, its UID and its times. A series moves with the events that replace occurrences.

// SameCalendarError reports that a record to move is in that calendar already.
type SameCalendarError struct{ Calendar string }

func (e *SameCalendarError) Error() string { return "calendar " + e.Calendar + ": the same one" }

// RemoteCalendarError reports that the events of a calendar are at a service.
type RemoteCalendarError struct{ Calendar string }

func (e *RemoteCalendarError) Error() string { return "calendar " + e.Calendar + ": at a service" }

// MoveEvent moves an event from one store to a calendar of another store or of the same
// one; "" is the chosen default there. The id of an occurrence moves the series.
func MoveEvent(ctx context.Context, from, to *Store, id, calendar string, loc *time.Location) (o Occurrence,
	err error) {
	err = betweenCalendars(ctx, from, to, func(here, there *eventTx) error {
		if o, err = here.get(id, loc); err != nil {
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
			if err := here.put(&all[i], nil); err != nil {
				return err
			}
		}
		for _, e := range all {
			e.Calendar = target
			if err := freeForEvent(there, &e); err != nil {
				return err
			}
			if err := there.put(nil, &e); err != nil {
				return err
			}
		}
		o, err = there.get(id, loc)
		return err
	})
	return o, err
}

// MoveTodo is MoveEvent for a to-do.
func MoveTodo(ctx context.Context, from, to *Store, id, calendar string, loc *time.Location) (o TodoOccurrence,
	err error) {
	err = betweenCalendars(ctx, from, to, func(here, there *eventTx) error {
		old, fresh := todoTx{here}, todoTx{there}
		todo, err := old.load(id)
		if err != nil {
			return err
		}
		target, err := moveTarget(here, there, todo.Calendar, calendar)
		if err != nil {
			return err
		}
		all, err := old.ofUID(todo.Calendar, todo.UID)
		if err != nil {
			return err
		}
		for i := range all {
			if err := old.put(&all[i], nil); err != nil {
				return err
			}
		}
		for _, t := range all {
			t.Calendar = target
			if err := freeForTodo(fresh, &t); err != nil {
				return err
			}
			if err := fresh.put(nil, &t); err != nil {
				return err
			}
		}
		todo.Calendar = target
		o = fresh.current(todo, loc)
		return nil
	})
	return o, err
}

// betweenCalendars runs fn in one transaction of one or two stores, and saves their
// calendars.
func betweenCalendars(ctx context.Context, from, to *Store, fn func(here, there *eventTx) error) error {
	if from.space == to.space && rootOf(from) == rootOf(to) {
		return from.update(ctx, func(tx *Tx) error {
			t := from.newEventTx(tx)
			if err := fn(t, t); err != nil {
				return err
			}
			return t.save()
		})
	}
	return updateBoth(ctx, from, to, func(here, there *Tx) error {
		old, fresh := from.newEventTx(here), to.newEventTx(there)
		if err := fn(old, fresh); err != nil {
			return err
		}
		if err := old.save(); err != nil {
			return err
		}
		return fresh.save()
	})
}

// moveTarget returns the name of the calendar that a record of another one moves to. It
// fails with a SameCalendarError, a RemoteCalendarError or a CalendarNameError.
func moveTarget(here, there *eventTx, from, to string) (string, error) {
	if to == "" {
		var err error
		if to, err = usualName(there); err != nil {
			return "", err
		}
	}
	if here == there && from == to {
		return "", &SameCalendarError{to}
	}
	if err := usableName(there, to); err != nil {
		return "", err
	}
	for t, name := range map[*eventTx]string{here: from, there: to} {
		if c, err := t.ensure(name); err != nil {
			return "", err
		} else if c.Kind != LocalCalendar {
			return "", &RemoteCalendarError{name}
		}
	}
	return to, nil
}

// freeForEvent fails with a TakenError if another event has the UID or the id of one
// to be added.
func freeForEvent(t *eventTx, e *Event) error {
	_, err := t.byUID(e.Calendar, e.UID, e.RecurrenceID)
	if errors.Is(err, kv.ErrNotFound) {
		_, err = t.tx.Get(eventKey(e.ID))
	}
	if err == nil {
		return &TakenError{Kind: KindEvent, Name: e.UID}
	}
	return ignoreMissing(err)
}

// freeForTodo is freeForEvent for a to-do.
func freeForTodo(d todoTx, t *Todo) error {
	_, err := d.byUID(t.Calendar, t.UID, t.RecurrenceID)
	if errors.Is(err, kv.ErrNotFound) {
		_, err = d.ev.tx.Get(todoPlaceKey(t.ID))
	}
	if err == nil {
		return &TakenError{Kind: KindTodo, Name: t.UID}
	}
	return ignoreMissing(err)
}
