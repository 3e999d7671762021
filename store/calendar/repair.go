package calendar

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"techo/store/event"
	"techo/store/ledger"
)

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
