package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"techo/internal/recur"
	"techo/store/kv"
)

// load returns the event with an id, or kv.ErrNotFound.
func (t *eventTx) load(id string) (e Event, err error) {
	if id == "" || len(id) > kv.MaxKey-len(eventPlaces) {
		return e, kv.ErrNotFound
	}
	var p place
	if err := load(t.tx, eventKey(id), &p); err != nil {
		return e, err
	}
	c, err := calendarAt(t, p.Calendar)
	if err != nil {
		return e, err
	}
	b, err := t.tx.Get(p.key(p.records(), id))
	if err != nil {
		return e, lost(eventKey(id), err)
	}
	return readEvent(c.Name, b)
}

// readPlaces reads the places of many events and to-dos together: a database then answers at once.
func readPlaces(tx *Tx, events []Event, todos []Todo) error {
	var keys [][]byte
	for i := range events {
		keys = append(keys, eventKey(events[i].ID))
	}
	for i := range todos {
		keys = append(keys, todoPlaceKey(todos[i].ID))
	}
	_, err := tx.GetMany(keys)
	return err
}

// put replaces before by after in the records and the indexes. Either may be nil.
// The caller saves the calendars.
func (t *eventTx) put(before, after *Event) error {
	if before != nil {
		if err := t.remove(before, after); err != nil {
			return err
		}
	}
	if after == nil {
		return nil
	}
	after.Never = t.never(after)
	b := recordOfEvent(after)
	after.Etag = etag(b)
	c, err := t.ensure(after.Calendar)
	if err != nil {
		return err
	}
	if err := checkSeries(t, c, after); err != nil {
		return err
	}
	if lead := alarmLead(after); lead > UsualAlarmLead {
		c.Lead = max(c.Lead, int64(lead/time.Second))
	}
	p, filter := t.placeOf(after)
	p.Calendar = c.key()
	if p.Series {
		c.Series[p.Level]++
		if err := t.tx.Put(p.key(seriesFilters, after.ID), t.entry(after, &p, filter).append(nil)); err != nil {
			return err
		}
	} else {
		c.Singles[p.Level]++
	}
	if err := t.tx.Put(p.key(p.records(), after.ID), b); err != nil {
		return err
	}
	if err := save(t.tx, eventKey(after.ID), p); err != nil {
		return err
	}
	if after.Group != "" {
		if err := t.tx.Put(groupKey(after.Group, after.ID), nil); err != nil {
			return err
		}
	}
	return t.tx.Put(uidKey(c.key(), after.UID, after.RecurrenceID), []byte(after.ID))
}

// remove removes an event. It leaves the keys that after, its replacement, writes
// anyway.
func (t *eventTx) remove(e, after *Event) error {
	c, err := t.ensure(e.Calendar)
	if err != nil {
		return err
	}
	var p place
	if err := load(t.tx, eventKey(e.ID), &p); err != nil {
		return lost(eventKey(e.ID), err)
	}
	keys := [][]byte{p.key(p.records(), e.ID)}
	if p.Series {
		c.Series[p.Level]--
		keys = append(keys, p.key(seriesFilters, e.ID))
	} else {
		c.Singles[p.Level]--
	}
	if after == nil || after.ID != e.ID {
		keys = append(keys, eventKey(e.ID))
	}
	keys = append(keys, uidKey(c.key(), e.UID, e.RecurrenceID))
	if e.Group != "" {
		keys = append(keys, groupKey(e.Group, e.ID))
	}
	if err := deleteKeys(t.tx, keys); err != nil {
		return err
	}
	if !c.Linked || e.RecurrenceID != "" || after != nil && after.Calendar == e.Calendar && after.UID == e.UID {
		return nil
	}
	left, err := t.overridden(e)
	c.Linked = len(left) == 0
	return err
}

// checkSeries keeps Calendar.Linked true when an event is written.
func checkSeries(t *eventTx, c *Calendar, e *Event) error {
	if !c.Linked || e.RecurrenceID == "" {
		return nil
	}
	_, err := t.tx.Get(uidKey(c.key(), e.UID, ""))
	c.Linked = err == nil
	return ignoreMissing(err)
}

// entry returns the index entry of a series.
func (t *eventTx) entry(e *Event, p *place, filter *recur.Filter) *seriesFilter {
	s := &seriesFilter{to: p.to, length: int64((time.Duration(e.Days)*24*time.Hour + e.Length) / time.Second)}
	s.least, s.most = -maxUTCOffset, maxUTCOffset
	if e.Form == Timed {
		s.least, s.most = offsets(t.location(e, time.UTC), p.From)
	}
	if e.Days != 0 {
		s.length += 2 * 3600 // a day may be longer than 24 hours
	}
	if filter == nil {
		s.unfiltered = true
	} else {
		s.filter = *filter
	}
	return s
}

