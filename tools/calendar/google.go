package calendar

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"techo/store"
	"techo/tools"
)

// google is a calendar at Google.
type google struct {
	api      *googleAPI
	env      *tools.Env
	calendar store.Calendar
}

// googleBackend opens a calendar at Google.
func googleBackend(env *tools.Env, c store.Calendar) (backend, error) {
	if env.Google.Token == nil {
		return nil, env.Fail(tools.Unavailable, googleDenied).WithHint(env.Say(tools.Say{EN: "Run techo cal auth google", JA: "techo cal auth google を実行してください"}))
	}
	return google{&googleAPI{env, &http.Client{}, 500 * time.Millisecond}, env, c}, nil
}

// events is the path of the calendar's events, or of one.
func (g google) events(steps ...string) string {
	path := "/calendars/" + url.PathEscape(g.calendar.Remote) + "/events"
	for _, s := range steps {
		path += "/" + url.PathEscape(s)
	}
	return path
}

func (g google) find(ctx context.Context, q store.EventQuery) (found store.Found, err error) {
	found, err = g.list(ctx, q)
	return found, explainGoogle(g.env, "", err)
}

// list reads all pages of the events of a time. An empty page may have a next
// one.
func (g google) list(ctx context.Context, q store.EventQuery) (found store.Found, err error) {
	query := url.Values{
		"singleEvents": {"true"}, "orderBy": {"startTime"}, "maxResults": {"2500"},
		"timeMin": {q.From.UTC().Format(time.RFC3339)}, "timeMax": {q.To.UTC().Format(time.RFC3339)},
	}
	for range 1000 {
		var page struct {
			Items         []googleEvent `json:"items"`
			NextPageToken string        `json:"nextPageToken"`
		}
		if err := g.api.call(ctx, request{method: "GET", path: g.events(), query: query}, &page); err != nil {
			return found, err
		}
		for i := range page.Items {
			if o, ok := page.Items[i].occurrence(g.env, g.calendar.Name); ok {
				found.Occurrences = append(found.Occurrences, o)
			} else {
				found.Problems = append(found.Problems, store.EventProblem{ID: page.Items[i].ID, Title: page.Items[i].Summary, Reason: "no time"})
			}
		}
		if page.NextPageToken == "" {
			return found, nil
		}
		query.Set("pageToken", page.NextPageToken)
	}
	return found, errors.New("google: pages without end")
}

func (g google) read(ctx context.Context, id string) (e googleEvent, o store.Occurrence, err error) {
	if err := g.api.call(ctx, request{method: "GET", path: g.events(id)}, &e); err != nil {
		return e, o, err
	}
	o, ok := e.occurrence(g.env, g.calendar.Name)
	if !ok || e.Status == store.Cancelled {
		return e, o, &googleError{Status: http.StatusGone, Text: "cancelled"}
	}
	return e, o, nil
}

func (g google) get(ctx context.Context, id string) (store.Occurrence, error) {
	_, o, err := g.read(ctx, id)
	return o, explainGoogle(g.env, id, err)
}

// newID names an event after the idempotency key of its call, or at random: a
// request whose answer was lost is then sent again without making a second one.
func (g google) newID(ctx context.Context) string {
	seed := make([]byte, 20)
	if key := tools.IdempotencyKey(ctx); key != "" {
		digest := sha256.Sum256([]byte(g.calendar.Remote + "\x00" + key))
		copy(seed, digest[:])
	} else {
		_, _ = rand.Read(seed) // never fails
	}
	return strings.ToLower(base32.HexEncoding.EncodeToString(seed))
}

// silent keeps Google from writing to those who are invited.
var silent = url.Values{"sendUpdates": {"none"}}

func (g google) add(ctx context.Context, e store.Event, how store.EventWrite) (w store.Written, err error) {
	draft := toGoogle(&e)
	if w, err = g.meet(ctx, e, how); err != nil || how.DryRun {
		return w, explainGoogle(g.env, "", err)
	}
	draft.ID = g.newID(ctx)
	var made googleEvent
	err = g.api.call(ctx, request{method: "POST", path: g.events(), query: silent, body: draft}, &made)
	if refused := new(googleError); errors.As(err, &refused) && refused.Status == http.StatusConflict { // it arrived before
		made, _, err = g.read(ctx, draft.ID)
		if key := tools.IdempotencyKey(ctx); err == nil && key != "" && !sameTime(made.Start, draft.Start) || err == nil && made.Summary != draft.Summary {
			return w, &store.ReusedKeyError{Key: key}
		}
	}
	if err != nil {
		return w, explainGoogle(g.env, draft.ID, err)
	}
	o, _ := made.occurrence(g.env, g.calendar.Name)
	w.Occurrence = o
	if !how.IfFree {
		return w, nil
	}
	// Somebody may have been as fast: then neither keeps the time.
	again, err := g.meet(ctx, *o.Event, how)
	if err != nil {
		undo := g.api.call(ctx, request{method: "DELETE", path: g.events(made.ID), query: silent}, nil)
		return w, errors.Join(explainGoogle(g.env, made.ID, err), undo)
	}
	w.Conflicts = again.Conflicts
	return w, nil
}

