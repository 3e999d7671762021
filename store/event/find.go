package event

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"techo/internal/recur"
	"techo/internal/zone"
	"techo/store/kv"
	"techo/store/ledger"
)

// AllCalendars selects all calendars, wherever a calendar can be named.
const AllCalendars = "all"

// Tx is a transaction with the caches that events need.
type Tx struct {
	Tx            *ledger.Tx
	now           time.Time
	zones         map[string]*time.Location
	Calendars     map[string]*Calendar
	budget        *recur.Budget          // steps left for all rules
	rules         map[string]*recur.Rule // by their text: few are different
	newExceptions map[string][]string    // by series id: occurrences replaced by this import, not yet added
	replaced      map[string][]string    // by the UID of a series, as the beginning of a key: what readReplaced has read
	given         map[occurrenceKey]bool // that the file of an import has; nil without a file
	TodosCurrent  bool                   // package todo knows that its index is complete
	counted       bool                   // a message that is followed brings the sequence numbers
}

// occurrenceKey names an event that replaces an occurrence.
type occurrenceKey struct{ uid, original string }

// NewTx returns a transaction of calendars and events within one of the store.
func NewTx(tx *ledger.Tx) *Tx {
	t := withoutStore()
	t.Tx, t.now, t.Calendars, t.newExceptions = tx, tx.Ledger.Now(), map[string]*Calendar{}, map[string][]string{}
	return t
}

// withoutStore returns what expands events that are not in a store.
func withoutStore() *Tx {
	return &Tx{zones: map[string]*time.Location{}, rules: map[string]*recur.Rule{},
		budget: &recur.Budget{Steps: maxTxSteps}}
}

// Query selects occurrences.
type Query struct {
	Calendars []string // empty means the default calendar
	From, To  time.Time
	Zone      *time.Location // zone for floating and all-day events
	Busy      bool           // only busy events, without etags; Occurrence.Identify sets the ids of occurrences
	Alarms    bool           // only events with an alarm
}

// wants reports whether the query selects an event, whatever its time.
func (q *Query) wants(e *Event) bool {
	return (!q.Busy || e.Busy()) && (!q.Alarms || e.HasAlarm())
}

// read decodes an event as far as the query needs it.
func (q *Query) read(calendar string, b []byte) (Event, error) {
	if q.Busy {
		return ReadFields(calendar, b)
	}
	return Read(calendar, b)
}

// Found is the result of a query, sorted.
type Found struct {
	Occurrences []Occurrence
	Problems    []Problem
	Truncated   bool // a limit cut the result short
}

// FindEvents returns the occurrences that overlap a range of time. Its cost grows
// with the result, not with the store.
func (s Events) FindEvents(ctx context.Context, q Query) (found Found, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found, err = NewTx(tx).find(q)
		return err
	})
	return found, err
}

func (t *Tx) find(q Query) (found Found, err error) {
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
		c, err := t.Calendar(name)
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
	SortOccurrences(found.Occurrences)
	return found, nil
}

