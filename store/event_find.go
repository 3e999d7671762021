package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"techo/internal/recur"
	"techo/store/kv"
)

// AllCalendars stands for every calendar there is, where one may be named.
const AllCalendars = "all"

// events is a transaction as events see it.
type events struct {
	tx        kv.Tx
	now       time.Time
	zones     map[string]*time.Location
	calendars map[string]*Calendar
	budget    *recur.Budget       // of all rules that are followed
	standing  map[string][]string // by the id of a series: exceptions that it is yet to be told
}

func (s *Store) newEvents(tx kv.Tx) *events {
	return &events{tx: tx, now: s.now(), zones: map[string]*time.Location{}, calendars: map[string]*Calendar{}, standing: map[string][]string{}, budget: &recur.Budget{Steps: allSteps}}
}

// EventQuery chooses occurrences.
type EventQuery struct {
	Calendars []string // none is the default one
	From, To  time.Time
	Zone      *time.Location // where floating events and days are looked at
	Busy      bool           // only those that take their time, without etags
}

// read reads an event as far as the query needs it.
func (q *EventQuery) read(calendar string, b []byte) (Event, error) {
	if q.Busy {
		return readFields(calendar, b)
	}
	return readEvent(calendar, b)
}

// Found is what a query gave, in the order of lists.
type Found struct {
	Occurrences []Occurrence
	Problems    []EventProblem
	Truncated   bool // a series has more than can be looked at
}

// FindEvents returns the occurrences that overlap a time. What it costs
// follows what it finds, not what is stored.
func (s *Store) FindEvents(ctx context.Context, q EventQuery) (found Found, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		found, err = s.newEvents(tx).find(q)
		return err
	})
	return found, err
}

