package calendar

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"strings"

	"techo/store"
	"techo/tools"
)

// inputProperty is the private property of an event at Google with the digest of
// its input, for calls with an idempotency key.
const inputProperty = "techo-input"

// newID derives the ID of a new event from the call's idempotency key, which is
// separate for each user. Without a key the ID is random. Repeating a request
// after a lost answer uses the same ID and does not create a second event.
func (g google) newID(key tools.CallKey, keyed bool) string {
	seed := make([]byte, 20)
	if keyed {
		digest := sha256.Sum256([]byte(g.calendar.Remote + "\x00" + key.User + "\x00" + key.Key))
		copy(seed, digest[:])
	} else {
		_, _ = rand.Read(seed) // never fails
	}
	return strings.ToLower(base32.HexEncoding.EncodeToString(seed))
}

// add creates an event. A call with an idempotency key that was used before
// returns the event that it created then, as it is now.
func (g google) add(ctx context.Context, e store.Event, how store.EventWrite) (w store.Written, err error) {
	draft := toGoogle(&e)
	key, keyed := tools.KeyOf(ctx)
	draft.ID = g.newID(key, keyed)
	if keyed && !how.DryRun {
		draft.Properties = &googleProperties{Private: map[string]string{inputProperty: key.Input}}
		made, err := g.createdBefore(ctx, draft, key.Key)
		if made != nil && err == nil {
			return g.replay(ctx, made, how)
		}
		if err != nil {
			return w, g.notAdded(draft.ID, err)
		}
	}
	if w, err = g.findConflicts(ctx, e, how); err != nil || how.DryRun {
		return w, googleErrorFor(g.env, "", err)
	}
	var made googleEvent
	err = g.api.call(ctx, request{method: "POST", path: g.events(), query: noNotifications, body: draft}, &made)
	if hasStatus(err, http.StatusConflict) { // the first request arrived, but its answer was lost
		var there *googleEvent
		if there, err = g.createdBefore(ctx, draft, key.Key); there != nil {
			made = *there
		}
	}
	if err != nil {
		return w, g.notAdded(draft.ID, err)
	}
	w.Occurrence, _ = made.occurrence(g.env, g.calendar.Name)
	if !how.IfFree {
		return w, nil
	}
	// Another call may have taken the time in the meantime. Then neither keeps it.
	again, err := g.findConflicts(ctx, *w.Event, how)
	if err != nil {
		undo := g.api.call(ctx, request{method: "DELETE", path: g.events(made.ID), query: noNotifications}, nil)
		return w, errors.Join(googleErrorFor(g.env, made.ID, err), undo)
	}
	w.Conflicts = again.Conflicts
	return w, nil
}

// notAdded explains why an event was not created.
func (g google) notAdded(id string, err error) error {
	if errors.As(err, new(*store.ReusedKeyError)) {
		return err
	}
	return googleErrorFor(g.env, id, err)
}

// createdBefore returns the event that an earlier request with the draft's ID
// created, or nil. It fails with a ReusedKeyError if that request had another
// input.
func (g google) createdBefore(ctx context.Context, draft *googleEvent, key string) (*googleEvent, error) {
	var made googleEvent
	err := g.api.call(ctx, request{method: "GET", path: g.events(draft.ID)}, &made)
	switch {
	case hasStatus(err, http.StatusNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !made.createdFrom(draft):
		return nil, &store.ReusedKeyError{Key: key}
	case made.Status == store.Cancelled && draft.Status != store.Cancelled:
		return nil, &googleError{Status: http.StatusGone, Text: "cancelled"}
	}
	return &made, nil
}

// createdFrom reports whether an event was created from the input of a draft.
func (g *googleEvent) createdFrom(draft *googleEvent) bool {
	if g.Properties == nil || draft.Properties == nil {
		return g.matches(draft)
	}
	return g.Properties.Private[inputProperty] == draft.Properties.Private[inputProperty]
}

// replay returns the result of a call that created its event before. Conflicts are
// reported but not refused, because the time was free then.
func (g google) replay(ctx context.Context, made *googleEvent, how store.EventWrite) (w store.Written, err error) {
	o, ok := made.occurrence(g.env, g.calendar.Name)
	if !ok {
		return w, googleErrorFor(g.env, made.ID, &googleError{Status: http.StatusGone, Text: "no time"})
	}
	how.IfFree = false
	w, err = g.findConflicts(ctx, *o.Event, how)
	w.Occurrence = o
	return w, googleErrorFor(g.env, made.ID, err)
}

// hasStatus reports whether Google refused a request with a status.
func hasStatus(err error, status int) bool {
	refused := new(googleError)
	return errors.As(err, &refused) && refused.Status == status
}
