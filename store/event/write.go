package event

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"techo/internal/recur"
	"techo/store/kv"
	"techo/store/ledger"
)

// Load returns the event with an id, or kv.ErrNotFound.
func (t *Tx) Load(id string) (e Event, err error) {
	if id == "" || len(id) > kv.MaxKey-len(Places) {
		return e, kv.ErrNotFound
	}
	var p Place
	if err := ledger.Load(t.Tx, Key(id), &p); err != nil {
		return e, err
	}
	c, err := CalendarAt(t, p.Calendar)
	if err != nil {
		return e, err
	}
	b, err := t.Tx.Get(p.Key(p.Records(), id))
	if err != nil {
		return e, lost(Key(id), err)
	}
	return Read(c.Name, b)
}

// Put replaces before by after in the records and the indexes. Either may be nil.
// The caller saves the calendars.
func (t *Tx) Put(before, after *Event) error {
	if before != nil {
		if err := t.remove(before, after); err != nil {
			return err
		}
	}
	if after == nil {
		return nil
	}
	after.Never = t.never(after)
	b := RecordOf(after)
	after.Etag = ledger.Etag(b)
	c, err := t.Ensure(after.Calendar)
	if err != nil {
		return err
	}
	t.forgetReplaced(c, after)
	if err := t.checkSeries(c, after); err != nil {
		return err
	}
	if lead := after.alarmLead(); lead > UsualAlarmLead {
		c.Lead = max(c.Lead, int64(lead/time.Second))
	}
	p, filter := t.placeOf(after)
	p.Calendar = c.InKeys()
	if p.Series {
		c.Series[p.Level]++
		if err := t.Tx.Put(p.Key(SeriesFilters, after.ID), t.entry(after, &p, filter).append(nil)); err != nil {
			return err
		}
	} else {
		c.Singles[p.Level]++
	}
	if err := t.Tx.Put(p.Key(p.Records(), after.ID), b); err != nil {
		return err
	}
	if err := ledger.Save(t.Tx, Key(after.ID), p); err != nil {
		return err
	}
	if after.Group != "" {
		if err := t.Tx.Put(GroupKey(after.Group, after.ID), nil); err != nil {
			return err
		}
	}
	return t.Tx.Put(UIDKey(c.InKeys(), after.UID, after.RecurrenceID), []byte(after.ID))
}

