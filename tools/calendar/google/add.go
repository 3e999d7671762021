package google

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/store/ledger"
	"techo/tools"
	"techo/tools/calendar/backend"
)

// inputProperty is the private property of an event at Google with the digest of
// its input, for calls with an idempotency key.
const inputProperty = "techo-input"

// Add creates an event. A call with an idempotency key that was used before
// returns the event that it created then, as it is now.
func (g Calendar) Add(ctx context.Context, e event.Event, how event.Write) (w event.Written, err error) {
	unlock, err := backend.Lock(ctx, g.env, g.Calendar.Remote, how)
	if err != nil {
		return w, err
	}
	defer unlock()
	draft := toGoogle(g.env, &e)
	key, keyed := tools.KeyOf(g.env)
	draft.ID = backend.NewID(g.Calendar.Remote, key, keyed)
	if keyed && !how.DryRun {
		if draft.Properties == nil {
			draft.Properties = &properties{Private: map[string]string{}}
		}
		draft.Properties.Private[inputProperty] = key.Input
		made, err := g.createdBefore(ctx, draft, key.Key)
		if made != nil && err == nil {
			return g.replay(ctx, made, how)
		}
		if err != nil {
			return w, notAdded(g.env, draft.ID, err)
		}
	}
	if w, err = g.findConflicts(ctx, e, how); err != nil || how.DryRun {
		return w, errorFor(g.env, "", err)
	}
	var made Event
	err = g.api.call(ctx, request{method: "POST", path: g.events(), query: noNotifications, body: draft}, &made)
	if hasStatus(err, http.StatusConflict) { // the first request arrived, but its answer was lost
		var there *Event
		if there, err = g.createdBefore(ctx, draft, key.Key); there != nil {
			made = *there
		}
	}
	if err != nil {
		return w, notAdded(g.env, draft.ID, err)
	}
	w.Occurrence, _ = made.Occurrence(g.env, g.Calendar.Name)
	if how.IfFree {
		err = g.keepIfFree(ctx, &w, true, func() error {
			return g.api.call(ctx, request{method: "DELETE", path: g.events(made.ID), query: noNotifications}, nil)
		})
	}
	if err == nil {
		err = history{g}.record(ctx, calendar.EventChange{After: w.Event})
	}
	return w, err
}

// tieTime is how long the program that created an event has to withdraw it.
const tieTime = 2 * time.Second

// keepIfFree checks again, after a write, that the time is free: a program on
// another machine may have taken it in between. Of two new events the one that
// Google created first stays; a changed event gives way to any. undo reverts the
// write.
//
// Google may give two events the same time of creation. Then the one with the lower ID stays,
// unless the other one is still there after tieTime: its program checked before this event
// was there, and keeps it.
func (g Calendar) keepIfFree(ctx context.Context, w *event.Written, isNew bool, undo func() error) error {
	first, ties, err := rivals(ctx, g, w, isNew)
	if err == nil && len(first) == 0 && len(ties) > 0 {
		first, err = outlasting(ctx, g, w, ties)
	}
	if err != nil {
		return errors.Join(errorFor(g.env, w.Event.ID, err), undo())
	}
	if len(first) == 0 {
		return nil
	}
	first = first[:min(len(first), event.MaxConflicts)]
	return errors.Join(backend.Explain(g.env, &event.ConflictError{Conflicts: first}),
		undo())
}

// outlasting waits for tieTime, and returns the conflicts of a new event that it gives way to then:
// also those of the ties that are still there.
func outlasting(ctx context.Context, g Calendar, w *event.Written, ties []event.Occurrence) ([]event.Occurrence,
	error) {
	if err := waitFor(ctx, tieTime); err != nil {
		return nil, err
	}
	first, later, err := rivals(ctx, g, w, true)
	for _, o := range later {
		if slices.ContainsFunc(ties, func(t event.Occurrence) bool { return t.Event.ID == o.Event.ID }) {
			first = append(first, o)
		}
	}
	return first, err
}

// rivals returns the conflicts of a written event that it gives way to, and the ones that were
// created at the same time and have higher IDs.
func rivals(ctx context.Context, g Calendar, w *event.Written, isNew bool) (first, ties []event.Occurrence, err error) {
	again, err := g.compare(ctx, *w.Event)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range again.Conflicts {
		switch same := o.CreatedAt.Equal(w.CreatedAt); {
		case isNew && same && o.Event.ID > w.Event.ID:
			ties = append(ties, o)
		case !isNew || same || o.CreatedAt.Before(w.CreatedAt):
			first = append(first, o)
		}
	}
	return first, ties, nil
}

// notAdded explains why an event was not created.
func notAdded(env *tools.Env, id string, err error) error {
	if errors.As(err, new(*ledger.ReusedKeyError)) {
		return err
	}
	return errorFor(env, id, err)
}

// createdBefore returns the event that an earlier request with the draft's ID
// created, or nil. It fails with a ReusedKeyError if that request had another
// input.
func (g Calendar) createdBefore(ctx context.Context, draft *Event, key string) (*Event, error) {
	var made Event
	err := g.api.call(ctx, request{method: "GET", path: g.events(draft.ID)}, &made)
	switch {
	case hasStatus(err, http.StatusNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !made.createdFrom(draft):
		return nil, &ledger.ReusedKeyError{Key: key}
	case made.Status == event.Cancelled && draft.Status != event.Cancelled:
		return nil, &apiError{Status: http.StatusGone, Text: "cancelled"}
	}
	return &made, nil
}

// createdFrom reports whether an event was created from the input of a draft.
func (g *Event) createdFrom(draft *Event) bool {
	if g.Properties == nil || draft.Properties == nil {
		return g.matches(draft)
	}
	return g.Properties.Private[inputProperty] == draft.Properties.Private[inputProperty]
}

// replay returns the result of a call that created its event before. Conflicts are
// reported but not refused, because the time was free then.
func (g Calendar) replay(ctx context.Context, made *Event, how event.Write) (w event.Written, err error) {
	o, ok := made.Occurrence(g.env, g.Calendar.Name)
	if !ok {
		return w, errorFor(g.env, made.ID, &apiError{Status: http.StatusGone, Text: "no time"})
	}
	how.IfFree = false
	w, err = g.findConflicts(ctx, *o.Event, how)
	w.Occurrence = o
	return w, errorFor(g.env, made.ID, err)
}

// isMissing reports whether Google has no such event, or no longer.
func isMissing(err error) bool {
	return hasStatus(err, http.StatusNotFound) || hasStatus(err, http.StatusGone)
}

func asRefusal(err error) (refused *apiError, ok bool) {
	refused = new(apiError)
	ok = errors.As(err, &refused)
	return refused, ok
}

// hasStatus reports whether Google refused a request with a status.
func hasStatus(err error, status int) bool {
	refused, ok := asRefusal(err)
	return ok && refused.Status == status
}
