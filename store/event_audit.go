package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"slices"

	"techo/store/kv"
)

// eventAudit checks events, where they are found, and how many there are.
//
// It does not compute an event's place anew: the rules of time zones change,
// and an event that was written before such a change is none the worse.
type eventAudit struct {
	want, found tally
	kept, made  map[string]Calendar
	n           int
}

func newEventAudit() audit {
	a := &eventAudit{kept: map[string]Calendar{}, made: map[string]Calendar{}}
	a.want, a.found = newTallies()
	return a
}

func (a *eventAudit) see(_ kv.Tx, key, value []byte) error {
	switch space := string(key[:2]); space {
	case "cb", "ci":
		e, p, err := eventOf(key, value)
		if err != nil {
			return err
		}
		a.n++
		c := a.made[p.Calendar]
		if p.Series {
			c.Series[p.Level]++
			a.want.add(p.key("cm", e.ID), nil)
		} else {
			c.Singles[p.Level]++
		}
		a.made[p.Calendar] = c
		where, err := json.Marshal(p)
		if err != nil {
			return err
		}
		a.want.add(eventKey(e.ID), where)
		a.want.add(uidKey(e.Calendar, e.UID, e.RecurrenceID), []byte(e.ID))
		if e.Group != "" {
			a.want.add(groupKey(e.Group, e.ID), nil)
		}
	case "cm":
		if _, err := readSeriesEntry(value); err != nil {
			return bad("event index %q: %v", key, err)
		}
		a.found.add(key, nil)
	case "cc":
		var c Calendar
		if err := json.Unmarshal(value, &c); err != nil || c.Name != string(key[2:]) {
			return bad("calendar %q: not what its key says", key[2:])
		}
		a.kept[c.Name] = c
	default:
		a.found.add(key, value)
	}
	return nil
}

// eventOf reads an event and its place out of its record.
func eventOf(key, value []byte) (e Event, p place, err error) {
	length, n := binary.Uvarint(key[2:])
	at := 2 + n + int(length)
	if n <= 0 || length > MaxCalendarName || len(key) < at+10 {
		return e, p, bad("event %q: its key is too short", key)
	}
	p.Calendar, p.Series = string(key[2+n:at]), string(key[:2]) == "cb"
	var id string
	p.Level, p.From, id = cutPlace(key, at)
	if e, err = readEvent(p.Calendar, value); err != nil {
		return e, p, bad("event %q: %v", id, err)
	}
	if e.ID != id || p.Level >= levels || e.Recurs() != p.Series {
		return e, p, bad("event %q: not what its key says", id)
	}
	return e, p, nil
}

func (a *eventAudit) finish(tx kv.Tx) (int, error) {
	if a.want != a.found {
		return 0, wrongEventIndex(tx)
	}
	for name, c := range a.made {
		if k := a.kept[name]; k.Singles != c.Singles || k.Series != c.Series {
			return 0, bad("calendar %s: counts %v and %v, the events make %v and %v", name, k.Singles, k.Series, c.Singles, c.Series)
		}
	}
	for name, k := range a.kept {
		if _, ok := a.made[name]; !ok && k.Events() != 0 {
			return 0, bad("calendar %s: counts %d events, there are none", name, k.Events())
		}
	}
	return a.n, nil
}

// wrongEventIndex names an entry of an index that is missing or too much.
func wrongEventIndex(tx kv.Tx) error {
	for _, space := range []string{"cb", "ci"} {
		for item, err := range tx.Scan(kv.Range{Prefix: []byte(space)}) {
			if err != nil {
				return err
			}
			value, err := item.Value()
			if err != nil {
				return err
			}
			e, p, err := eventOf(item.Key, value)
			if err != nil {
				return err
			}
			keys := [][]byte{eventKey(e.ID), uidKey(e.Calendar, e.UID, e.RecurrenceID)}
			if p.Series {
				keys = append(keys, p.key("cm", e.ID))
			}
			for _, key := range keys {
				if _, err := tx.Get(key); err != nil {
					return bad("event %s: index %q is missing", e.ID, key)
				}
			}
		}
	}
	return bad("an index has entries without an event")
}

// mendEvents makes the indexes and counts anew. An event that cannot be read is
// dropped; of two with one id, which an old version that came back may make,
// the one changed last is kept.
func mendEvents(ctx context.Context, s *Store) (notes []Note, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		notes = nil
		t := s.newEvents(tx)
		kept := map[string]Event{}
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: []byte("c")}) {
			if err != nil {
				return err
			}
			key := slices.Clone(item.Key)
			value, err := item.Value()
			if err != nil {
				return err
			}
			drop = append(drop, key)
			switch string(key[:min(2, len(key))]) {
			case "cc":
				var c Calendar
				if json.Unmarshal(value, &c) == nil && c.Name == string(key[2:]) {
					t.calendars[c.Name] = &Calendar{Name: c.Name, Kind: c.Kind, Remote: c.Remote}
				}
			case "cb", "ci":
				e, _, err := eventOf(key, value)
				if err != nil {
					notes = append(notes, Note{Kind: "dropped", About: string(key[2:]), Reason: err.Error()})
					continue
				}
				if old, ok := kept[e.ID]; !ok || e.UpdatedAt.After(old.UpdatedAt) {
					kept[e.ID] = e
				}
			}
		}
		for _, key := range drop {
			if err := tx.Delete(key); err != nil {
				return err
			}
		}
		for _, e := range kept {
			if err := t.put(nil, &e); err != nil {
				return err
			}
		}
		return t.save()
	})
	return notes, err
}