// remove removes an event. It leaves the keys that after, its replacement, writes
// anyway.
func (t *Tx) remove(e, after *Event) error {
	c, err := t.Ensure(e.Calendar)
	if err != nil {
		return err
	}
	var p Place
	if err := ledger.Load(t.Tx, Key(e.ID), &p); err != nil {
		return lost(Key(e.ID), err)
	}
	t.forgetReplaced(c, e)
	keys := [][]byte{p.Key(p.Records(), e.ID)}
	if p.Series {
		c.Series[p.Level]--
		keys = append(keys, p.Key(SeriesFilters, e.ID))
	} else {
		c.Singles[p.Level]--
	}
	if after == nil || after.ID != e.ID {
		keys = append(keys, Key(e.ID))
	}
	keys = append(keys, UIDKey(c.InKeys(), e.UID, e.RecurrenceID))
	if e.Group != "" {
		keys = append(keys, GroupKey(e.Group, e.ID))
	}
	if err := t.Tx.DeleteKeys(keys); err != nil {
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
func (t *Tx) checkSeries(c *Calendar, e *Event) error {
	if !c.Linked || e.RecurrenceID == "" {
		return nil
	}
	_, err := t.Tx.Get(UIDKey(c.InKeys(), e.UID, ""))
	c.Linked = err == nil
	return ledger.IgnoreMissing(err)
}

func (t *Tx) entry(e *Event, p *Place, filter *recur.Filter) *seriesFilter {
	s := &seriesFilter{to: p.to, length: int64((time.Duration(e.Days)*24*time.Hour + e.Length) / time.Second)}
	s.least, s.most = -maxUTCOffset, maxUTCOffset
	if e.Form == Timed {
		s.least, s.most = offsets(t.Location(e, time.UTC), p.From)
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

// NewEventID derives an id from a seed, so that the same calls at the same times
// give the same ids in every store. It is shortEventID unless an event has that.
func (t *Tx) NewEventID(seed string) (string, error) {
	digest := sha256.Sum256([]byte(seed))
	for {
		id := ledger.ShortID(digest[:], eventIDLength)
		_, err := t.Tx.Get(Key(id))
		if errors.Is(err, kv.ErrNotFound) {
			t.Tx.NoteNew(ledger.RecordID{Kind: ledger.KindEvent, ID: id})
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

// ShortEventID returns the first id that newEventID tries.
func ShortEventID(seed string) string {
	digest := sha256.Sum256([]byte(seed))
	return ledger.ShortID(digest[:], eventIDLength)
}

// Write configures the writing of an event.
type Write struct {
	Zone   *time.Location // zone for floating and all-day events
	IfFree bool           // fail with a ConflictError if the time is taken
	DryRun bool           // write nothing

	series string // the UID of the series that the event was a part of
	part   string // the UID of the later part of a series that is divided; "" is one of a change here
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
func (s Events) AddEvent(ctx context.Context, draft Event, how Write) (Written, error) {
	var w Written
	err := s.Update(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		var err error
		w, err = t.add(draft, s.Time(), how)
		return err
	})
	return w, err
}

func (t *Tx) add(e Event, now time.Time, how Write) (w Written, err error) {
	if e.Calendar, err = TargetName(t, e.Calendar); err != nil {
		return w, err
	}
	e.CreatedAt, e.UpdatedAt = now, now
	if e.ID == "" {
		seed := e.Calendar + "\x00" + e.Title + "\x00" + e.Start.Format(time.RFC3339) + "\x00" +
			now.Format(time.RFC3339Nano)
		if e.ID, err = t.NewEventID(seed); err != nil {
			return w, err
		}
	}
	if e.UID == "" {
		e.UID = e.ID
	} else if _, err := t.ByUID(e.Calendar, e.UID, e.RecurrenceID); err == nil {
		return w, &ledger.TakenError{Kind: ledger.KindEvent, Name: e.UID}
	} else if !errors.Is(err, kv.ErrNotFound) {
		return w, err
	}
	if w, err = t.meet(e, how); err != nil {
		return w, err
	}
	return w, t.keep(&w, nil, &e, how)
}

// keep writes an event, unless how is a dry run.
func (t *Tx) keep(w *Written, before, after *Event, how Write) error {
	if how.DryRun {
		after.Etag = ledger.Etag(RecordOf(after))
		w.Event, w.Original = after, after.RecurrenceID
		return nil
	}
	if err := t.Put(before, after); err != nil {
		return err
	}
	w.Event, w.Original = after, after.RecurrenceID
	return t.Save()
}

// meet finds the conflicts and duplicates of an event that is to be written.
func (t *Tx) meet(e Event, how Write) (w Written, err error) {
	mine := t.expandYear(e, how.Zone)
	w.Occurrence = mine[0]
	until := mine[len(mine)-1].To
	found, err := t.find(Query{Calendars: []string{e.Calendar}, From: w.From,
		To: later(until, w.From.Add(time.Second)), Zone: how.Zone})
	if missing := new(ledger.NotFoundError); errors.As(err, &missing) {
		return w, nil // a new calendar
	}
	if err != nil {
		return w, err
	}
	for _, o := range found.Occurrences {
		if o.UID == e.UID || o.UID == how.series { // a series does not conflict with itself
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

// forgetReplaced forgets the replaced occurrences and the later parts of a series when an event that may be one is
// written.
func (t *Tx) forgetReplaced(c *Calendar, e *Event) {
	if e.RecurrenceID != "" || strings.Contains(e.UID, partMark) {
		ForgetReplaced(t, UIDKey(c.InKeys(), e.UID, ""))
	}
}
