package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"techo/internal/recur"
	"techo/store/kv"
)

// AllCalendars selects all calendars, wherever a calendar can be named.
const AllCalendars = "all"

// eventTx is a transaction with the caches that events need.
type eventTx struct {
	tx            *Tx
	now           time.Time
	zones         map[string]*time.Location
	calendars     map[string]*Calendar
	budget        *recur.Budget       // steps left for all rules
	rules         ruleCache           // few rules are different
	newExceptions map[string][]string // by series id: occurrences replaced by this import, not yet added
}

func (s *Store) newEventTx(tx *Tx) *eventTx {
	return &eventTx{tx: tx, now: s.now(), zones: map[string]*time.Location{}, calendars: map[string]*Calendar{},
		newExceptions: map[string][]string{}, rules: map[string]*recur.Rule{}, budget: &recur.Budget{Steps: maxTxSteps}}
}

// EventQuery selects occurrences.
type EventQuery struct {
	Calendars []string // empty means the default calendar
	From, To  time.Time
	Zone      *time.Location // zone for floating and all-day events
	Busy      bool           // only busy events, without etags; Occurrence.Identify sets the ids of occurrences
	Alarms    bool           // only events with an alarm
}

// wants reports whether the query selects an event, whatever its time.
func (q *EventQuery) wants(e *Event) bool {
	return (!q.Busy || e.Busy()) && (!q.Alarms || e.hasAlarm())
}

// read decodes an event as far as the query needs it.
func (q *EventQuery) read(calendar string, b []byte) (Event, error) {
	if q.Busy {
		return readFields(calendar, b)
	}
	return readEvent(calendar, b)
}

// Found is the result of a query, sorted.
type Found struct {
	Occurrences []Occurrence
	Problems    []EventProblem
	Truncated   bool // a limit cut the result short
}

// FindEvents returns the occurrences that overlap a range of time. Its cost grows
// with the result, not with the store.
func (s *Store) FindEvents(ctx context.Context, q EventQuery) (found Found, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		found, err = s.newEventTx(tx).find(q)
		return err
	})
	return found, err
}

