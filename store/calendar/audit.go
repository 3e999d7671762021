package calendar

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"techo/store/event"
	"techo/store/ledger"
)

// audit checks events, their indexes and the counts of the calendars.
//
// It does not compute the place of an event anew: the rules of time zones
// change, and an event written before such a change is not damaged.
type audit struct {
	ledger.Ahead
	want, found     ledger.SetHash
	stored, counted map[string]event.Calendar
	series          map[string]string // calendars by the UID key of a series that has replaced occurrences
	n               int
}

func newAudit() ledger.Audit {
	a := &audit{stored: map[string]event.Calendar{}, counted: map[string]event.Calendar{}, series: map[string]string{}}
	a.want, a.found = ledger.NewSetHashes()
	return a
}

func (a *audit) Visit(_ *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case event.SeriesRecords, event.SingleRecords:
		return a.visitEvent(key, value)
	case event.SeriesFilters:
		if _, err := event.ReadSeriesFilter(value); err != nil {
			return ledger.Finding(ledger.Unreadable, ledger.KindEvent, string(key), err)
		}
		a.found.Add(key, nil)
	case event.Calendars:
		c, err := decodeCalendar(key, value)
		if err != nil {
			return err
		}
		if a.stored[c.InKeys()] = c; c.Key != "" && !c.Gone {
			a.want.Add(event.CalendarNameKey(c.Name), []byte(c.Key))
		}
	case event.MirrorObjects: // the service has the originals
	default:
		a.found.Add(key, value)
	}
	return nil
}

func (a *audit) visitEvent(key, value []byte) error {
	e, p, err := Decode(key, value)
	if err != nil {
		return err
	}
	a.n++
	a.Note(e.UpdatedAt)
	c := a.counted[p.Calendar]
	if p.Series {
		c.Series[p.Level]++
		a.want.Add(p.Key(event.SeriesFilters, e.ID), nil)
	} else {
		c.Singles[p.Level]++
	}
	a.counted[p.Calendar] = c
	where, err := json.Marshal(p)
	if err != nil {
		return err
	}
	a.want.Add(event.Key(e.ID), where)
	a.want.Add(event.UIDKey(e.Calendar, e.UID, e.RecurrenceID), []byte(e.ID))
	if e.RecurrenceID != "" {
		a.series[string(event.UIDKey(e.Calendar, e.UID, ""))] = e.Calendar
	}
	if e.Group != "" {
		a.want.Add(event.GroupKey(e.Group, e.ID), nil)
	}
	return nil
}

func decodeCalendar(key, value []byte) (c event.Calendar, err error) {
	name := string(ledger.Rest(key))
	if err := json.Unmarshal(value, &c); err != nil {
		return c, ledger.Finding(ledger.Unreadable, ledger.KindCalendar, name, err)
	}
	if c.InKeys() != name {
		return c, ledger.Finding(ledger.WrongKey, ledger.KindCalendar, name, nil)
	}
	return c, nil
}

// Decode decodes the record of an event, and its place from the key. The event has
// the key of its calendar in place of the name.
func Decode(key, value []byte) (e event.Event, p event.Place, err error) {
	p, id, ok := event.CutPlace(key)
	if !ok || len(p.Calendar) > event.MaxCalendarKey || id == "" {
		return e, p, ledger.Finding(ledger.UnknownKey, ledger.KindEvent, string(key), nil)
	}
	if e, err = event.Read(p.Calendar, value); err != nil {
		return e, p, ledger.Finding(ledger.Unreadable, ledger.KindEvent, id, nil)
	}
	if e.ID != id || p.Level >= event.Levels || e.Recurs() != p.Series {
		return e, p, ledger.Finding(ledger.WrongKey, ledger.KindEvent, id, nil)
	}
	return e, p, nil
}

func (a *audit) Finish(tx *ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, findEventIndexDamage(tx)
	}
	for name, counted := range a.counted {
		stored := a.stored[name]
		if stored.Singles != counted.Singles || stored.Series != counted.Series {
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindCalendar, name,
				ledger.Miscount(stored.Events(), counted.Events()))
		}
	}
	for name, stored := range a.stored {
		if _, ok := a.counted[name]; !ok && stored.Events() != 0 {
			return 0, ledger.Finding(ledger.WrongCount, ledger.KindCalendar, name, ledger.Miscount(stored.Events(), 0))
		}
	}
	for key, name := range a.series {
		if c := a.stored[name]; !c.Linked {
			continue
		}
		if _, err := tx.Get([]byte(key)); err != nil {
			return 0, ledger.Finding(ledger.WrongIndex, ledger.KindCalendar, name, nil)
		}
	}
	return a.n, nil
}

