package store

import (
	"context"
	"encoding/json"
)

// eventAudit checks events, their indexes and the counts of the calendars.
//
// It does not compute the place of an event anew: the rules of time zones
// change, and an event written before such a change is not damaged.
type eventAudit struct {
	want, found     setHash
	stored, counted map[string]Calendar
	series          map[string]string // calendars by the UID key of a series that has replaced occurrences
	n               int
}

func newEventAudit() audit {
	a := &eventAudit{stored: map[string]Calendar{}, counted: map[string]Calendar{}, series: map[string]string{}}
	a.want, a.found = newSetHashes()
	return a
}

func (a *eventAudit) visit(_ *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case seriesRecords, singleRecords:
		return a.visitEvent(key, value)
	case seriesFilters:
		if _, err := readSeriesFilter(value); err != nil {
			return finding(Unreadable, KindEvent, string(key), err)
		}
		a.found.add(key, nil)
	case calendarRecords:
		c, err := decodeCalendar(key, value)
		if err != nil {
			return err
		}
		if a.stored[c.key()] = c; c.Key != "" && !c.Gone {
			a.want.add(calendarNameKey(c.Name), []byte(c.Key))
		}
	case mirrorObjects: // the service has the originals
	default:
		a.found.add(key, value)
	}
	return nil
}

func (a *eventAudit) visitEvent(key, value []byte) error {
	e, p, err := decodeEvent(key, value)
	if err != nil {
		return err
	}
	a.n++
	c := a.counted[p.Calendar]
	if p.Series {
		c.Series[p.Level]++
		a.want.add(p.key(seriesFilters, e.ID), nil)
	} else {
		c.Singles[p.Level]++
	}
	a.counted[p.Calendar] = c
	where, err := json.Marshal(p)
	if err != nil {
		return err
	}
	a.want.add(eventKey(e.ID), where)
	a.want.add(uidKey(e.Calendar, e.UID, e.RecurrenceID), []byte(e.ID))
	if e.RecurrenceID != "" {
		a.series[string(uidKey(e.Calendar, e.UID, ""))] = e.Calendar
	}
	if e.Group != "" {
		a.want.add(groupKey(e.Group, e.ID), nil)
	}
	return nil
}

// decodeCalendar decodes the record of a calendar.
func decodeCalendar(key, value []byte) (c Calendar, err error) {
	name := string(rest(key))
	if err := json.Unmarshal(value, &c); err != nil {
		return c, finding(Unreadable, KindCalendar, name, err)
	}
	if c.key() != name {
		return c, finding(WrongKey, KindCalendar, name, nil)
	}
	return c, nil
}

// decodeEvent decodes the record of an event, and its place from the key. The event has
// the key of its calendar in place of the name.
func decodeEvent(key, value []byte) (e Event, p place, err error) {
	p, id, ok := cutPlace(key)
	if !ok || len(p.Calendar) > maxCalendarKey || id == "" {
		return e, p, finding(UnknownKey, KindEvent, string(key), nil)
	}
	if e, err = readEvent(p.Calendar, value); err != nil {
		return e, p, finding(Unreadable, KindEvent, id, nil)
	}
	if e.ID != id || p.Level >= levels || e.Recurs() != p.Series {
		return e, p, finding(WrongKey, KindEvent, id, nil)
	}
	return e, p, nil
}

func (a *eventAudit) finish(tx *Tx) (int, error) {
	if a.want != a.found {
		return 0, findEventIndexDamage(tx)
	}
	for name, counted := range a.counted {
		stored := a.stored[name]
		if stored.Singles != counted.Singles || stored.Series != counted.Series {
			return 0, finding(WrongCount, KindCalendar, name, miscount(stored.Events(), counted.Events()))
		}
	}
	for name, stored := range a.stored {
		if _, ok := a.counted[name]; !ok && stored.Events() != 0 {
			return 0, finding(WrongCount, KindCalendar, name, miscount(stored.Events(), 0))
		}
	}
	for key, name := range a.series {
		if c := a.stored[name]; !c.Linked {
			continue
		}
		if _, err := tx.Get([]byte(key)); err != nil {
			return 0, finding(WrongIndex, KindCalendar, name, nil)
		}
	}
	return a.n, nil
}

// findEventIndexDamage returns a finding about an index entry that is missing
// or superfluous.
func findEventIndexDamage(tx *Tx) error {
	err := scanSpaces(tx, []space{seriesRecords, singleRecords}, func(key, value []byte) error {
		e, p, err := decodeEvent(key, value)
		if err != nil {
			return err
		}
		entries := [][]byte{eventKey(e.ID), uidKey(e.Calendar, e.UID, e.RecurrenceID)}
		if p.Series {
			entries = append(entries, p.key(seriesFilters, e.ID))
		}
		for _, entry := range entries {
			if _, err := tx.Get(entry); err != nil {
				return finding(NoIndexEntry, KindEvent, e.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return finding(WrongIndex, KindEvent, "", nil)
}

// repairEvents rebuilds the indexes and the counts, and drops events that
// cannot be read. When an old version of an event came back under another key,
// the version changed last is kept.
func repairEvents(ctx context.Context, s *Store) (repairs []Repair, err error) {
	err = s.update(ctx, func(tx *Tx) error {
		repairs = nil
		t := s.newEventTx(tx)
		calendars := repairedCalendars{map[string]*Calendar{}, map[string]string{}}
		latest := map[string]Event{} // by id
		var drop [][]byte
		err := scanSpaces(tx, spacesOf("events"), func(key, value []byte) error {
			drop = append(drop, key)
			switch spaceOf(key) {
			case calendarRecords:
				if c, err := decodeCalendar(key, value); err == nil {
					calendars.byKey[c.key()] = &c
				}
			case calendarNames:
				calendars.names[string(value)] = string(rest(key))
			case seriesRecords, singleRecords:
				e, _, err := decodeEvent(key, value)
				if err != nil {
					repairs = append(repairs, dropped(KindEvent, string(rest(key)), err))
					return nil
				}
				if old, ok := latest[e.ID]; !ok || e.UpdatedAt.After(old.UpdatedAt) {
					latest[e.ID] = e
				}
			}
			return nil
		})
		if err == nil {
			err = deleteKeys(tx, drop)
		}
		if err == nil {
			err = calendars.restore(t, latest)
		}
		if err != nil {
			return err
		}
		for _, e := range latest {
			e.Calendar = calendars.byKey[e.Calendar].Name
			if err := t.put(nil, &e); err != nil {
				return err
			}
		}
		return t.save()
	})
	return repairs, err
}
