package store

import (
	"errors"

	"techo/store/kv"
)

// An import reads the keys of all records of a transaction together, so that the number of round
// trips to a database does not depend on the number of records.

// knownRecords are what an import of n events or to-dos looks up in a calendar.
type knownRecords struct {
	tx       *Tx
	calendar string // its key
	n        int
	event    func(i int) *Event
	uids     space
	place    func(id string) []byte          // key of the place of a record
	record   func(id string) ([]byte, error) // key of a record whose place was read
	free     func(e *Event) [][]byte         // keys of a new record that have to be free
}

// readKnown reads together what an import of events into a calendar looks up.
func (t *eventTx) readKnown(calendar string, all []Event) error {
	key, err := keyOf(t, calendar)
	if err != nil {
		return err
	}
	return knownRecords{
		tx: t.tx, calendar: key, n: len(all), uids: eventUIDs, place: eventKey,
		event: func(i int) *Event { return &all[i] },
		record: func(id string) ([]byte, error) {
			var p place
			err := load(t.tx, eventKey(id), &p)
			return p.key(p.records(), id), err
		},
		free: func(e *Event) [][]byte {
			keys := [][]byte{eventKey(shortEventID(importSeed(calendar, e.UID, e.RecurrenceID)))}
			if e.RecurrenceID != "" {
				series := shortEventID(importSeed(calendar, e.UID, ""))
				keys = append(keys, eventKey(overrideID(series, e.RecurrenceID)))
			}
			return keys
		},
	}.read()
}

// readKnown reads together what an import of to-dos into a calendar looks up.
func (d todoTx) readKnown(calendar string, all []Todo) error {
	key, err := keyOf(d.ev, calendar)
	if err != nil {
		return err
	}
	return knownRecords{
		tx: d.ev.tx, calendar: key, n: len(all), uids: todoUIDs, place: todoPlaceKey,
		event: func(i int) *Event { return &all[i].Event },
		record: func(id string) ([]byte, error) {
			place, err := d.ev.tx.Get(todoPlaceKey(id))
			return todoKey(string(place), id), err
		},
		free: func(e *Event) [][]byte {
			id := shortEventID(todoIDSeed(todoSeed(calendar, e.UID, e.RecurrenceID)))
			return [][]byte{eventKey(id), todoPlaceKey(id)}
		},
	}.read()
}

// read reads what the UIDs lead to, then the places of these records, then the records.
func (k knownRecords) read() error {
	var uids, free, places, records [][]byte
	for i := range k.n {
		e := k.event(i)
		uids = append(uids, k.uids.ofUID(k.calendar, e.UID, e.RecurrenceID), k.uids.ofUID(k.calendar, e.UID, ""))
		free = append(free, k.free(e)...)
	}
	values, err := k.tx.GetMany(append(uids[:len(uids):len(uids)], free...))
	if err != nil {
		return err
	}
	var ids []string
	for i := range k.n {
		id, series := values[2*i], values[2*i+1]
		for _, known := range [][]byte{id, series} {
			if known != nil {
				ids = append(ids, string(known))
				places = append(places, k.place(string(known)))
			}
		}
		if original := k.event(i).RecurrenceID; original != "" && series != nil {
			places = append(places, k.place(overrideID(string(series), original)))
		}
	}
	if _, err := k.tx.GetMany(places); err != nil {
		return err
	}
	for _, id := range ids {
		key, err := k.record(id)
		if errors.Is(err, kv.ErrNotFound) {
			continue // damage, which the import reports
		}
		if err != nil {
			return err
		}
		records = append(records, key)
	}
	_, err = k.tx.GetMany(records)
	return err
}