func (t *eventTx) find(q EventQuery) (found Found, err error) {
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

// scan calls fn for the entries of a space that may overlap a window, level by
// level. A value is valid until fn returns.
func (t *eventTx) scan(space space, c *Calendar, counts *[levels]int, from, to int64,
	fn func(level int, start int64, id, value []byte) error) error {
	prefix := space.named(c.key())
	for level, n := range counts {
		if n == 0 {
			continue
		}
		least := int64(-forever)
		if level < levels-1 {
			least = from - maxLength(level) - 1
		}
		p := place{Calendar: c.key(), Level: level, From: least}
		prefix := append(slices.Clip(prefix), byte(level))
		for item, err := range t.tx.Scan(kv.Range{Prefix: prefix, From: p.key(space, "")}) {
			if err != nil {
				return err
			}
			start, id, ok := cutStart(item.Key[len(prefix):])
			if !ok {
				return finding(UnknownKey, KindEvent, string(item.Key), nil)
			}
			if start >= to {
				break
			}
			value, err := item.Peek()
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

func (t *eventTx) findSingles(c *Calendar, q EventQuery, found *Found) error {
	return t.scan(singleRecords, c, &c.Singles, q.From.Unix(), q.To.Unix()+1,
		func(_ int, _ int64, _, value []byte) error {
			e, err := q.read(c.Name, value)
			if err != nil {
				return err
			}
			o := t.first(e, q.Zone)
			if overlaps(o.From, o.To, q.From, q.To) && q.wants(&e) && !t.expired(&e) {
				found.Occurrences = append(found.Occurrences, o)
			}
			return nil
		})
}

func (t *eventTx) findSeries(c *Calendar, q EventQuery, found *Found) error {
	from, to := q.From.Unix(), q.To.Unix()
	var keys [][]byte
	err := t.scan(seriesFilters, c, &c.Series, from, to+1, func(level int, start int64, id, value []byte) error {
		entry, err := readSeriesFilter(value)
		if err != nil {
			return finding(Unreadable, KindEvent, string(id), nil)
		}
		if entry.may(from, to) {
			keys = append(keys, (&place{Calendar: c.key(), Level: level, From: start}).key(seriesRecords, string(id)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	found.Occurrences = slices.Grow(found.Occurrences, 2*len(keys)) // most have one or two
	return t.bodies(c, keys, func(b []byte) error {
		e, err := q.read(c.Name, b)
		if err != nil {
			return err
		}
		if q.wants(&e) {
			t.expand(&e, q, found)
		}
		return nil
	})
}

// Limits of the keys that are looked up one by one. If there are more, the records
// between them are scanned.
const (
	fewKeys     = 32
	scanPerGet  = 16 // records that a scan reads in the time of one lookup
	maxLookedUp = 1024
)

// bodies reads the records of series of a calendar with sorted keys. A record is valid
// until fn returns.
func (t *eventTx) bodies(c *Calendar, keys [][]byte, fn func([]byte) error) error {
	series := 0
	for _, n := range c.Series {
		series += n
	}
	if n := len(keys); n <= fewKeys || n <= maxLookedUp && n*scanPerGet <= series {
		values, err := t.tx.GetMany(keys)
		if err != nil {
			return err
		}
		for i, b := range values {
			if b == nil {
				return lost(keys[i], kv.ErrNotFound)
			}
			if err := fn(b); err != nil {
				return err
			}
		}
		return nil
	}
	for item, err := range t.tx.Scan(kv.Range{Prefix: seriesRecords.all(), From: keys[0]}) {
		if err != nil {
			return err
		}
		switch bytes.Compare(item.Key, keys[0]) {
		case 1:
			return lost(keys[0], kv.ErrNotFound)
		case 0:
			b, err := item.Peek()
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

// lost turns a missing record that an index names into a FindingError.
func lost(key []byte, err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return finding(NoRecord, KindEvent, string(rest(key)), nil)
	}
	return err
}

// expand adds the occurrences of a series in the window of a query.
func (t *eventTx) expand(e *Event, q EventQuery, found *Found) {
	home := t.location(e, q.Zone)
	x := t.expander(e, home)
	if x.err != nil {
		if o := t.first(*e, q.Zone); overlaps(o.From, o.To, q.From, q.To) {
			found.Occurrences = append(found.Occurrences, o)
			if errors.Is(x.err, errNever) {
				found.problem(e, NoMatchingTime, nil)
			} else {
				found.problem(e, UnreadableRule, x.err)
			}
		}
		return
	}
	whole := x.spans(q.From, q.To, func(wall, from, to time.Time) bool {
		n := len(found.Occurrences)
		if q.Busy && n > 0 && found.Occurrences[n-1].Event == e && !from.After(found.Occurrences[n-1].To) {
			found.Occurrences[n-1].To = later(found.Occurrences[n-1].To, to) // only the blocked time counts
			return true
		}
		if n >= maxFound {
			return false
		}
		o := Occurrence{Event: e, From: from, To: to, Wall: wall, home: home}
		if !q.Busy {
			o.Identify()
		}
		found.Occurrences = append(found.Occurrences, o)
		return true
	})
	if !whole || len(found.Occurrences) >= maxFound {
		found.Truncated = true
		found.problem(e, TooManyOccurrences, nil)
	}
}

// Limits of the result of one query.
const (
	maxFound        = 200_000
	maxFindProblems = 1000
)

func (f *Found) problem(e *Event, code EventProblemCode, cause error) {
	if len(f.Problems) < maxFindProblems {
		f.Problems = append(f.Problems, EventProblem{e.ID, e.Title, code, cause})
	}
}

// EachEvent yields the events of a calendar as they are stored: single events,
// series, and events that replace an occurrence, by start.
func (s *Store) EachEvent(ctx context.Context, calendar string, fn func(Event) error) error {
	return stream(ctx, s, func(tx *Tx) error {
		t := s.newEventTx(tx)
		if _, err := t.calendar(calendar); err != nil {
			return err
		}
		return t.each(calendar, func(e Event) error {
			if t.expired(&e) {
				return nil
			}
			return fn(e)
		})
	})
}

// each yields the events of a calendar, also expired ones.
func (t *eventTx) each(calendar string, fn func(Event) error) error {
	key, err := keyOf(t, calendar)
	if err != nil {
		return err
	}
	for _, space := range []space{seriesRecords, singleRecords} {
		for p, err := range kv.Pairs(t.tx, kv.Range{Prefix: space.named(key)}) {
			if err != nil {
				return err
			}
			e, err := readEvent(calendar, p.Value)
			if err != nil {
				return err
			}
			if err := fn(e); err != nil {
				return err
			}
		}
	}
	return nil
}
