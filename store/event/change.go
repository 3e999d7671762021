package event

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// Scope selects the part of a series that a change applies to.
type Scope int

// The scopes.
const (
	This      Scope = iota // one occurrence
	Following              // one occurrence and all later ones
	All                    // the whole series
)

// EditEvent changes an event, or part of its series, and returns the result.
// change gets the event at the time of the occurrence with the id; it may change
// everything but id, UID and calendar. If it changes nothing, the event and the history stay
// as they are.
func (s Events) EditEvent(ctx context.Context, id string, scope Scope, how Write,
	change func(*Event) error) (w Written, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		o, err := t.Get(id, how.Zone)
		if err != nil {
			return err
		}
		w, err = t.edit(o, scope, how, s.Time(), change)
		return err
	})
	return w, err
}

func (t *Tx) edit(o Occurrence, scope Scope, how Write, now time.Time, change func(*Event) error) (w Written,
	err error) {
	series, err := t.seriesOf(&o, scope)
	if err != nil {
		return w, err
	}
	if series == nil { // a single event, or one that replaces an occurrence
		after := *o.Event
		if same, err := apply(change, &after); same || err != nil {
			return t.unchanged(after, t.First(*o.Event, how.Zone), how, err)
		}
		return t.rewrite(o.Event, after, how, now)
	}
	home := t.Location(series, how.Zone)
	draft := *series
	draft.Start = o.Wall
	draft.Later = series.Later && o.Wall.Equal(series.Start)
	switch {
	case scope == This:
		draft.ID, draft.RecurrenceID = series.ID+"_"+o.Original, o.Original
		draft.Recurrence, draft.Exceptions = nil, nil
		draft.CreatedAt = now
		if same, err := apply(change, &draft); same || err != nil {
			return t.unchanged(draft, o, how, err)
		}
		return t.override(series, draft, how, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		return t.split(series, draft, o, home, how, now, change)
	}
	if same, err := apply(change, &draft); same || err != nil {
		return t.unchanged(*series, t.First(*series, how.Zone), how, err)
	}
	move, err := Follow(&draft, series.Recurrence, o.Wall, home, t.Location(&draft, how.Zone))
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
	if how.DryRun {
		draft.Exceptions = nil
		for _, original := range series.Exceptions {
			draft.Exceptions = append(draft.Exceptions, move(original))
		}
	} else {
		if err := t.carry(series, &draft, by, move, now); err != nil {
			return w, err
		}
	}
	return t.rewrite(series, draft, how, now)
}

// apply applies a change to an event, and reports whether it changes nothing.
func apply(change func(*Event) error, e *Event) (same bool, err error) {
	before := RecordOf(e)
	if err := change(e); err != nil {
		return false, err
	}
	return bytes.Equal(before, RecordOf(e)), nil
}

// unchanged returns the result of a change that changed nothing, or has failed: the occurrence
// as it was, with the conflicts of its event.
func (t *Tx) unchanged(e Event, o Occurrence, how Write, err error) (w Written, _ error) {
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
func (t *Tx) seriesOf(o *Occurrence, scope Scope) (*Event, error) {
	if o.Recurs() {
		if o.Original == "" { // the id of the series means its first occurrence
			home := t.Location(o.Event, time.UTC)
			o.Original = o.OccurrenceID(o.Wall, home)
		}
		return o.Event, nil
	}
	if o.RecurrenceID == "" || scope == This {
		return nil, nil
	}
	master, err := t.ByUID(o.Calendar, o.UID, "")
	if errors.Is(err, kv.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	wall, err := ReadOccurrence(o.RecurrenceID, t.Location(&master, time.UTC))
	if err != nil {
		return nil, err
	}
	o.Wall = wall
	return &master, nil
}

// ByUID finds an event by its UID and recurrence id.
func (t *Tx) ByUID(calendar, uid, recurrenceID string) (e Event, err error) {
	key, err := KeyOf(t, calendar)
	if err != nil {
		return e, err
	}
	id, err := t.Tx.Get(UIDKey(key, uid, recurrenceID))
	if err != nil {
		return e, err
	}
	return t.Load(string(id))
}

// rewrite replaces an event by its changed version.
func (t *Tx) rewrite(before *Event, after Event, how Write, now time.Time) (w Written, err error) {
	t.Touch(&after, now)
	if w, err = t.meet(after, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, before, &after, how)
}

// Touch updates the time and the sequence number of an event, which a message brings itself. The time never
// decreases, even if a clock was set back.
func (t *Tx) Touch(e *Event, now time.Time) {
	if now.After(e.UpdatedAt) {
		e.UpdatedAt = now
	}
	if !t.counted {
		e.Sequence++
	}
}

// override adds an event that replaces one occurrence.
func (t *Tx) override(series *Event, draft Event, how Write, now time.Time) (w Written, err error) {
	t.Touch(&draft, now)
	if w, err = t.meet(draft, how); err != nil || how.DryRun {
		w.Event = &draft
		return w, err
	}
	after := *series
	after.Exceptions = append(slices.Clip(series.Exceptions), draft.RecurrenceID)
	slices.Sort(after.Exceptions)
	if err := t.Put(series, &after); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &draft, how)
}

// isFirst reports whether no occurrence precedes a local time.
func (t *Tx) isFirst(e *Event, wall time.Time, home *time.Location) bool {
	first := true
	t.Expander(e, home).Walk(e.Start.Add(-Slack), wall, func(time.Time) bool {
		first = false
		return false
	})
	return first
}

// carry changes the events that replace occurrences as their series was changed, which moved by a time,
// except in what was changed in them. move gives the ids of the occurrences.
func (t *Tx) carry(before, after *Event, by time.Duration, move func(string) string, now time.Time) error {
	overrides, err := t.Overrides(before)
	if err != nil {
		return err
	}
	moved := by != 0 || before.Form != after.Form || before.Zone != after.Zone
	if moved {
		after.Exceptions = nil
	}
	for _, o := range overrides {
		old := o
		if wall, err := ReadOccurrence(o.RecurrenceID, t.Location(before, time.UTC)); err == nil {
			o.follow(before, after, wall, by)
		}
		if !bytes.Equal(RecordOf(&old), RecordOf(&o)) {
			t.Touch(&o, now)
		}
		if moved {
			o.RecurrenceID = move(o.RecurrenceID)
			if strings.HasPrefix(o.ID, before.ID+"_") {
				o.ID = after.ID + "_" + o.RecurrenceID
			}
			after.Exceptions = append(after.Exceptions, o.RecurrenceID)
		}
		if bytes.Equal(RecordOf(&old), RecordOf(&o)) {
			continue
		}
		if err := t.Put(&old, &o); err != nil {
			return err
		}
	}
	return nil
}

// follow gives an event that replaces an occurrence at a local time what changed in its series, unless it
// differs from the series there.
func (e *Event) follow(before, after *Event, wall time.Time, by time.Duration) {
	for _, f := range []struct {
		field    *string
		was, now string
	}{{&e.Title, before.Title, after.Title}, {&e.Location, before.Location, after.Location},
		{&e.Description, before.Description, after.Description}, {&e.Status, before.Status, after.Status}} {
		if *f.field == f.was {
			*f.field = f.now
		}
	}
	if e.Free == before.Free {
		e.Free = after.Free
	}
	sameForm := e.Form == before.Form && e.Zone == before.Zone
	if sameForm && e.Days == before.Days && e.Length == before.Length {
		e.Days, e.Length = after.Days, after.Length
	}
	if sameForm && e.Start.Equal(wall) {
		e.Start, e.Form, e.Zone, e.ZoneRules = wall.Add(by), after.Form, after.Zone, after.ZoneRules
	}
	names := []string{}
	was, now, here := linesByName(before.Extra), linesByName(after.Extra), linesByName(e.Extra)
	for _, lines := range []map[string][]string{was, now} {
		for name := range lines {
			if !slices.Equal(was[name], now[name]) && slices.Equal(was[name], here[name]) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	if slices.Equal(e.Extra, before.Extra) {
		e.Extra = after.Extra // in its order
		return
	}
	slices.Sort(names)
	e.Extra = nil
	for _, name := range slices.Sorted(maps.Keys(here)) {
		if !slices.Contains(names, name) {
			e.Extra = append(e.Extra, here[name]...)
		}
	}
	for _, name := range slices.Compact(names) {
		e.Extra = append(e.Extra, now[name]...)
	}
}

// linesByName returns the lines of an event by the name of their property or, of alarms and other
// components, by "BEGIN".
func linesByName(lines []string) map[string][]string {
	all := map[string][]string{}
	inside := false
	for _, l := range lines {
		name := strings.ToUpper(l[:max(0, strings.IndexAny(l, ";:"))])
		if inside = inside || name == "BEGIN"; inside {
			name = "BEGIN"
		}
		all[name] = append(all[name], l)
		inside = inside && !strings.EqualFold(l, "END:VALARM")
	}
	return all
}

// Overrides returns the events that replace occurrences of a series.
func (t *Tx) Overrides(e *Event) (all []Event, err error) {
	var ids []string
	calendar, err := KeyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	prefix := UIDKey(calendar, e.UID, "")
	for item, err := range t.Tx.Scan(kv.Range{Prefix: prefix}) {
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
		o, err := t.Load(id)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

// RemoveEvent removes an event, or part of its series, and returns the event or
// occurrence with the id.
func (s Events) RemoveEvent(ctx context.Context, id string, scope Scope, loc *time.Location) (o Occurrence, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		if o, err = t.Get(id, loc); err != nil {
			return err
		}
		gone := o
		if err := t.drop(gone, scope, loc, s.Time()); err != nil {
			return err
		}
		return t.Save()
	})
	return o, err
}

func (t *Tx) drop(o Occurrence, scope Scope, loc *time.Location, now time.Time) error {
	if o.RecurrenceID != "" && scope == This {
		if err := t.Put(o.Event, nil); err != nil {
			return err
		}
		master, err := t.ByUID(o.Calendar, o.UID, "")
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
		return t.Put(o.Event, nil)
	}
	home := t.Location(series, loc)
	switch {
	case scope == This:
		return t.exclude(series, o.Original, loc, now)
	case scope == Following && !t.isFirst(series, o.Wall, home):
		head := *series
		head.Recurrence, _ = SplitRecurrence(series, o.Wall, home)
		t.Touch(&head, now)
		return t.dropFrom(series, &head, o.Wall, home)
	}
	return t.dropFrom(series, nil, series.Start.Add(-Slack), home)
}

// dropFrom replaces a series by left, which may be nil, and removes the events
// that replace its occurrences from a local time on.
func (t *Tx) dropFrom(series, left *Event, wall time.Time, home *time.Location) error {
	overrides, err := t.Overrides(series)
	if err != nil {
		return err
	}
	for _, e := range overrides {
		if left != nil && before(e.RecurrenceID, wall, home) {
			continue
		}
		if err := t.Put(&e, nil); err != nil {
			return err
		}
		if left != nil {
			left.Exceptions = slices.DeleteFunc(slices.Clone(left.Exceptions),
				func(x string) bool { return x == e.RecurrenceID })
		}
	}
	return t.Put(series, left)
}

// exclude removes one occurrence from a series, and the series with its last
// occurrence.
func (t *Tx) exclude(series *Event, original string, loc *time.Location, now time.Time) error {
	after := *series
	after.Exceptions = slices.DeleteFunc(slices.Clone(series.Exceptions), func(x string) bool { return x == original })
	after.Recurrence = append(slices.Clip(series.Recurrence), "EXDATE:"+original)
	home := t.Location(series, loc)
	some := len(after.Exceptions) > 0
	t.Expander(&after, home).Walk(after.Start.Add(-Slack), endOfTime, func(time.Time) bool {
		some = true
		return false
	})
	if !some {
		return t.Put(series, nil)
	}
	t.Touch(&after, now)
	return t.Put(series, &after)
}
