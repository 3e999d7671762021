package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"techo/store/kv"
)

// Scope selects the part of a series that a change applies to.
type Scope int

// The scopes.
const (
	This      Scope = iota // one occurrence
	Following              // one occurrence and all later ones
	All                    // the whole series
)

// ChangedError reports that a record changed since the caller read it.
type ChangedError struct{ ID, Etag string }

func (e *ChangedError) Error() string { return fmt.Sprintf("%s: changed meanwhile", e.ID) }

// EditEvent changes an event, or part of its series, and returns the result.
// change gets the event at the time of the occurrence with the id; it may change
// everything but id, UID and calendar. If it changes nothing, the event and the history stay
// as they are.
func (s *Store) EditEvent(ctx context.Context, id string, scope Scope, how EventWrite,
	change func(*Event) error) (w Written, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		o, err := t.get(id, how.Zone)
		if err != nil {
			return err
		}
		w, err = t.edit(o, scope, how, s.time(), change)
		return err
	})
	return w, err
}

func (t *eventTx) edit(o Occurrence, scope Scope, how EventWrite, now time.Time, change func(*Event) error) (w Written,
	err error) {
	series, err := t.seriesOf(&o, scope)
	if err != nil {
		return w, err
	}
	if series == nil { // a single event, or one that replaces an occurrence
		after := *o.Event
		if same, err := apply(change, &after); same || err != nil {
			return unchanged(t, after, t.first(*o.Event, how.Zone), how, err)
		}
		return t.rewrite(o.Event, after, how, now)
	}
	home := t.location(series, how.Zone)
	draft := *series
	draft.Start = o.Wall
	draft.Later = series.Later && o.Wall.Equal(series.Start)
	switch {
	case scope == This:
		draft.ID, draft.RecurrenceID = series.ID+"_"+o.Original, o.Original
		draft.Recurrence, draft.Exceptions = nil, nil
		draft.CreatedAt = now
		if same, err := apply(change, &draft); same || err != nil {
			return unchanged(t, draft, o, how, err)
		}
		return t.override(series, draft, how, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		return t.split(series, draft, o, home, how, now, change)
	}
	if same, err := apply(change, &draft); same || err != nil {
		return unchanged(t, *series, t.first(*series, how.Zone), how, err)
	}
	move, err := Follow(&draft, series.Recurrence, o.Wall, home, t.location(&draft, how.Zone))
	if err != nil {
		return w, err
	}
	by := draft.Start.Sub(o.Wall)
	draft.Start = series.Start.Add(by)
	if by == 0 {
		draft.Later = series.Later
	}
	if draft.Form == AllDay {
		draft.Start = draft.Start.Truncate(24 * time.Hour)
	}
	if !how.DryRun {
		if err := t.shift(series, &draft, by, move); err != nil {
			return w, err
		}
	}
	return t.rewrite(series, draft, how, now)
}

// apply applies a change to an event, and reports whether it changes nothing.
func apply(change func(*Event) error, e *Event) (same bool, err error) {
	before := recordOfEvent(e)
	if err := change(e); err != nil {
		return false, err
	}
	return bytes.Equal(before, recordOfEvent(e)), nil
}

// unchanged returns the result of a change that changed nothing, or has failed: the occurrence
// as it was, with the conflicts of its event.
func unchanged(t *eventTx, e Event, o Occurrence, how EventWrite, err error) (w Written, _ error) {
	if err != nil {
		return w, err
	}
	w, err = t.meet(e, how)
	o.Identify()
	w.Occurrence = o
	return w, err
}

// seriesOf returns the series that a change applies to, nil for a single event or
// for the event that replaces an occurrence.
func (t *eventTx) seriesOf(o *Occurrence, scope Scope) (*Event, error) {
	if o.Recurs() {
		if o.Original == "" { // the id of the series means its first occurrence
			home := t.location(o.Event, time.UTC)
			o.Original = o.OccurrenceID(o.Wall, home)
		}
		return o.Event, nil
	}
	if o.RecurrenceID == "" || scope == This {
		return nil, nil
	}
	master, err := t.byUID(o.Calendar, o.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	wall, err := ReadOccurrence(o.RecurrenceID, t.location(&master, time.UTC))
	if err != nil {
		return nil, err
	}
	o.Wall = wall
	return &master, nil
}

// byUID finds an event by its UID and recurrence id.
func (t *eventTx) byUID(calendar, uid, recurrenceID string) (e Event, err error) {
	key, err := keyOf(t, calendar)
	if err != nil {
		return e, err
	}
	id, err := t.tx.Get(uidKey(key, uid, recurrenceID))
	if err != nil {
		return e, err
	}
	return t.load(string(id))
}

// rewrite replaces an event by its changed version.
func (t *eventTx) rewrite(before *Event, after Event, how EventWrite, now time.Time) (w Written, err error) {
	t.touch(&after, now)
	if w, err = t.meet(after, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, before, &after, how)
}

// touch updates the time and the sequence number of an event. The time never
// decreases, even if a clock was set back.
func (t *eventTx) touch(e *Event, now time.Time) {
	if now.After(e.UpdatedAt) {
		e.UpdatedAt = now
	}
	e.Sequence++
}

// override adds an event that replaces one occurrence.
func (t *eventTx) override(series *Event, draft Event, how EventWrite, now time.Time) (w Written, err error) {
	t.touch(&draft, now)
	if w, err = t.meet(draft, how); err != nil || how.DryRun {
		w.Event = &draft
		return w, err
	}
	after := *series
	after.Exceptions = append(slices.Clip(series.Exceptions), draft.RecurrenceID)
	slices.Sort(after.Exceptions)
	if err := t.put(series, &after); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &draft, how)
}

// isFirst reports whether no occurrence precedes a local time.
func (t *eventTx) isFirst(e *Event, wall time.Time, home *time.Location) bool {
	first := true
	t.expander(e, home).walk(e.Start.Add(-slack), wall, func(time.Time) bool {
		first = false
		return false
	})
	return first
}

// shift updates the ids of replaced occurrences when a series moves.
func (t *eventTx) shift(before, after *Event, by time.Duration, move func(string) string) error {
	if by == 0 && before.Form == after.Form && before.Zone == after.Zone {
		return nil
	}
	overrides, err := t.overrides(before)
	if err != nil {
		return err
	}
	after.Exceptions = nil
	for _, o := range overrides {
		old := o
		o.RecurrenceID = move(o.RecurrenceID)
		if strings.HasPrefix(o.ID, before.ID+"_") {
			o.ID = after.ID + "_" + o.RecurrenceID
		}
		o.UID = after.UID
		after.Exceptions = append(after.Exceptions, o.RecurrenceID)
		if err := t.put(&old, &o); err != nil {
			return err
		}
	}
	return nil
}

// overrides returns the events that replace occurrences of a series.
func (t *eventTx) overrides(e *Event) (all []Event, err error) {
	var ids []string
	calendar, err := keyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	prefix := uidKey(calendar, e.UID, "")
	for item, err := range t.tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if len(item.Key) == len(prefix) {
			continue
		}
		id, err := item.Value()
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(id))
	}
	for _, id := range ids {
		o, err := t.load(id)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// RemoveEvent removes an event, or part of its series, and returns the event or
// occurrence with the id.
func (s *Store) RemoveEvent(ctx context.Context, id string, scope Scope, loc *time.Location) (o Occurrence, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		if o, err = t.get(id, loc); err != nil {
			return err
		}
		gone := o
		if err := t.drop(gone, scope, loc, s.time()); err != nil {
			return err
		}
		return t.save()
	})
	return o, err
}

