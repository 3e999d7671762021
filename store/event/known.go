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
	N        int
	Event    func(i int) *Event
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
	return KnownRecords{
		Calendar: key, N: len(all), UIDs: UIDs, Place: Key,
		Event: func(i int) *Event { return &all[i] },
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

// Read reads what the UIDs lead to and the replaced occurrences of the series, then the places of
// these records, then the records.
func (k KnownRecords) Read(t *Tx) error {
	if err := readReplaced(t, k.series()); err != nil {
		return err
	}
	var uids, free, places, records [][]byte
	for i := range k.N {
		e := k.Event(i)
		uids = append(uids, OfUID(k.UIDs, k.Calendar, e.UID, e.RecurrenceID), OfUID(k.UIDs, k.Calendar, e.UID, ""))
		free = append(free, k.Free(e)...)
	}
	values, err := t.Tx.GetMany(append(uids[:len(uids):len(uids)], free...))
	if err != nil {
		return err
	}
	var ids []string
	for i := range k.N {
		id, series := values[2*i], values[2*i+1]
		for _, known := range [][]byte{id, series} {
			if known != nil {
				ids = append(ids, string(known))
				places = append(places, k.Place(string(known)))
			}
		}
		if original := k.Event(i).RecurrenceID; original != "" && series != nil {
			places = append(places, k.Place(overrideID(string(series), original)))
		}
	}
	if _, err := t.Tx.GetMany(places); err != nil {
		return err
	}
	for _, id := range ids {
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

// series returns the keys of the series of an import by their UIDs.
func (k KnownRecords) series() (prefixes [][]byte) {
	for i := range k.N {
		if e := k.Event(i); e.RecurrenceID == "" {
			prefixes = append(prefixes, OfUID(k.UIDs, k.Calendar, e.UID, ""))
		}
	}
	return prefixes
}
