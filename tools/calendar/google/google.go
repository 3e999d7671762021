// Package google keeps calendars at Google. It is a thin client over net/http: the generated one
// would add megabytes to the program. A patch has only the fields that changed, and a divided
// series is a copy of the whole series as JSON, so fields that techo does not know survive.
package google

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"techo/store/calendar"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
)

// Calendar is a calendar at Google.
type Calendar struct {
	api      *api
	env      *tools.Env
	Calendar event.Calendar
}

// Open opens a calendar at Google.
func Open(env *tools.Env, c event.Calendar) (backend.Calendar, error) {
	if env.Calendars.Google.Token == nil {
		return nil, env.Fail(tools.Unavailable, backend.Denied).WithHint(env.Hint("Run %s", tools.Use("cal auth google")))
	}
	client := env.HTTP
	if client == nil {
		client = &http.Client{}
	}
	return Calendar{&api{env, client, c.Account, 500 * time.Millisecond}, env, c}, nil
}

func (g Calendar) events(steps ...string) string {
	path := "/calendars/" + url.PathEscape(g.Calendar.Remote) + "/events"
	for _, s := range steps {
		path += "/" + url.PathEscape(s)
	}
	return path
}

func (g Calendar) Find(ctx context.Context, q event.Query) (found event.Found, err error) {
	found, err = g.list(ctx, q)
	return found, errorFor(g.env, "", err)
}

// list returns the events in a range.
func (g Calendar) list(ctx context.Context, q event.Query) (found event.Found, err error) {
	query := url.Values{
		"singleEvents": {"true"}, "orderBy": {"startTime"}, "maxResults": {"2500"},
		"timeMin": {q.From.UTC().Format(time.RFC3339)}, "timeMax": {q.To.UTC().Format(time.RFC3339)},
	}
	err = eachItem(ctx, g, query, func(e Event) error {
		if o, ok := e.Occurrence(g.env, g.Calendar.Name); ok {
			found.Occurrences = append(found.Occurrences, o)
		} else {
			found.Problems = append(found.Problems, event.Problem{ID: e.ID, Title: e.Summary, Code: event.NoTime})
		}
		return nil
	})
	return found, err
}

// eachItem calls fn for the items of a list of events, of all its pages. Google may return an
// empty page before the last one.
func eachItem[T any](ctx context.Context, g Calendar, query url.Values, fn func(T) error) error {
	for range 1000 {
		var page struct {
			Items         []T    `json:"items"`
			NextPageToken string `json:"nextPageToken"`
		}
		if err := g.api.call(ctx, request{method: "GET", path: g.events(), query: query}, &page); err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := fn(item); err != nil {
				return err
			}
		}
		if page.NextPageToken == "" {
			return nil
		}
		query.Set("pageToken", page.NextPageToken)
	}
	return errors.New("google: pages without end")
}

// asStored asks for all events as they are stored: single events, series, and changed or deleted
// occurrences of series.
func asStored() url.Values { return url.Values{"showDeleted": {"true"}, "maxResults": {"2500"}} }

func (g Calendar) read(ctx context.Context, id string) (e Event, o event.Occurrence, err error) {
	if err := g.api.call(ctx, request{method: "GET", path: g.events(id)}, &e); err != nil {
		return e, o, err
	}
	o, ok := e.Occurrence(g.env, g.Calendar.Name)
	if !ok || e.Status == event.Cancelled {
		return e, o, &apiError{Status: http.StatusGone, Text: "cancelled"}
	}
	return e, o, nil
}

func (g Calendar) Get(ctx context.Context, id string) (event.Occurrence, error) {
	_, o, err := g.read(ctx, id)
	return o, errorFor(g.env, id, err)
}

// noNotifications keeps Google from sending mail to guests.
var noNotifications = url.Values{"sendUpdates": {"none"}}

// findConflicts finds conflicts and duplicates of an event before it is written.
func (g Calendar) findConflicts(ctx context.Context, e event.Event, how event.Write) (w event.Written, err error) {
	if w, err = g.compare(ctx, e); err != nil {
		return w, err
	}
	w.Conflicts = w.Conflicts[:min(len(w.Conflicts), event.MaxConflicts)]
	if how.IfFree && len(w.Conflicts) > 0 {
		return w, backend.Explain(g.env, &event.ConflictError{Conflicts: w.Conflicts})
	}
	return w, nil
}

// compare finds all events at the time of an event, and its duplicates.
func (g Calendar) compare(ctx context.Context, e event.Event) (w event.Written, err error) {
	mine := event.Expand(e, g.env.Zone)
	w.Occurrence = mine[0]
	found, err := g.list(ctx, event.Query{From: w.From, To: mine[len(mine)-1].To.Add(time.Second)})
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
		overlaps := func(o event.Occurrence) bool { return x.From.Before(o.To) && o.From.Before(x.To) }
		if e.Busy() && x.Busy() && slices.ContainsFunc(mine, overlaps) {
			w.Conflicts = append(w.Conflicts, x)
		}
	}
	return w, nil
}

