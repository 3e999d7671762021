package store

import (
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// An import announces the reads of all records of a transaction in a few steps. So the
// number of round trips to a database does not depend on the number of records.

// importReads are the reads of an import of n events or to-dos into a calendar.
type importReads struct {
	tx       kv.Tx
	calendar string // its key
	n        int
	event    func(i int) *Event
	uids     space
	place    func(id string) []byte     // key of the place of a record
	record   func(id string) []byte     // key of a record whose place was read; nil without one
	free     func(e *Event) [][]byte    // keys of a new record that have to be free
	scan     func(known bool) (ok bool) // whether the import looks for replaced occurrences of a series
}

// announceEvents announces the reads of an import of events into a calendar.
func announceEvents(t *eventTx, calendar string, all []Event) error {
	key, err := keyOf(t, calendar)
	if err != nil {
		return err
	}
	c := t.calendars[calendar] // nil before it exists
	return importReads{
		tx: t.tx, calendar: key, n: len(all), uids: eventUIDs, place: eventKey,
		event: func(i int) *Event { return &all[i] },
		record: func(id string) []byte {
			var p place
			if err := load(t.tx, eventKey(id), &p); err != nil {
				return nil
			}
			return p.key(p.records(), id)
		},
		free: func(e *Event) [][]byte {
			keys := [][]byte{eventKey(shortEventID(importSeed(calendar, e.UID, e.RecurrenceID)))}
			if e.RecurrenceID != "" {
				series := shortEventID(importSeed(calendar, e.UID, ""))
				keys = append(keys, eventKey(overrideID(series, e.RecurrenceID)))
			}
			return keys
		},
		scan: func(known bool) bool { return known || c != nil && !c.Linked },
	}.announce()
}

// announceTodos announces the reads of an import of to-dos into a calendar.
func (d todoTx) announceTodos(calendar string, all []Todo) error {
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return err
	}
	return importReads{
		tx: d.ev.tx, calendar: key, n: len(all), uids: todoUIDs, place: todoPlaceKey,
		event: func(i int) *Event { return &all[i].Event },
		record: func(id string) []byte {
			place, err := d.ev.tx.Get(todoPlaceKey(id))
			if err != nil {
				return nil
			}
			return todoKey(string(place), id)
		},
		free: func(e *Event) [][]byte {
			id := shortEventID(todoIDSeed(todoSeed(calendar, e.UID, e.RecurrenceID)))
			return [][]byte{eventKey(id), todoPlaceKey(id)}
		},
		scan: func(bool) bool { return true },
	}.announce()
}

// announce announces what the UIDs lead to, then the places of these records, then the
// records. An error of a read is one of the transaction, which the next step returns.
func (r importReads) announce() error {
	err := r.tx.Prefetch(func() (reads kv.Reads) {
		reads.Keys = r.uidKeys()
		for i := range r.n {
			reads.Keys = append(reads.Keys, r.free(r.event(i))...)
		}
		return reads
	})
	if err != nil {
		return err
	}
	err = r.tx.Prefetch(func() (reads kv.Reads) {
		for i := range r.n {
			e := r.event(i)
			uid := r.uids.ofUID(r.calendar, e.UID, "")
			id, series := r.known(r.uids.ofUID(r.calendar, e.UID, e.RecurrenceID)), r.known(uid)
			for _, id := range []string{id, series} {
				if id != "" {
					reads.Keys = append(reads.Keys, r.place(id))
				}
			}
			switch {
			case e.RecurrenceID == "" && r.scan(id != ""):
				reads.Ranges = append(reads.Ranges, kv.Range{Prefix: uid, KeysOnly: true, Limit: replacedAhead})
			case e.RecurrenceID != "" && series != "":
				reads.Keys = append(reads.Keys, r.place(overrideID(series, e.RecurrenceID)))
			}
		}
		return reads
	})
	if err != nil {
		return err
	}
	return r.tx.Prefetch(func() (reads kv.Reads) {
		for _, key := range r.uidKeys() {
			if id := r.known(key); id != "" {
				if key := r.record(id); key != nil {
					reads.Keys = append(reads.Keys, key)
				}
			}
		}
		return reads
	})
}

// replacedAhead is the largest number of replaced occurrences of a series that are read
// ahead.
const replacedAhead = 64

// uidKeys returns the keys of the records by their UIDs, and of their series.
func (r importReads) uidKeys() (keys [][]byte) {
	for i := range r.n {
		e := r.event(i)
		keys = append(keys, r.uids.ofUID(r.calendar, e.UID, e.RecurrenceID))
		if e.RecurrenceID != "" {
			keys = append(keys, r.uids.ofUID(r.calendar, e.UID, ""))
		}
	}
	return keys
}

// known returns the id under a key that was announced, "" if there is none.
func (r importReads) known(key []byte) string {
	id, err := r.tx.Get(key)
	if err != nil {
		return ""
	}
	return string(id)
}

// announceMemos announces the reads of an import of memos at their times: what has their
// names and ids, then the memos with their names.
func announceMemos(tx kv.Tx, memos []Memo, times []time.Time) error {
	names := make([]string, len(memos))
	err := tx.Prefetch(func() kv.Reads {
		reads := kv.Reads{Keys: [][]byte{memoCountKey.all(), search.NumbersKey(search.At(memoSearch))}}
		for i, m := range memos {
			m.Name = norm.NFC.String(m.Name)
			if names[i] = m.Name; m.ID == "" {
				m.CreatedAt = createdAt(&m, times[i])
				m.ID = memoIDOf(memoSeed(m))
			}
			for _, name := range []string{m.Name, m.ID} {
				reads.Keys = append(reads.Keys, memoNameKey(name), memoKey(name))
			}
		}
		return reads
	})
	if err != nil {
		return err
	}
	return tx.Prefetch(func() (reads kv.Reads) {
		for _, name := range names {
			if id, err := tx.Get(memoNameKey(name)); err == nil {
				reads.Keys = append(reads.Keys, memoKey(string(id)))
			}
		}
		return reads
	})
}