func (t *eventTx) drop(o Occurrence, scope Scope, loc *time.Location, now time.Time) error {
	if o.RecurrenceID != "" && scope == This {
		if err := t.put(o.Event, nil); err != nil {
			return err
		}
		master, err := t.byUID(o.Calendar, o.UID, "")
		if errors.Is(err, kv.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return t.exclude(&master, o.RecurrenceID, loc, now)
	}
	series, err := t.seriesOf(&o, scope)
	if err != nil {
		return err
	}
	if series == nil {
		return t.put(o.Event, nil)
	}
	home := t.location(series, loc)
	switch {
	case scope == This:
		return t.exclude(series, o.Original, loc, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		head := *series
		head.Recurrence, _ = SplitRecurrence(series, o.Wall, home)
		t.touch(&head, now)
		return t.dropFrom(series, &head, o.Wall, home)
	}
	return t.dropFrom(series, nil, series.Start.Add(-slack), home)
}

// dropFrom replaces a series by left, which may be nil, and removes the events
// that replace its occurrences from a local time on.
func (t *eventTx) dropFrom(series, left *Event, wall time.Time, home *time.Location) error {
	overrides, err := t.overrides(series)
	if err != nil {
		return err
	}
	for _, e := range overrides {
		if left != nil && before(e.RecurrenceID, wall, home) {
			continue
		}
		if err := t.put(&e, nil); err != nil {
			return err
		}
		if left != nil {
			left.Exceptions = slices.DeleteFunc(slices.Clone(left.Exceptions),
				func(x string) bool { return x == e.RecurrenceID })
		}
	}
	return t.put(series, left)
}

// exclude removes one occurrence from a series, and the series with its last
// occurrence.
func (t *eventTx) exclude(series *Event, original string, loc *time.Location, now time.Time) error {
	after := *series
	after.Exceptions = slices.DeleteFunc(slices.Clone(series.Exceptions), func(x string) bool { return x == original })
	after.Recurrence = append(slices.Clip(series.Recurrence), "EXDATE:"+original)
	home := t.location(series, loc)
	some := len(after.Exceptions) > 0
	t.expander(&after, home).walk(after.Start.Add(-slack), endOfTime, func(time.Time) bool {
		some = true
		return false
	})
	if !some {
		return t.put(series, nil)
	}
	t.touch(&after, now)
	return t.put(series, &after)
}