// firstOccurrence returns the first occurrence of a series, or the event itself.
func (g Calendar) firstOccurrence(ctx context.Context, e Event, o event.Occurrence) (Event, event.Occurrence,
	error) {
	if len(e.Recurrence) == 0 {
		return e, o, nil
	}
	// The ID of a series means its first occurrence.
	var page struct{ Items []Event }
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

func (g Calendar) Edit(ctx context.Context, id string, scope event.Scope, how event.Write,
	change func(*event.Event) error) (w event.Written, err error) {
	unlock, err := backend.Lock(ctx, g.env, g.Calendar.Remote, how)
	if err != nil {
		return w, err
	}
	defer unlock()
	e, o, err := g.read(ctx, id)
	if err == nil && scope == event.This {
		e, o, err = g.firstOccurrence(ctx, e, o)
	}
	if err == nil && scope != event.This && e.recurs() {
		s, err := g.series(ctx, e, o)
		if err == nil {
			w, err = s.edit(ctx, scope, how, change)
		}
		return w, history{g}.recorded(ctx, id, err, s.made...)
	}
	if err != nil {
		return w, errorFor(g.env, id, err)
	}
	after := *o.Event
	if err := change(&after); err != nil {
		return w, err
	}
	if w, err = g.findConflicts(ctx, after, how); err != nil || how.DryRun {
		return w, errorFor(g.env, id, err)
	}
	if w.Occurrence, err = g.patch(ctx, &e, o.Event, &after); err == nil && how.IfFree {
		err = g.keepIfFree(ctx, &w, false, func() error {
			changed := e
			changed.Etag = w.Etag
			_, err := g.patch(ctx, &changed, w.Event, o.Event)
			return err
		})
	}
	if err != nil {
		return w, errorFor(g.env, id, err)
	}
	if w.Etag != "" && w.Etag == o.Etag { // nothing was to be changed
		return w, nil
	}
	return w, history{g}.record(ctx, calendar.EventChange{Before: o.Event, After: w.Event})
}

// currentIfChanged returns the current event if err means that it changed. The
// change may be this call's own, sent twice because its first answer was lost.
func (g Calendar) currentIfChanged(ctx context.Context, id string, err error) (o event.Occurrence, ok bool) {
	if !hasStatus(err, http.StatusPreconditionFailed) {
		return o, false
	}
	_, o, err = g.read(ctx, id)
	return o, err == nil
}

// patch changes an event unless it changed since it was read. It sends only what
// differs between before and after.
func (g Calendar) patch(ctx context.Context, e *Event, before, after *event.Event) (o event.Occurrence, err error) {
	want := toGoogle(g.env, after)
	changes := toGoogle(g.env, before).changes(want)
	if len(changes) == 0 {
		o, _ = e.Occurrence(g.env, g.Calendar.Name)
		return o, nil
	}
	e.keepUnused(changes)
	changed, err := g.sendPatch(ctx, e.ID, e.Etag, changes)
	if err != nil {
		now, ok := g.currentIfChanged(ctx, e.ID, err)
		if !ok || !toGoogle(g.env, now.Event).matches(want) {
			return o, err
		}
		return now, nil
	}
	o, _ = changed.Occurrence(g.env, g.Calendar.Name)
	return o, nil
}

func (g Calendar) sendPatch(ctx context.Context, id, etag string, changes map[string]any) (e Event, err error) {
	r := request{method: "PATCH", path: g.events(id), query: noNotifications, body: changes, etag: etag}
	err = g.api.call(ctx, r, &e)
	return e, err
}

func (g Calendar) Remove(ctx context.Context, id string, scope event.Scope) (event.Occurrence, error) {
	e, o, err := g.read(ctx, id)
	if err == nil && scope == event.This {
		e, o, err = g.firstOccurrence(ctx, e, o)
	}
	var made []calendar.EventChange
	switch {
	case err != nil:
	case scope != event.This && e.recurs():
		var s *series
		if s, err = g.series(ctx, e, o); err == nil {
			err = s.remove(ctx, scope)
		}
		made = s.made
	default:
		if err = g.delete(ctx, &e); err == nil {
			made = append(made, calendar.EventChange{Before: o.Event})
		}
	}
	return o, history{g}.recorded(ctx, id, err, made...)
}

// delete deletes an event unless it changed since it was read. An event that is
// already gone counts as deleted, because the first answer may have been lost.
func (g Calendar) delete(ctx context.Context, e *Event) error {
	err := g.api.call(ctx, request{method: "DELETE", path: g.events(e.ID), query: noNotifications, etag: e.Etag}, nil)
	if hasStatus(err, http.StatusGone) {
		return nil
	}
	return err
}
