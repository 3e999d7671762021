package calendar

import (
	"context"
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
		return nil, env.Fail(tools.Unavailable, googleDenied).WithHint(env.Localize("Run techo cal auth google"))
	}
	client := env.HTTP
	if client == nil {
		client = &http.Client{}
	}
	return google{&googleAPI{env, client, 500 * time.Millisecond}, env, c}, nil
}

// events returns the API path of the calendar's events or of one event.
func (g google) events(steps ...string) string {
	path := "/calendars/" + url.PathEscape(g.calendar.Remote) + "/events"
	for _, s := range steps {
		path += "/" + url.PathEscape(s)
	}
	return path
}

func (g google) find(ctx context.Context, q store.EventQuery) (found store.Found, err error) {
	found, err = g.list(ctx, q)
	return found, googleErrorFor(g.env, "", err)
}

// list reads all pages of events in a range. Google may return an empty page
// before the last one.
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
				found.Problems = append(found.Problems,
					store.EventProblem{ID: page.Items[i].ID, Title: page.Items[i].Summary, Code: store.NoTime})
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
	return o, googleErrorFor(g.env, id, err)
}

// noNotifications keeps Google from sending mail to guests.
var noNotifications = url.Values{"sendUpdates": {"none"}}

// findConflicts finds conflicts and duplicates of an event before it is written.
func (g google) findConflicts(ctx context.Context, e store.Event, how store.EventWrite) (w store.Written, err error) {
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
		return w, Explain(g.env, &store.ConflictError{Conflicts: w.Conflicts})
	}
	return w, nil
}

// firstOccurrence returns the first occurrence of a series, or the event itself.
func (g google) firstOccurrence(ctx context.Context, e googleEvent, o store.Occurrence) (googleEvent, store.Occurrence,
	error) {
	if len(e.Recurrence) == 0 {
		return e, o, nil
	}
	// The ID of a series means its first occurrence.
	var page struct{ Items []googleEvent }
	if err := g.api.call(ctx,
		request{method: "GET", path: g.events(e.ID, "instances"), query: url.Values{"maxResults": {"1"}}},
		&page); err != nil {
		return e, o, err
	}
	if len(page.Items) == 0 {
		return e, o, nil
	}
	return g.read(ctx, page.Items[0].ID)
}

func (g google) edit(ctx context.Context, id string, scope store.Scope, how store.EventWrite,
	change func(*store.Event) error) (w store.Written, err error) {
	e, o, err := g.read(ctx, id)
	if err == nil && scope == store.This {
		e, o, err = g.firstOccurrence(ctx, e, o)
	}
	if err == nil && scope != store.This && e.recurs() {
		w, err = g.editSeries(ctx, e, o, scope, how, change)
		return w, googleErrorFor(g.env, id, err)
	}
	if err != nil {
		return w, googleErrorFor(g.env, id, err)
	}
	after := *o.Event
	if err := change(&after); err != nil {
		return w, err
	}
	if w, err = g.findConflicts(ctx, after, how); err != nil || how.DryRun {
		return w, googleErrorFor(g.env, id, err)
	}
	w.Occurrence, err = g.patch(ctx, &e, &after)
	return w, googleErrorFor(g.env, id, err)
}

// currentIfChanged returns the current event if err means that it changed. The
// change may be this call's own, sent twice because its first answer was lost.
func (g google) currentIfChanged(ctx context.Context, id string, err error) (e googleEvent) {
	refused := new(googleError)
	if errors.As(err, &refused) && refused.Status == http.StatusPreconditionFailed {
		if e, _, err = g.read(ctx, id); err != nil {
			return googleEvent{}
		}
	}
	return e
}

// patch changes an event unless it changed since it was read.
func (g google) patch(ctx context.Context, e *googleEvent, after *store.Event) (o store.Occurrence, err error) {
	patch := toGoogle(after)
	if slices.Equal(after.Recurrence, e.Recurrence) {
		patch.Recurrence = nil
	}
	var changed googleEvent
	if err := g.api.call(ctx,
		request{method: "PATCH", path: g.events(e.ID), query: noNotifications, body: patch, etag: e.Etag},
		&changed); err != nil {
		if changed = g.currentIfChanged(ctx, e.ID, err); changed.ID == "" || !changed.matches(patch) {
			return o, err
		}
	}
	o, _ = changed.occurrence(g.env, g.calendar.Name)
	return o, nil
}

func (g google) remove(ctx context.Context, id string, scope store.Scope) (store.Occurrence, error) {
	e, o, err := g.read(ctx, id)
	if err == nil && scope == store.This {
		e, o, err = g.firstOccurrence(ctx, e, o)
	}
	switch {
	case err != nil:
	case scope != store.This && e.recurs():
		err = g.removeSeries(ctx, e, o, scope)
	default:
		err = g.delete(ctx, &e)
	}
	return o, googleErrorFor(g.env, id, err)
}

// delete deletes an event unless it changed since it was read. An event that is
// already gone counts as deleted, because the first answer may have been lost.
func (g google) delete(ctx context.Context, e *googleEvent) error {
	err := g.api.call(ctx, request{method: "DELETE", path: g.events(e.ID), query: noNotifications, etag: e.Etag}, nil)
	if refused := new(googleError); errors.As(err, &refused) && refused.Status == http.StatusGone {
		return nil
	}
	return err
}

// sameTime compares two times in any notation.
func sameTime(a, b *googleTime) bool {
	x, err1 := time.Parse(time.RFC3339, a.DateTime)
	y, err2 := time.Parse(time.RFC3339, b.DateTime)
	if err1 != nil || err2 != nil {
		return a.Date == b.Date
	}
	return x.Equal(y)
}