// meet looks at what an event that is to be written meets.
func (g google) meet(ctx context.Context, e store.Event, how store.EventWrite) (w store.Written, err error) {
	mine := store.Expand(e, g.env.Zone)
	w.Occurrence = mine[0]
	found, err := g.list(ctx, store.EventQuery{From: w.From, To: mine[len(mine)-1].To.Add(time.Second)})
	if err != nil {
		return w, err
	}
	for _, x := range found.Occurrences {
		if e.ID != "" && (x.Event.ID == e.ID || strings.HasPrefix(x.Event.ID, e.ID+"_")) {
			continue
		}
		if x.Title == e.Title && x.From.Equal(w.From) {
			w.Duplicates = append(w.Duplicates, x)
		}
		meets := func(o store.Occurrence) bool { return x.From.Before(o.To) && o.From.Before(x.To) }
		if e.Busy() && x.Busy() && len(w.Conflicts) < store.MaxConflicts && slices.ContainsFunc(mine, meets) {
			w.Conflicts = append(w.Conflicts, x)
		}
	}
	if how.IfFree && len(w.Conflicts) > 0 {
		return w, explain(g.env, &store.ConflictError{Conflicts: w.Conflicts})
	}
	return w, nil
}

// one is the event that a change of one occurrence is about.
func (g google) one(ctx context.Context, e googleEvent, o store.Occurrence) (googleEvent, store.Occurrence, error) {
	if len(e.Recurrence) == 0 {
		return e, o, nil
	}
	// The series stands for its first occurrence.
	var page struct{ Items []googleEvent }
	if err := g.api.call(ctx, request{method: "GET", path: g.events(e.ID, "instances"), query: url.Values{"maxResults": {"1"}}}, &page); err != nil {
		return e, o, err
	}
	if len(page.Items) == 0 {
		return e, o, nil
	}
	return g.read(ctx, page.Items[0].ID)
}

func (g google) edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite, change func(*store.Event) error) (w store.Written, err error) {
	e, o, err := g.read(ctx, id)
	if err == nil && scope == store.This {
		e, o, err = g.one(ctx, e, o)
	}
	if err == nil && scope != store.This && e.recurs() {
		w, err = g.editSeries(ctx, e, o, scope, how, change)
		return w, explainGoogle(g.env, id, err)
	}
	if err != nil {
		return w, explainGoogle(g.env, id, err)
	}
	after := *o.Event
	if err := change(&after); err != nil {
		return w, err
	}
	if w, err = g.meet(ctx, after, how); err != nil || how.DryRun {
		return w, explainGoogle(g.env, id, err)
	}
	w.Occurrence, err = g.patch(ctx, &e, &after)
	return w, explainGoogle(g.env, id, err)
}

// arrived is the event that somebody changed, as a refusal says. It may have been
// this very call, whose first answer was lost.
func (g google) arrived(ctx context.Context, id string, err error) (e googleEvent) {
	refused := new(googleError)
	if errors.As(err, &refused) && refused.Status == http.StatusPreconditionFailed {
		if e, _, err = g.read(ctx, id); err != nil {
			return googleEvent{}
		}
	}
	return e
}

// patch changes an event, unless it is not as it was read.
func (g google) patch(ctx context.Context, e *googleEvent, after *store.Event) (o store.Occurrence, err error) {
	patch := toGoogle(after)
	if slices.Equal(after.Recurrence, e.Recurrence) {
		patch.Recurrence = nil
	}
	var changed googleEvent
	if err := g.api.call(ctx, request{method: "PATCH", path: g.events(e.ID), query: silent, body: patch, etag: e.Etag}, &changed); err != nil {
		if changed = g.arrived(ctx, e.ID, err); changed.ID == "" || !changed.says(patch) {
			return o, err
		}
	}
	o, _ = changed.occurrence(g.env, g.calendar.Name)
	return o, nil
}

func (g google) remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error) {
	e, o, err := g.read(ctx, id)
	if err == nil && scope == store.This {
		e, o, err = g.one(ctx, e, o)
	}
	switch {
	case err != nil:
	case scope != store.This && e.recurs():
		err = g.removeSeries(ctx, e, o, scope)
	default:
		err = g.drop(ctx, &e)
	}
	return o, explainGoogle(g.env, id, err)
}

// drop deletes an event, unless it is not as it was read. One that is gone
// already, because an answer was lost, is what was asked for.
func (g google) drop(ctx context.Context, e *googleEvent) error {
	err := g.api.call(ctx, request{method: "DELETE", path: g.events(e.ID), query: silent, etag: e.Etag}, nil)
	if refused := new(googleError); errors.As(err, &refused) && refused.Status == http.StatusGone {
		return nil
	}
	return err
}

// sameTime compares two times, however they are written.
func sameTime(a, b *googleTime) bool {
	x, err1 := time.Parse(time.RFC3339, a.DateTime)
	y, err2 := time.Parse(time.RFC3339, b.DateTime)
	if err1 != nil || err2 != nil {
		return a.Date == b.Date
	}
	return x.Equal(y)
}
