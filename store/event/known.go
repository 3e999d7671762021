package event

import (
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
)

// An import reads the keys of all records of a transaction together, so that the number of round
// trips to a database does not depend on the number of records.

// KnownRecords are what an import of n events or to-dos looks up in a calendar.
type KnownRecords struct {
	Calendar string // its key
	Linked   bool   // the calendar's: a new series has no replaced occurrences
	Events   []*Event
	UIDs     ledger.Prefix
	Place    func(id string) []byte          // key of the place of a record
	Record   func(id string) ([]byte, error) // key of a record whose place was read
	Free     func(e *Event) [][]byte         // keys of a new record that have to be free
}

// ReadKnown reads together what an import of events into a calendar looks up.
func (t *Tx) ReadKnown(calendar string, all []Event) error {
	key, err := KeyOf(t, calendar)
	if err != nil {
		return err
	}
	t.given = map[occurrenceKey]bool{}
	var events []*Event
	for i := range all {
		e := &all[i]
		if events = append(events, e); e.RecurrenceID != "" {
			t.given[occurrenceKey{e.UID, e.RecurrenceID}] = true
		}
	}
	c := t.Calendars[calendar] // nil before it exists
	return KnownRecords{
		Linked: c == nil || c.Linked, Calendar: key, Events: events, UIDs: UIDs, Place: Key,
		Record: func(id string) ([]byte, error) {
			var p Place
			err := ledger.Load(t.Tx, Key(id), &p)
			return p.Key(p.Records(), id), err
		},
		Free: func(e *Event) [][]byte {
			keys := [][]byte{Key(ShortEventID(importSeed(calendar, e.UID, e.RecurrenceID)))}
			if e.RecurrenceID != "" {
				series := ShortEventID(importSeed(calendar, e.UID, ""))
				keys = append(keys, Key(overrideID(series, e.RecurrenceID)))
			}
			return keys
		},
	}.Read(t)
}

// Read reads what the UIDs lead to, then the places of these records and the replaced occurrences of
// the series, then the records.
func (k KnownRecords) Read(t *Tx) error {
	ids, series, err := k.readUIDs(t)
	if err != nil {
		return err
	}
	var places, prefixes [][]byte
	for i, e := range k.Events {
		for _, id := range []string{ids[i], series[i]} {
			if id != "" {
				places = append(places, k.Place(id))
			}
		}
		switch {
		case e.RecurrenceID == "" && (ids[i] != "" || !k.Linked):
			prefixes = append(prefixes, OfUID(k.UIDs, k.Calendar, e.UID, ""))
			if ids[i] != "" {
				prefixes = append(prefixes, partsOf(k.UIDs, k.Calendar, e.UID, partMark))
			}
		case e.RecurrenceID != "" && series[i] != "":
			places = append(places, k.Place(overrideID(series[i], e.RecurrenceID)))
		}
	}
	if err := t.readReplaced(places, prefixes); err != nil {
		return err
	}
	var records [][]byte
	for _, id := range append(ids, series...) {
		if id == "" {
			continue
		}
		key, err := k.Record(id)
		if errors.Is(err, kv.ErrNotFound) {
			continue // damage, which the import reports
		}
		if err != nil {
			return err
		}
		records = append(records, key)
	}
	_, err = t.Tx.GetMany(records)
	return err
}

// readUIDs returns the ids of the records with the UIDs, and of the series of those that replace an
// occurrence; "" stands for none. It also reads the keys that new records need.
func (k KnownRecords) readUIDs(t *Tx) (ids, series []string, err error) {
	var keys [][]byte
	for _, e := range k.Events {
		keys = append(keys, OfUID(k.UIDs, k.Calendar, e.UID, e.RecurrenceID))
	}
	for _, e := range k.Events {
		if e.RecurrenceID != "" {
			keys = append(keys, OfUID(k.UIDs, k.Calendar, e.UID, ""))
		}
	}
	n := len(keys)
	for _, e := range k.Events {
		keys = append(keys, k.Free(e)...)
	}
	values, err := t.Tx.GetMany(keys)
	if err != nil {
		return nil, nil, err
	}
	ids, series = make([]string, len(k.Events)), make([]string, len(k.Events))
	of := values[len(k.Events):n]
	for i, e := range k.Events {
		ids[i] = string(values[i])
		if e.RecurrenceID != "" {
			series[i], of = string(of[0]), of[1:]
		}
	}
	return ids, series, nil
}