// offsets returns the smallest and the largest UTC offset of a zone after a time.
func offsets(loc *time.Location, from int64) (least, most int64) {
	_, first := time.Unix(from, 0).In(loc).Zone()
	least, most = int64(first), int64(first)
	if loc == time.UTC {
		return least, most
	}
	for at := time.Unix(from, 0); at.Year() < 2038; {
		_, next := at.In(loc).ZoneBounds()
		if next.IsZero() || !next.After(at) {
			break
		}
		_, o := next.In(loc).Zone()
		least, most = min(least, int64(o)), max(most, int64(o))
		at = next
	}
	return least, most
}

// newEventID derives an id from a seed, so that the same calls at the same times
// give the same ids in every store. It is shortEventID unless an event has that.
func (t *eventTx) newEventID(seed string) (string, error) {
	digest := sha256.Sum256([]byte(seed))
	for {
		id := shortID(digest[:], eventIDLength)
		_, err := t.tx.Get(eventKey(id))
		if errors.Is(err, kv.ErrNotFound) {
			t.tx.noteNew(recordID{KindEvent, id})
			return id, nil
		}
		if err != nil {
			return "", err
		}
		digest = sha256.Sum256(digest[:])
	}
}

// eventIDLength is the length of the ids of events and to-dos.
const eventIDLength = 12

// shortEventID returns the first id that newEventID tries.
func shortEventID(seed string) string {
	digest := sha256.Sum256([]byte(seed))
	return shortID(digest[:], eventIDLength)
}

// EventWrite configures the writing of an event.
type EventWrite struct {
	Zone   *time.Location // zone for floating and all-day events
	IfFree bool           // fail with a ConflictError if the time is taken
	DryRun bool           // write nothing
}

// Written is a written event, with the events that it conflicts with.
type Written struct {
	Occurrence
	Conflicts  []Occurrence // busy events at the same time, at most MaxConflicts
	Duplicates []Occurrence // events with the same title and start
}

// MaxConflicts limits the reported conflicts.
const MaxConflicts = 10

// ConflictError reports that the time of an event is taken.
type ConflictError struct{ Conflicts []Occurrence }

func (e *ConflictError) Error() string { return "event: its time is taken" }

// AddEvent adds an event and returns it with its id and times. Without a calendar it goes
// to the chosen default; if that is at a service, AddEvent fails with a RemoteCalendarError.
func (s *Store) AddEvent(ctx context.Context, draft Event, how EventWrite) (Written, error) {
	var w Written
	err := s.update(ctx, func(tx *Tx) error {
		t := s.newEventTx(tx)
		var err error
		w, err = t.add(draft, s.time(), how)
		return err
	})
	return w, err
}

func (t *eventTx) add(e Event, now time.Time, how EventWrite) (w Written, err error) {
	if e.Calendar, err = targetName(t, e.Calendar); err != nil {
		return w, err
	}
	e.CreatedAt, e.UpdatedAt = now, now
	if e.ID == "" {
		seed := e.Calendar + "\x00" + e.Title + "\x00" + e.Start.Format(time.RFC3339) + "\x00" +
			now.Format(time.RFC3339Nano)
		if e.ID, err = t.newEventID(seed); err != nil {
			return w, err
		}
	}
	if e.UID == "" {
		e.UID = e.ID
	}
	if w, err = t.meet(e, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &e, how)
}

// keep writes an event, unless how is a dry run.
func (t *eventTx) keep(w *Written, before, after *Event, how EventWrite) error {
	if how.DryRun {
		after.Etag = etag(recordOfEvent(after))
		w.Event, w.Original = after, after.RecurrenceID
		return nil
	}
	if err := t.put(before, after); err != nil {
		return err
	}
	w.Event, w.Original = after, after.RecurrenceID
	return t.save()
}

// meet finds the conflicts and duplicates of an event that is to be written.
func (t *eventTx) meet(e Event, how EventWrite) (w Written, err error) {
	mine := t.expandYear(e, how.Zone)
	w.Occurrence = mine[0]
	until := mine[len(mine)-1].To
	found, err := t.find(EventQuery{Calendars: []string{e.Calendar}, From: w.From,
		To: later(until, w.From.Add(time.Second)), Zone: how.Zone})
	if missing := new(NotFoundError); errors.As(err, &missing) {
		return w, nil // a new calendar
	}
	if err != nil {
		return w, err
	}
	for _, o := range found.Occurrences {
		if o.Event.ID == e.ID || e.RecurrenceID != "" && o.UID == e.UID {
			continue
		}
		if o.Title == e.Title && o.From.Equal(w.From) {
			w.Duplicates = append(w.Duplicates, o)
		}
		meets := func(m Occurrence) bool { return o.From.Before(m.To) && m.From.Before(o.To) }
		if e.Busy() && o.Busy() && len(w.Conflicts) < MaxConflicts && slices.ContainsFunc(mine, meets) {
			w.Conflicts = append(w.Conflicts, o)
		}
	}
	if how.IfFree && len(w.Conflicts) > 0 {
		return w, &ConflictError{w.Conflicts}
	}
	return w, nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
