package todo

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"techo/store/event"
	"techo/store/kv"
	"techo/store/ledger"
)

// Query selects to-dos of a calendar.
type Query struct {
	Open, Done bool

	// Due, unless zero, selects of the open to-dos those that are due until then. Later ones may be found, too.
	Due time.Time

	// First, unless zero, is how many to-dos are wanted in the order of urgency: by the day that they are due,
	// priority, time, creation and title; done ones follow, the latest first. Open ones that start after Begun
	// are none of them, unless it is zero. Others may be found, too. It does not go with Due.
	First int
	Begun time.Time

	// Ready leaves out of the first ones those that wait for others.
	Ready bool
}

// Found is the result of a query.
type Found struct {
	Todos   []Occurrence // in no particular order. The occurrences that differ from their series are to-dos of their own
	Omitted int          // to-dos that Query.First leaves out
	Later   int          // those that start later, which it leaves out as well
}

// Find returns to-dos of a calendar. loc is the zone for times without one.
func (a Todos) Find(ctx context.Context, calendar string, q Query, loc *time.Location) (found Found, err error) {
	err = a.s.View(ctx, func(tx *ledger.Tx) error {
		found = Found{}
		d := NewTx(tx)
		c, err := d.Ev.Calendar(calendar)
		if err == nil {
			err = d.current()
		}
		if err != nil {
			return err
		}
		stored, err := table.Counts(tx)
		if err != nil {
			return err
		}
		key := c.InKeys()
		open, done := stored.Open[key], stored.Done[key]
		if all := q.First == 0 && q.Due.IsZero(); all && (q.Open || 4*open > done) && (q.Done || 4*done > open) {
			// most of the records are wanted: they are read in their own order
			err = d.Each(calendar, func(t Todo) error {
				if t.Open() && q.Open || !t.Open() && q.Done {
					found.Todos = append(found.Todos, d.Current(t, loc))
				}
				return nil
			})
		} else {
			err = d.findOrdered(c, q, open, done, loc, &found)
		}
		if err == nil {
			err = d.setOrder(key, found.Todos, kv.Range{Prefix: waits.Named(key)})
		}
		return err
	})
	return found, err
}

// roughly is more than what local times can differ from the order of instants and of days anywhere.
const roughly = 4 * 24 * time.Hour

// skipsLater reports whether the query leaves out to-dos that start later.
func (q *Query) skipsLater() bool { return q.Open && q.First > 0 && !q.Begun.IsZero() }

// sections returns the ranges of the order of a calendar that a query needs. If it skips to-dos that start later,
// the first one has these.
func (q *Query) sections(key string) (ranges []kv.Range) {
	limit := 0
	if q.First > 0 {
		limit = 2*q.First + 64
	}
	if q.skipsLater() {
		begun := section(key, starting)
		ranges = append(ranges, kv.Range{Prefix: begun, From: appendNumber(bytes.Clone(begun), q.Begun.Add(-roughly).Unix())})
	}
	if q.Open {
		ranges = append(ranges, kv.Range{Prefix: section(key, series)})
		for _, s := range []byte{days, times} {
			r := kv.Range{Prefix: section(key, s), Limit: limit}
			if !q.Due.IsZero() {
				r.To = appendNumber(bytes.Clone(r.Prefix), q.Due.Add(roughly).Unix())
			}
			ranges = append(ranges, r)
		}
		if q.Due.IsZero() {
			ranges = append(ranges, kv.Range{Prefix: section(key, undated), Limit: limit})
		}
	}
	if q.Done {
		ranges = append(ranges, kv.Range{Prefix: section(key, finished), Limit: limit})
	}
	return ranges
}

// findOrdered reads the sections of the order that a query needs, each as far as it needs it.
func (d Tx) findOrdered(c *event.Calendar, q Query, open, done int, loc *time.Location, found *Found) error {
	key := c.InKeys()
	ranges := q.sections(key)
	_, begins, err := d.Ev.Tx.ReadMany(nil, ranges)
	if err != nil {
		return err
	}
	var keys [][]byte
	later, apart := 0, map[string]bool{} // ids that no section needs
	if q.skipsLater() {
		for _, p := range begins[0] {
			apart[string(p.Value)] = true
			if numberAt(p.Key, len(ranges[0].Prefix)) > q.Begun.Add(roughly).Unix() {
				later++
			} else { // the record tells
				keys = append(keys, Key(key, string(p.Value)))
			}
		}
		ranges, begins = ranges[1:], begins[1:]
	}
	waiting := 0
	if q.First > 0 && q.Ready {
		err := d.eachWaiting(key, func(id string) {
			if !apart[id] {
				apart[id] = true
				waiting++
			}
		})
		if err != nil {
			return err
		}
	}
	for i, r := range ranges {
		err := d.readSection(r, begins[i], q.First, func(id string) bool {
			if !apart[id] {
				keys = append(keys, Key(key, id))
			}
			return !apart[id]
		})
		if err != nil {
			return err
		}
	}
	todos, err := table.LoadMany(d.Ev.Tx, keys)
	for _, t := range todos {
		t.Calendar = c.Name
		found.Todos = append(found.Todos, d.Current(t, loc))
	}
	if found.Later = later; q.First > 0 {
		if q.Open {
			found.Omitted += open - later - waiting
		}
		if q.Done {
			found.Omitted += done
		}
		found.Omitted -= len(todos)
	}
	return err
}

// readSection passes the ids of a section to use. If the range has a limit, it ends when use has returned true
// for so many and the next surely comes after them. begin is what is read already.
func (d Tx) readSection(r kv.Range, begin []kv.Pair, most int, use func(id string) bool) error {
	var last kv.Pair // of those that are wanted
	n := 0
	pass := func(p kv.Pair) (more bool) {
		if r.Limit > 0 && n >= most && follows(len(r.Prefix), last, p) {
			return false
		}
		if use(string(p.Value)) {
			if n++; n == most {
				last = p
			}
		}
		return true
	}
	for _, p := range begin {
		if !pass(p) {
			return nil
		}
	}
	if r.Limit == 0 || len(begin) < r.Limit {
		return nil
	}
	rest := kv.Range{Prefix: r.Prefix, From: append(bytes.Clone(begin[len(begin)-1].Key), 0)}
	for p, err := range kv.Pairs(d.Ev.Tx, rest) {
		if err != nil {
			return err
		}
		p.Key = bytes.Clone(p.Key)
		if !pass(p) {
			break
		}
	}
	return nil
}

// follows reports whether an entry surely comes after an earlier one of its section, whose keys begin with
// so many bytes.
func follows(prefix int, last, next kv.Pair) bool {
	s := last.Key[prefix-1]
	if s == undated {
		prefix++ // the priority
	}
	if s == times || s == undated && numberAt(last.Key, prefix) != (time.Time{}).Unix() {
		return !bytes.Equal(last.Key[:prefix], next.Key[:prefix]) ||
			numberAt(next.Key, prefix) > numberAt(last.Key, prefix)+int64(roughly/time.Second)
	}
	order := func(p kv.Pair) []byte { return p.Key[:len(p.Key)-len(p.Value)] }
	return !bytes.Equal(order(last), order(next))
}

// numberAt reads a number of appendNumber.
func numberAt(key []byte, at int) int64 { return int64(binary.BigEndian.Uint64(key[at:]) ^ 1<<63) }
