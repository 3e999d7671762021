package calendar

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"techo/internal/zone"
	"techo/store"
	"techo/tools"
)

// recurs reports whether the event is a series or one of its occurrences.
func (g *googleEvent) recurs() bool { return len(g.Recurrence) > 0 || g.RecurringEventID != "" }

// googleSeries is a series and the occurrence that a change refers to.
type googleSeries struct {
	master googleEvent
	event  store.Event // the master
	home   *time.Location
	wall   time.Time // start of the occurrence, as wall clock time of the series
}

// isFirst reports whether the occurrence is the first one.
func (s *googleSeries) isFirst() bool { return !s.wall.After(s.event.Start) }

// series reads the series of an event.
func (g google) series(ctx context.Context, e googleEvent, o store.Occurrence) (s googleSeries, err error) {
	s.master = e
	of := o
	if e.RecurringEventID != "" {
		if s.master, of, err = g.read(ctx, e.RecurringEventID); err != nil {
			return s, err
		}
	}
	s.event, s.home = *of.Event, g.env.Zone
	if loc, ok := zone.Find(s.event.Zone); ok {
		s.home = loc
	}
	s.wall = s.event.Start
	if e.RecurringEventID == "" {
		return s, nil
	}
	if t := e.OriginalStart; t != nil {
		if day, err := time.Parse(time.DateOnly, t.Date); err == nil {
			s.wall = day
			return s, nil
		}
		if at, err := time.Parse(time.RFC3339, t.DateTime); err == nil {
			s.wall = zone.Wall(at, s.home)
			return s, nil
		}
	}
	s.wall, err = store.ReadOccurrence(o.RecurrenceID, s.home)
	return s, err
}

// apply returns the series, from the occurrence on, after a change.
func (s *googleSeries) apply(tail []string, change func(*store.Event) error) (store.Event, error) {
	after := s.event
	after.Start, after.Recurrence = s.wall, tail
	if err := change(&after); err != nil {
		return after, err
	}
	there := s.home
	if loc, ok := zone.Find(after.Zone); ok {
		there = loc
	}
	_, err := store.Follow(&after, tail, s.wall, s.home, there)
	return after, err
}

// editSeries changes a series or its part from an occurrence on. For a part, it
// creates the new series before it truncates the old one, so that no failure in
// between loses an occurrence.
func (g google) editSeries(ctx context.Context, e googleEvent, o store.Occurrence, scope store.Scope,
	how store.EventWrite, change func(*store.Event) error) (w store.Written, err error) {
	s, err := g.series(ctx, e, o)
	if err != nil {
		return w, err
	}
	head, tail := []string(nil), s.event.Recurrence
	split := scope == store.Following && !s.isFirst()
	if split {
		head, tail = store.SplitRecurrence(&s.event, s.wall, s.home)
	}
	after, err := s.apply(tail, change)
	if err != nil {
		return w, err
	}
	if !split {
		after.Start = s.event.Start.Add(after.Start.Sub(s.wall))
		if after.Form == store.AllDay {
			after.Start = after.Start.Truncate(24 * time.Hour)
		}
	}
	if w, err = g.findConflicts(ctx, after, how); err != nil || how.DryRun {
		return w, err
	}
	if !split {
		w.Occurrence, err = g.patch(ctx, &s.master, &after)
		return w, err
	}
	made, err := g.insertTail(ctx, &s, &after)
	if err != nil {
		return w, err
	}
	if err := g.truncateSeries(ctx, &s.master, head); err != nil {
		return w, errors.Join(err, g.delete(ctx, &made))
	}
	w.Occurrence, _ = made.occurrence(g.env, g.calendar.Name)
	return w, nil
}

// truncateSeries replaces the recurrence of a series with its first part.
func (g google) truncateSeries(ctx context.Context, master *googleEvent, head []string) error {
	body := map[string]any{"recurrence": head}
	err := g.api.call(ctx, request{method: "PATCH", path: g.events(master.ID), query: noNotifications, body: body,
		etag: master.Etag}, nil)
	if there := g.currentIfChanged(ctx, master.ID, err); there.ID != "" && slices.Equal(there.Recurrence, head) {
		return nil
	}
	return err
}

// insertTail creates the second part of a series. Its ID depends on the split, so
// that a retry finds the result of the first attempt.
func (g google) insertTail(ctx context.Context, s *googleSeries, after *store.Event) (made googleEvent, err error) {
	draft := toGoogle(after)
	digest := sha256.Sum256([]byte(g.calendar.Remote + "\x00" + s.master.ID + "\x00" + s.master.Etag + "\x00" +
		s.wall.Format(time.RFC3339)))
	draft.ID = strings.ToLower(base32.HexEncoding.EncodeToString(digest[:20]))
	insert := request{method: "POST", path: g.events(), query: noNotifications, body: draft}
	err = g.api.call(ctx, insert, &made)
	refused := new(googleError)
	if !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		return made, err
	}
	there, _, err := g.read(ctx, draft.ID)
	if errors.As(err, &refused) { // it was created and deleted: Google does not accept its ID again
		draft.ID = g.newID(tools.CallKey{}, false)
		return made, g.api.call(ctx, insert, &made)
	}
	if err != nil {
		return made, err
	}
	draft.ID = ""
	return made, g.api.call(ctx,
		request{method: "PATCH", path: g.events(there.ID), query: noNotifications, body: draft, etag: there.Etag},
		&made)
}

// removeSeries deletes a series or its part from an occurrence on.
func (g google) removeSeries(ctx context.Context, e googleEvent, o store.Occurrence, scope store.Scope) error {
	s, err := g.series(ctx, e, o)
	if err != nil {
		return err
	}
	if scope == store.All || s.isFirst() {
		return g.delete(ctx, &s.master)
	}
	head, _ := store.SplitRecurrence(&s.event, s.wall, s.home)
	return g.truncateSeries(ctx, &s.master, head)
}
