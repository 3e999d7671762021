package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/internal/zone"
	"techo/store/kv"
)

// Scope is how much of a series a change is about.
type Scope int

// The scopes.
const (
	This      Scope = iota // one occurrence
	Following              // it and all that come after it
	All                    // the whole series
)

// ChangedError says that an event is not what the caller read.
type ChangedError struct{ ID, Etag string }

func (e *ChangedError) Error() string { return fmt.Sprintf("event %s: changed meanwhile", e.ID) }

// EditEvent changes an event, or so much of its series, and returns it as it is
// now. change gets the event at the time of the occurrence that id names, and
// may change all but its id, UID and calendar.
func (s *Store) EditEvent(ctx context.Context, id string, scope Scope, how EventWrite, change func(*Event) error) (w Written, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		t := s.newEvents(tx)
		o, err := t.get(id, how.Zone)
		if err != nil {
			return err
		}
		w, err = t.edit(o, scope, how, s.time(), change)
		return err
	})
	return w, err
}

func (t *events) edit(o Occurrence, scope Scope, how EventWrite, now time.Time, change func(*Event) error) (w Written, err error) {
	series, err := t.seriesOf(&o, scope)
	if err != nil {
		return w, err
	}
	if series == nil { // an event that stands alone, or for one occurrence
		after := *o.Event
		if err := change(&after); err != nil {
			return w, err
		}
		return t.rewrite(o.Event, after, how, now)
	}
	home := t.location(series, how.Zone)
	draft := *series
	draft.Start = o.Wall
	switch {
	case scope == This:
		draft.ID, draft.RecurrenceID = series.ID+"_"+o.Original, o.Original
		draft.Recurrence, draft.Exceptions = nil, nil
		draft.CreatedAt = now
		if err := change(&draft); err != nil {
			return w, err
		}
		return t.override(series, draft, how, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		return t.split(series, draft, o, home, how, now, change)
	}
	if err := change(&draft); err != nil {
		return w, err
	}
	by := draft.Start.Sub(o.Wall)
	draft.Start = series.Start.Add(by)
	if draft.Form == AllDay {
		draft.Start = draft.Start.Truncate(24 * time.Hour)
	}
	if !how.DryRun {
		if err := t.shift(series, &draft, by, home, how.Zone); err != nil {
			return w, err
		}
	}
	return t.rewrite(series, draft, how, now)
}

// seriesOf is the series that a change is about, nil for an event that stands
// alone or when only the event of one occurrence is meant.
func (t *events) seriesOf(o *Occurrence, scope Scope) (*Event, error) {
	if o.Recurs() {
		if o.Original == "" { // the series stands for its first occurrence
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
	wall, err := readOccurrence(o.RecurrenceID, t.location(&master, time.UTC))
	if err != nil {
		return nil, err
	}
	o.Wall = wall
	return &master, nil
}

// byUID finds an event by its UID and the occurrence that it stands for.
func (t *events) byUID(calendar, uid, recurrenceID string) (e Event, err error) {
	id, err := t.tx.Get(uidKey(calendar, uid, recurrenceID))
	if err != nil {
		return e, err
	}
	return t.load(string(id))
}

// rewrite puts a changed event in the place of the old one.
func (t *events) rewrite(before *Event, after Event, how EventWrite, now time.Time) (w Written, err error) {
	t.touch(&after, now)
	if w, err = t.meet(after, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, before, &after, how)
}

// touch says that an event changed now; a clock that was set back changes no
// order.
func (t *events) touch(e *Event, now time.Time) {
	if now.After(e.UpdatedAt) {
		e.UpdatedAt = now
	}
	e.Sequence++
}

// override keeps an event that stands for one occurrence.
func (t *events) override(series *Event, draft Event, how EventWrite, now time.Time) (w Written, err error) {
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

// isFirst reports whether no occurrence comes before a wall clock.
func (t *events) isFirst(e *Event, wall time.Time, home *time.Location) bool {
	first := true
	t.expander(e, home).walk(e.Start.Add(-slack), wall, func(time.Time) bool {
		first = false
		return false
	})
	return first
}

// shift moves what names the occurrences of a series when the series moves.
func (t *events) shift(before, after *Event, by time.Duration, home, where *time.Location) error {
	if by == 0 && before.Form == after.Form && before.Zone == after.Zone {
		return nil
	}
	move := t.mover(after, by, home, where)
	after.moveDates(move)
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

// mover tells the new name of an occurrence of a series whose occurrences move.
func (t *events) mover(after *Event, by time.Duration, home, where *time.Location) func(string) string {
	target := t.location(after, where)
	return func(original string) string {
		wall, err := readOccurrence(original, home)
		if err != nil {
			return original
		}
		return after.OccurrenceID(wall.Add(by), target)
	}
}

// moveDates moves the dates of RDATE and EXDATE.
func (e *Event) moveDates(move func(string) string) {
	e.Recurrence = slices.Clone(e.Recurrence)
	for i, l := range e.Recurrence {
		name, list, _ := strings.Cut(l, ":")
		if bare, _, _ := strings.Cut(name, ";"); bare != "RDATE" && bare != "EXDATE" {
			continue
		}
		var moved []string
		for text := range strings.SplitSeq(list, ",") {
			moved = append(moved, move(text))
		}
		e.Recurrence[i] = name + ":" + strings.Join(moved, ",")
	}
}

// overrides are the events that stand for occurrences of a series.
func (t *events) overrides(e *Event) (all []Event, err error) {
	var ids []string
	prefix := uidKey(e.Calendar, e.UID, "")
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

// split ends a series before an occurrence and begins another one there.
func (t *events) split(series *Event, tail Event, o Occurrence, home *time.Location, how EventWrite, now time.Time, change func(*Event) error) (w Written, err error) {
	head := *series
	head.Recurrence, tail.Recurrence = t.cut(series, o.Wall, home)
	tail.CreatedAt, tail.Exceptions = now, nil
	if tail.ID, err = t.newEventID(series.ID + "\x00" + o.Original); err != nil {
		return w, err
	}
	tail.UID = tail.ID
	if err := change(&tail); err != nil {
		return w, err
	}
	move := t.mover(&tail, tail.Start.Sub(o.Wall), home, how.Zone)
	tail.moveDates(move)
	t.touch(&tail, now)
	if how.DryRun {
		w, err = t.meet(tail, how)
		w.Event = &tail
		return w, err
	}
	head.Exceptions = slices.DeleteFunc(slices.Clone(series.Exceptions), func(original string) bool { return !before(original, o.Wall, home) })
	t.touch(&head, now)
	if err := t.put(series, &head); err != nil {
		return w, err
	}
	overrides, err := t.overrides(series)
	if err != nil {
		return w, err
	}
	for _, e := range overrides {
		if before(e.RecurrenceID, o.Wall, home) {
			continue
		}
		old := e
		e.RecurrenceID = move(e.RecurrenceID)
		e.UID, e.ID = tail.UID, tail.ID+"_"+e.RecurrenceID
		tail.Exceptions = append(tail.Exceptions, e.RecurrenceID)
		if err := t.put(&old, &e); err != nil {
			return w, err
		}
	}
	if w, err = t.meet(tail, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &tail, how)
}

func before(original string, wall time.Time, home *time.Location) bool {
	w, err := readOccurrence(original, home)
	return err == nil && w.Before(wall)
}

// cut divides the recurrence of a series at an occurrence.
func (t *events) cut(e *Event, wall time.Time, home *time.Location) (head, tail []string) {
	for _, l := range e.Recurrence {
		name, value, _ := strings.Cut(l, ":")
		bare, _, _ := strings.Cut(name, ";")
		switch bare {
		case "RRULE", "EXRULE":
			r, err := recur.Parse(value)
			if err != nil {
				continue
			}
			first, rest := *r, *r
			if r.Count > 0 {
				n := 0
				recur.New(r, e.Start, e.Form == AllDay, time.Time{}).Walk(e.Start, wall, func(time.Time) bool { n++; return true })
				first.Count, rest.Count = 0, max(r.Count-n, 1)
			}
			first.Until, first.Form = wall.Add(-time.Second), recur.UntilLocal
			switch e.Form {
			case AllDay:
				first.Until, first.Form = wall.AddDate(0, 0, -1), recur.UntilDate
			case Timed:
				first.Until, first.Form = zone.Instant(wall, home).Add(-time.Second).UTC(), recur.UntilUTC
			}
			head, tail = append(head, bare+":"+first.String()), append(tail, bare+":"+rest.String())
		case "RDATE", "EXDATE":
			var early, late []string
			for text := range strings.SplitSeq(value, ",") {
				if before(text, wall, home) {
					early = append(early, text)
				} else {
					late = append(late, text)
				}
			}
			if len(early) > 0 {
				head = append(head, name+":"+strings.Join(early, ","))
			}
			if len(late) > 0 {
				tail = append(tail, name+":"+strings.Join(late, ","))
			}
		}
	}
	return head, tail
}

// RemoveEvent removes an event, or so much of its series, and returns what was
// named. check may refuse, having seen it.
func (s *Store) RemoveEvent(ctx context.Context, id string, scope Scope, loc *time.Location) (o Occurrence, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		t := s.newEvents(tx)
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

func (t *events) drop(o Occurrence, scope Scope, loc *time.Location, now time.Time) error {
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
		return t.leaveOut(&master, o.RecurrenceID, loc, now)
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
		return t.leaveOut(series, o.Original, loc, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		head := *series
		head.Recurrence, _ = t.cut(series, o.Wall, home)
		t.touch(&head, now)
		return t.dropFrom(series, &head, o.Wall, home)
	}
	return t.dropFrom(series, nil, series.Start.Add(-slack), home)
}

// dropFrom puts what is left of a series, nil for nothing, in its place, and
// removes the events that stand for its occurrences from a wall clock on.
func (t *events) dropFrom(series, left *Event, wall time.Time, home *time.Location) error {
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
			left.Exceptions = slices.DeleteFunc(slices.Clone(left.Exceptions), func(x string) bool { return x == e.RecurrenceID })
		}
	}
	return t.put(series, left)
}

// leaveOut takes one occurrence out of a series, and the series away with its
// last one.
func (t *events) leaveOut(series *Event, original string, loc *time.Location, now time.Time) error {
	after := *series
	after.Exceptions = slices.DeleteFunc(slices.Clone(series.Exceptions), func(x string) bool { return x == original })
	after.Recurrence = append(slices.Clip(series.Recurrence), "EXDATE:"+original)
	home := t.location(series, loc)
	some := len(after.Exceptions) > 0
	t.expander(&after, home).walk(after.Start.Add(-slack), farAway, func(time.Time) bool {
		some = true
		return false
	})
	if !some {
		return t.put(series, nil)
	}
	t.touch(&after, now)
	return t.put(series, &after)
}
