package google

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
	"techo/store/calendar"
	"techo/store/event"
	"techo/tools"
	"techo/tools/calendar/backend"
	"techo/tools/calendar/ics"
)

// recurs reports whether the event is a series or one of its occurrences.
func (g *Event) recurs() bool { return len(g.Recurrence) > 0 || g.RecurringEventID != "" }

// series is a series and the occurrence that a change refers to.
type series struct {
	at     Calendar
	master Event
	event  event.Event // the master
	home   *time.Location
	wall   time.Time // start of the occurrence, as wall clock time of the series

	made []calendar.EventChange // by this call, for the history
}

// isFirst reports whether the occurrence is the first one.
func (s *series) isFirst() bool { return !s.wall.After(s.event.Start) }

func (g Calendar) series(ctx context.Context, e Event, o event.Occurrence) (s *series, err error) {
	s = &series{at: g, master: e}
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
	s.wall, err = event.ReadOccurrence(e.originalID(&s.event, s.home), s.home)
	return s, err
}

// apply returns the series, from the occurrence on, after a change. move maps the
// ids of its occurrences.
func (s *series) apply(tail []string, change func(*event.Event) error) (after event.Event,
	move func(string) string, err error) {
	after = s.event
	after.Start, after.Recurrence = s.wall, tail
	after.Later = s.event.Later && s.wall.Equal(s.event.Start)
	if err := change(&after); err != nil {
		return after, nil, err
	}
	move, err = event.Follow(&after, tail, s.wall, s.home, ics.ZoneOf(&after, s.home))
	return after, move, err
}

// edit changes a series or its part from an occurrence on. For a part, it
// creates the new series before it truncates the old one, so that no failure in
// between loses an occurrence.
func (s *series) edit(ctx context.Context, scope event.Scope, how event.Write,
	change func(*event.Event) error) (w event.Written, err error) {
	head, tail := []string(nil), s.event.Recurrence
	split := scope == event.Following && !s.isFirst()
	if split {
		head, tail = event.SplitRecurrence(&s.event, s.wall, s.home)
	}
	after, move, err := s.apply(tail, change)
	if err != nil {
		return w, err
	}
	if !split {
		by := after.Start.Sub(s.wall)
		if after.Start = s.event.Start.Add(by); by == 0 {
			after.Later = s.event.Later
		}
		if after.Form == event.AllDay {
			after.Start = after.Start.Truncate(24 * time.Hour)
		}
	}
	if w, err = s.at.findConflicts(ctx, after, how); err != nil || how.DryRun {
		return w, err
	}
	if !split {
		w.Occurrence, err = s.at.patch(ctx, &s.master, &s.event, &after)
		if err == nil && (w.Etag == "" || w.Etag != s.event.Etag) {
			s.made = append(s.made, calendar.EventChange{Before: &s.event, After: w.Event})
		}
		return w, err
	}
	made, err := s.split(ctx, head, &after, move)
	if err != nil {
		return w, err
	}
	w.Occurrence, _ = made.Occurrence(s.at.env, s.at.Calendar.Name)
	return w, nil
}

// split ends a series before an occurrence and creates a new series there, with the
// exceptions of its time.
func (s *series) split(ctx context.Context, head []string, after *event.Event,
	move func(string) string) (made Event, err error) {
	exceptions, err := s.exceptionsFrom(ctx)
	if err != nil {
		return made, err
	}
	if made, err = s.insertTail(ctx, after); err != nil {
		return made, err
	}
	for _, x := range exceptions {
		if err := s.carryOver(ctx, x, made.ID+"_"+move(x.original)); err != nil {
			return made, errors.Join(err, s.at.delete(ctx, &made))
		}
	}
	if err := s.truncate(ctx, head); err != nil {
		return made, errors.Join(err, s.at.delete(ctx, &made))
	}
	if o, ok := made.Occurrence(s.at.env, s.at.Calendar.Name); ok {
		s.made = append(s.made, calendar.EventChange{After: o.Event})
	}
	return made, s.dropExceptions(ctx, exceptions)
}

// truncate replaces the recurrence of a series with its first part.
func (s *series) truncate(ctx context.Context, head []string) error {
	changed, err := s.at.sendPatch(ctx, s.master.ID, s.master.Etag, map[string]any{"recurrence": head})
	o, ok := changed.Occurrence(s.at.env, s.at.Calendar.Name)
	if err != nil {
		o, ok = s.at.currentIfChanged(ctx, s.master.ID, err)
		if !ok || !slices.Equal(o.Recurrence, head) {
			return err
		}
	}
	if ok {
		s.made = append(s.made, calendar.EventChange{Before: &s.event, After: o.Event})
	}
	return nil
}

// insertTail creates the second part of a series: a copy of the whole series with
// the changed fields. Its ID depends on the split, so that a retry finds the result
// of the first attempt.
func (s *series) insertTail(ctx context.Context, after *event.Event) (made Event, err error) {
	g := s.at
	draft, err := s.copyWith(ctx, after)
	if err != nil {
		return made, err
	}
	digest := sha256.Sum256([]byte(g.Calendar.Remote + "\x00" + s.master.ID + "\x00" + s.master.Etag + "\x00" +
		s.wall.Format(time.RFC3339)))
	id := strings.ToLower(base32.HexEncoding.EncodeToString(digest[:20]))
	draft["id"] = id
	insert := request{method: "POST", path: g.events(), query: keepConference, body: draft}
	if err = g.api.call(ctx, insert, &made); !hasStatus(err, http.StatusConflict) {
		return made, err
	}
	there, _, err := g.read(ctx, id)
	if errors.As(err, new(*apiError)) { // it was created and deleted: Google does not accept its ID again
		draft["id"] = backend.NewID("", tools.CallKey{}, false)
		err = g.api.call(ctx, insert, &made)
		return made, err
	}
	if err != nil {
		return made, err
	}
	delete(draft, "id")
	return g.sendPatch(ctx, id, there.Etag, draft)
}

// copyWith returns a copy of a series as JSON, with the fields of a changed event.
func (s *series) copyWith(ctx context.Context, after *event.Event) (draft map[string]any, err error) {
	g := s.at
	if err := g.api.call(ctx, request{method: "GET", path: g.events(s.master.ID)}, &draft); err != nil {
		return nil, err
	}
	if draft["etag"] != s.master.Etag {
		return nil, &apiError{Status: http.StatusPreconditionFailed, Text: "changed"}
	}
	dropAssigned(draft)
	want := toGoogle(g.env, after)
	changes := toGoogle(g.env, &s.event).changes(want)
	s.master.keepUnused(changes)
	mergeJSON(draft, changes)
	draft["start"], draft["end"] = want.Start, want.End
	return draft, nil
}

// remove deletes a series or its part from an occurrence on.
func (s *series) remove(ctx context.Context, scope event.Scope) error {
	if scope == event.All || s.isFirst() {
		err := s.at.delete(ctx, &s.master)
		if err == nil {
			s.made = append(s.made, calendar.EventChange{Before: &s.event})
		}
		return err
	}
	exceptions, err := s.exceptionsFrom(ctx)
	if err != nil {
		return err
	}
	head, _ := event.SplitRecurrence(&s.event, s.wall, s.home)
	if err := s.truncate(ctx, head); err != nil {
		return err
	}
	return s.dropExceptions(ctx, exceptions)
}