// findEventIndexDamage returns a finding about an index entry that is missing
// or superfluous.
func findEventIndexDamage(tx *ledger.Tx) error {
	err := tx.ScanPrefixes([]ledger.Prefix{event.SeriesRecords, event.SingleRecords}, func(key, value []byte) error {
		e, p, err := Decode(key, value)
		if err != nil {
			return err
		}
		entries := [][]byte{event.Key(e.ID), event.UIDKey(e.Calendar, e.UID, e.RecurrenceID)}
		if p.Series {
			entries = append(entries, p.Key(event.SeriesFilters, e.ID))
		}
		for _, entry := range entries {
			if _, err := tx.Get(entry); err != nil {
				return ledger.Finding(ledger.NoIndexEntry, ledger.KindEvent, e.ID, nil)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ledger.Finding(ledger.WrongIndex, ledger.KindEvent, "", nil)
}

// Repair rebuilds the indexes and the counts, and drops events that
// cannot be read. When an old version of an event came back under another key,
// the version changed last is kept.
func Repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		repairs = nil
		t := event.NewTx(tx)
		calendars := repairedCalendars{map[string]*event.Calendar{}, map[string]string{}}
		latest := map[string]event.Event{} // by id
		var drop [][]byte
		err := tx.ScanPrefixes(prefixes, func(key, value []byte) error {
			drop = append(drop, key)
			switch ledger.PrefixOf(key) {
			case event.Calendars:
				if c, err := decodeCalendar(key, value); err == nil {
					calendars.byKey[c.InKeys()] = &c
				}
			case event.CalendarNames:
				calendars.names[string(value)] = string(ledger.Rest(key))
			case event.SeriesRecords, event.SingleRecords:
				e, _, err := Decode(key, value)
				if err != nil {
					repairs = append(repairs, ledger.DroppedRecord(ledger.KindEvent, string(ledger.Rest(key)), err))
					return nil
				}
				if old, ok := latest[e.ID]; !ok || e.UpdatedAt.After(old.UpdatedAt) {
					latest[e.ID] = e
				}
			}
			return nil
		})
		if err == nil {
			err = tx.DeleteKeys(drop)
		}
		if err == nil {
			err = calendars.restore(t, latest)
		}
		if err != nil {
			return err
		}
		for _, e := range latest {
			e.Calendar = calendars.byKey[e.Calendar].Name
			if err := t.Put(nil, &e); err != nil {
				return err
			}
		}
		return t.Save()
	})
	return repairs, err
}

// repairedCalendars gives the calendars of a rescued store their names, whose records or
// index entries may be lost.
type repairedCalendars struct {
	byKey map[string]*event.Calendar
	names map[string]string // by key, from the index
}

// restore adds the calendars to a transaction, each with one name. Each event has the
// key of its calendar.
func (r *repairedCalendars) restore(t *event.Tx, events map[string]event.Event) error {
	for _, e := range events {
		if c := r.byKey[e.Calendar]; c == nil || c.Gone {
			r.byKey[e.Calendar] = r.lost(e.Calendar)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.byKey)) {
		old := r.byKey[key]
		if old.Gone {
			if err := ledger.Save(t.Tx, event.CalendarKey(key), old); err != nil {
				return err
			}
			continue
		}
		c := &event.Calendar{Name: old.Name, Binding: old.Binding, Default: old.Default}
		for n := 2; t.Calendars[c.Name] != nil; n++ {
			c.Name = fmt.Sprint(old.Name, " ", n)
		}
		if c.Name != key {
			c.Key, c.Unnamed = key, true
		}
		r.byKey[key] = t.Remember(c)
	}
	return nil
}

// lost returns a calendar in place of one whose record is lost.
func (r *repairedCalendars) lost(key string) *event.Calendar {
	name, _, _ := strings.Cut(key, "\x00")
	if known := r.names[key]; known != "" {
		name = known
	}
	return event.NewCalendar(name, key)
}