func (t *events) find(q EventQuery) (found Found, err error) {
	names := q.Calendars
	if len(names) == 0 {
		names = []string{DefaultCalendar}
	}
	if slices.Contains(names, AllCalendars) {
		all, err := t.list()
		if err != nil {
			return found, err
		}
		names = nil
		for _, c := range all {
			names = append(names, c.Name)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		c, err := t.calendar(name)
		if err != nil {
			return found, err
		}
		if err := t.findSingles(c, q, &found); err != nil {
			return found, err
		}
		if err := t.findSeries(c, q, &found); err != nil {
			return found, err
		}
	}
	sortOccurrences(found.Occurrences)
	return found, nil
}

// scan goes through the entries of a space that may overlap a window, level by
// level.
func (t *events) scan(space string, c *Calendar, counts *[levels]int, from, to int64, fn func(level int, start int64, id string, value []byte) error) error {
	prefix := inCalendar(space, c.Name)
	for level, n := range counts {
		if n == 0 {
			continue
		}
		least := int64(-forever)
		if level < levels-1 {
			least = from - longest(level) - 1
		}
		p := place{Calendar: c.Name, Level: level, From: least}
		for item, err := range t.tx.Scan(kv.Range{Prefix: append(slices.Clip(prefix), byte(level)), From: p.key(space, "")}) {
			if err != nil {
				return err
			}
			_, start, id := cutPlace(item.Key, len(prefix))
			if start >= to {
				break
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			if err := fn(level, start, id, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *events) findSingles(c *Calendar, q EventQuery, found *Found) error {
	return t.scan("ci", c, &c.Singles, q.From.Unix(), q.To.Unix()+1, func(_ int, _ int64, _ string, value []byte) error {
		e, err := q.read(c.Name, value)
		if err != nil {
			return err
		}
		o := t.first(e, q.Zone)
		if overlaps(o.From, o.To, q.From, q.To) && (!q.Busy || e.Busy()) && !t.expired(&e) {
			found.Occurrences = append(found.Occurrences, o)
		}
		return nil
	})
}

func (t *events) findSeries(c *Calendar, q EventQuery, found *Found) error {
	from, to := q.From.Unix(), q.To.Unix()
	var keys [][]byte
	err := t.scan("cm", c, &c.Series, from, to+1, func(level int, start int64, id string, value []byte) error {
		entry, err := readSeriesEntry(value)
		if err != nil {
			return &kv.CorruptError{Path: "event " + id, Reason: err.Error()}
		}
		if entry.may(from, to) {
			keys = append(keys, (&place{Calendar: c.Name, Level: level, From: start}).key("cb", id))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.bodies(keys, func(b []byte) error {
		e, err := q.read(c.Name, b)
		if err != nil {
			return err
		}
		if !q.Busy || e.Busy() {
			t.expand(&e, q, found)
		}
		return nil
	})
}

// nearby is how many keys are looked up one by one; more, which lie close
// together, are found by going through the records between them.
const nearby = 32

// bodies reads the records of series, whose keys are in order.
func (t *events) bodies(keys [][]byte, fn func([]byte) error) error {
	if len(keys) <= nearby {
		for _, key := range keys {
			b, err := t.tx.Get(key)
			if err != nil {
				return lost(key, err)
			}
			if err := fn(b); err != nil {
				return err
			}
		}
		return nil
	}
	for item, err := range t.tx.Scan(kv.Range{Prefix: keys[0][:2], From: keys[0]}) {
		if err != nil {
			return err
		}
		switch bytes.Compare(item.Key, keys[0]) {
		case 1:
			return lost(keys[0], kv.ErrNotFound)
		case 0:
			b, err := item.Value()
			if err != nil {
				return err
			}
			if err := fn(b); err != nil {
				return err
			}
			if keys = keys[1:]; len(keys) == 0 {
				return nil
			}
		}
	}
	return lost(keys[0], kv.ErrNotFound)
}

// lost is the fault of an index that names what is not there.
func lost(key []byte, err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return &kv.CorruptError{Path: fmt.Sprintf("event %q", key), Reason: "an index names it, and it is not there"}
	}
	return err
}

// expand adds the occurrences of a series that lie in a query's window.
func (t *events) expand(e *Event, q EventQuery, found *Found) {
	home := t.location(e, q.Zone)
	x := t.expander(e, home)
	if x.err != nil {
		if o := t.first(*e, q.Zone); overlaps(o.From, o.To, q.From, q.To) {
			found.Occurrences = append(found.Occurrences, o)
			found.problem(e, x.err.Error())
		}
		return
	}
	whole := x.spans(q.From, q.To, func(wall, from, to time.Time) bool {
		n := len(found.Occurrences)
		if q.Busy && n > 0 && found.Occurrences[n-1].Event == e && !from.After(found.Occurrences[n-1].To) {
			found.Occurrences[n-1].To = later(found.Occurrences[n-1].To, to) // what takes the time is all that counts
			return true
		}
		if n >= maxFound {
			return false
		}
		found.Occurrences = append(found.Occurrences, Occurrence{Event: e, From: from, To: to, Wall: wall, Original: e.OccurrenceID(wall, home)})
		return true
	})
	if !whole || len(found.Occurrences) >= maxFound {
		found.Truncated = true
		found.problem(e, "too many occurrences")
	}
}

// Limits of what one query finds.
const (
	maxFound        = 200_000
	maxFindProblems = 1000
)

func (f *Found) problem(e *Event, reason string) {
	if len(f.Problems) < maxFindProblems {
		f.Problems = append(f.Problems, EventProblem{e.ID, e.Title, reason})
	}
}

// EachEvent yields the events of a calendar as they are kept: events, series,
// and those that stand for an occurrence, by start.
func (s *Store) EachEvent(ctx context.Context, calendar string, fn func(Event) error) error {
	return s.view(ctx, func(tx kv.Tx) error {
		t := s.newEvents(tx)
		if _, err := t.calendar(calendar); err != nil {
			return err
		}
		for _, space := range []string{"cb", "ci"} {
			for item, err := range tx.Scan(kv.Range{Prefix: inCalendar(space, calendar)}) {
				if err != nil {
					return err
				}
				b, err := item.Value()
				if err != nil {
					return err
				}
				e, err := readEvent(calendar, b)
				if err != nil {
					return err
				}
				if t.expired(&e) {
					continue
				}
				if err := fn(e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