// scan calls fn for the entries of a space that may overlap a window, level by
// level. A value is valid until fn returns.
func (t *Tx) scan(space ledger.Prefix, c *Calendar, counts *[Levels]int, from, to int64,
	fn func(level int, start int64, id, value []byte) error) error {
	prefix := space.Named(c.InKeys())
	for level, n := range counts {
		if n == 0 {
			continue
		}
		least := int64(-forever)
		if level < Levels-1 {
			least = from - maxLength(level) - 1
		}
		p := Place{Calendar: c.InKeys(), Level: level, From: least}
		prefix := append(slices.Clip(prefix), byte(level))
		for item, err := range t.Tx.Scan(kv.Range{Prefix: prefix, From: p.Key(space, "")}) {
			if err != nil {
				return err
			}
			start, id, ok := cutStart(item.Key[len(prefix):])
			if !ok {
				return ledger.Finding(ledger.UnknownKey, ledger.KindEvent, string(item.Key), nil)
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

func (t *Tx) findSingles(c *Calendar, q Query, found *Found) error {
	return t.scan(SingleRecords, c, &c.Singles, q.From.Unix(), q.To.Unix()+1,
		func(_ int, _ int64, _, value []byte) error {
			e, err := q.read(c.Name, value)
			if err != nil {
				return err
			}
			o := t.First(e, q.Zone)
			if Overlaps(o.From, o.To, q.From, q.To) && q.wants(&e) && !t.expired(&e) {
				found.Occurrences = append(found.Occurrences, o)
			}
			return nil
		})
}

func (t *Tx) findSeries(c *Calendar, q Query, found *Found) error {
	from, to := q.From.Unix(), q.To.Unix()
	var keys [][]byte
	err := t.scan(SeriesFilters, c, &c.Series, from, to+1, func(level int, start int64, id, value []byte) error {
		entry, err := ReadSeriesFilter(value)
		if err != nil {
			return ledger.Finding(ledger.Unreadable, ledger.KindEvent, string(id), nil)
		}
		if entry.may(from, to) {
			keys = append(keys, (&Place{Calendar: c.InKeys(), Level: level, From: start}).Key(SeriesRecords,
				string(id)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	found.Occurrences = slices.Grow(found.Occurrences, 2*len(keys)) // most have one or two
	return t.bodies(keys, func(b []byte) error {
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

// bodies reads the records of series with keys. A record is valid until fn returns.
func (t *Tx) bodies(keys [][]byte, fn func([]byte) error) error {
	values, err := t.Tx.GetMany(keys)
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

// lost turns a missing record that an index names into a FindingError.
func lost(key []byte, err error) error {
	if errors.Is(err, kv.ErrNotFound) {
		return ledger.Finding(ledger.NoRecord, ledger.KindEvent, string(ledger.Rest(key)), nil)
	}
	return err
}

// expand adds the occurrences of a series in the window of a query.
func (t *Tx) expand(e *Event, q Query, found *Found) {
	home := t.Location(e, q.Zone)
	x := t.Expander(e, home)
	if x.Err != nil {
		if o := t.First(*e, q.Zone); Overlaps(o.From, o.To, q.From, q.To) {
			found.Occurrences = append(found.Occurrences, o)
			if errors.Is(x.Err, errNever) {
				found.problem(e, NoMatchingTime, nil)
			} else {
				found.problem(e, UnreadableRule, x.Err)
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

func (f *Found) problem(e *Event, code ProblemCode, cause error) {
	if len(f.Problems) < maxFindProblems {
		f.Problems = append(f.Problems, Problem{ID: e.ID, Title: e.Title, Calendar: e.Calendar, UID: e.UID,
			Code: code, Cause: cause})
	}
}

// EachEvent yields the events of a calendar as they are stored: single events,
// series, and events that replace an occurrence, by start.
func (s Events) EachEvent(ctx context.Context, calendar string, fn func(Event) error) error {
	return s.Ledger.Stream(ctx, func(tx *ledger.Tx) error {
		t := NewTx(tx)
		if _, err := t.Calendar(calendar); err != nil {
			return err
		}
		return t.Each(calendar, func(e Event) error {
			if t.expired(&e) {
				return nil
			}
			return fn(e)
		})
	})
}

// Each yields the events of a calendar, also expired ones.
func (t *Tx) Each(calendar string, fn func(Event) error) error {
	key, err := KeyOf(t, calendar)
	if err != nil {
		return err
	}
	for _, space := range []ledger.Prefix{SeriesRecords, SingleRecords} {
		for p, err := range kv.Pairs(t.Tx, kv.Range{Prefix: space.Named(key)}) {
			if err != nil {
				return err
			}
			e, err := Read(calendar, p.Value)
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

// NextOccurrence returns the first occurrence of an event that ends after a time. The
// result for an event that is over is the occurrence at its start. loc is the zone for floating and all-day
// events.
func NextOccurrence(e Event, after time.Time, loc *time.Location) Occurrence {
	t := withoutStore()
	o := t.First(e, loc)
	if !e.Recurs() {
		return o
	}
	home := t.Location(&e, loc)
	x := t.Expander(&e, home)
	if x.Err != nil {
		return o
	}
	from := zone.Wall(after, home).Add(-o.To.Sub(o.From) - Slack)
	wall, ok := x.First(from, func(w time.Time) bool {
		_, end := e.Span(w, home)
		return end.After(after)
	})
	if ok {
		o.Wall, o.Original = wall, e.OccurrenceID(wall, home)
		o.From, o.To = e.Span(wall, home)
	}
	return o
}

// SortOccurrences sorts by start, then the longer ones first, then by title and
// id.
func SortOccurrences(all []Occurrence) {
	slices.SortFunc(all, func(a, b Occurrence) int {
		if c := a.From.Compare(b.From); c != 0 {
			return c
		}
		return cmp.Or(b.To.Compare(a.To), cmp.Compare(a.Title, b.Title), cmp.Compare(a.Event.ID, b.Event.ID),
			a.Wall.Compare(b.Wall))
	})
}
