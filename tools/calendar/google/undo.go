package google

import (
	"cmp"
	"context"
	"errors"

	"techo/internal/sorting"
	"techo/store"
	"techo/store/calendar"
	"techo/store/event"
	historystore "techo/store/history"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/backend"
)

// history records the changes of a calendar at Google, and undoes them.
type history struct{ at Calendar }

// record adds changes that this call made at Google to the history, as one change. A
// cancelled event is a removed one.
func (h history) record(ctx context.Context, changes ...calendar.EventChange) error {
	var made []calendar.EventChange
	for _, c := range changes {
		if c.After != nil && c.After.Status == event.Cancelled {
			c.After = nil
		}
		if c.Before != nil || c.After != nil {
			made = append(made, c)
		}
	}
	if len(made) == 0 {
		return nil
	}
	st, err := h.at.env.Store(ctx, tools.Changes)
	if err != nil {
		return err
	}
	return calendar.RecordElsewhere(ctx, st.Ledger, made)
}

// recorded records what a call changed at Google, also if it failed afterwards, and
// returns the error for its failure err.
func (h history) recorded(ctx context.Context, id string, err error, made ...calendar.EventChange) error {
	if recording := h.record(ctx, made...); recording != nil {
		return errors.Join(errorFor(h.at.env, id, err), recording)
	}
	return errorFor(h.at.env, id, err)
}

// Undo undoes a change of events at Google, and records that. It refuses if one
// of them changed since. If it fails half way, a repetition restores the rest.
func Undo(ctx context.Context, env *tools.Env, st *store.Store, c ledger.Change) error {
	changes, err := calendar.Elsewhere(ctx, st.Ledger, c)
	if err != nil {
		return err
	}
	g, err := googleOf(ctx, env, st, changes[0])
	if err != nil {
		return backend.Explain(env, err)
	}
	h := history{g}
	there, now := map[string]Event{}, map[string]*event.Event{}
	for _, one := range changes {
		id := one.ID()
		if there[id], now[id], err = h.current(ctx, id); err != nil {
			return errorFor(env, id, err)
		}
	}
	restored, err := calendar.CheckElsewhere(ctx, st.Ledger, c, now)
	if err != nil {
		return err
	}
	sorting.By(changes, inUndoOrder)
	var done []calendar.EventChange
	for _, one := range changes {
		id := one.ID()
		if restored[id] {
			continue
		}
		after, err := h.revert(ctx, there[id], one.Before)
		if err != nil {
			return h.recorded(ledger.WithPartOfUndo(ctx, c), id, err, done...)
		}
		done = append(done, calendar.EventChange{Before: now[id], After: after})
	}
	if len(done) == 0 {
		return historystore.Of(st.Ledger).FinishUndoElsewhere(ctx, c)
	}
	return h.record(ledger.WithUndoing(ctx, c), done...)
}

// inUndoOrder puts series before the events that replace their occurrences, and added
// events last: no failure in between loses an occurrence.
func inUndoOrder(a, b calendar.EventChange) int {
	order := func(c calendar.EventChange) int {
		switch {
		case c.Before == nil:
			return 2
		case c.Before.RecurrenceID != "":
			return 1
		}
		return 0
	}
	return cmp.Compare(order(a), order(b))
}

func googleOf(ctx context.Context, env *tools.Env, st *store.Store, c calendar.EventChange) (g Calendar, err error) {
	name := ""
	for _, e := range []*event.Event{c.Before, c.After} {
		if e != nil {
			name = e.Calendar
		}
	}
	found, err := st.FindCalendar(ctx, name)
	if err != nil {
		return g, err
	}
	if found.Kind != event.GoogleCalendar {
		return g, &ledger.NotFoundError{Kind: ledger.KindCalendar, Name: name}
	}
	b, err := Open(env, found)
	if err != nil {
		return g, err
	}
	return b.(Calendar), nil
}

// current reads an event. now is nil if it was deleted.
func (h history) current(ctx context.Context, id string) (e Event, now *event.Event, err error) {
	g := h.at
	err = g.api.call(ctx, request{method: "GET", path: g.events(id)}, &e)
	if isMissing(err) {
		return Event{ID: id, Status: event.Cancelled}, nil, nil
	}
	o, ok := e.Occurrence(g.env, g.Calendar.Name)
	if err != nil || !ok || e.Status == event.Cancelled {
		return e, nil, err
	}
	return e, o.Event, nil
}

// revert gives an event its previous content, or deletes it if it had none, unless it
// changed since it was read. A deleted event becomes confirmed again: Google keeps it for
// some weeks.
func (h history) revert(ctx context.Context, e Event, before *event.Event) (after *event.Event, err error) {
	if before == nil {
		return nil, h.at.delete(ctx, &e)
	}
	now := event.Event{Status: e.Status}
	if o, ok := e.Occurrence(h.at.env, h.at.Calendar.Name); ok {
		now = *o.Event
	}
	o, err := h.at.patch(ctx, &e, &now, before)
	return o.Event, err
}
