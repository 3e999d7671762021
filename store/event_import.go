package store

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"techo/store/kv"
)

// Imported counts the results of an import.
type Imported struct {
	Added, Changed, Unchanged int

	Older int // left out because the store has a later version (SEQUENCE)
}

// Add adds the counts of another import.
func (n *Imported) Add(more Imported) {
	n.Added += more.Added
	n.Changed += more.Changed
	n.Unchanged += more.Unchanged
	n.Older += more.Older
}

// importChunk is the number of events per transaction.
const importChunk = 2000

// Import adds events and to-dos to one calendar, in several transactions. If the calendar
// is renamed meanwhile, the import goes on under the new name; if it is removed, the import
// fails with a NotFoundError.
type Import struct {
	s    *Store
	name string
	key  string // "" until the calendar exists
}

// NewImport begins an import into a calendar. c is the calendar, or one with a name only
// that the import creates, unless it exists by then.
func NewImport(s *Store, c Calendar, exists bool) *Import {
	m := &Import{s: s, name: c.Name}
	if exists {
		m.key = c.key()
	}
	return m
}

// ImportEvents adds events from elsewhere to a calendar. See Import.
func (s *Store) ImportEvents(ctx context.Context, calendar string, all []Event) (Imported, error) {
	return NewImport(s, Calendar{Name: calendar}, false).Events(ctx, all)
}

// Name returns the name of the calendar at the last transaction.
func (m *Import) Name() string { return m.name }

// Events adds events from elsewhere and replaces existing ones with the same UID and
// recurrence id. Importing the same events again changes nothing.
func (m *Import) Events(ctx context.Context, all []Event) (total Imported, err error) {
	for chunk := range slices.Chunk(all, importChunk) {
		n, err := m.events(ctx, chunk)
		for busy := new(kv.BusyError); errors.As(err, &busy) && busy.PID == os.Getpid() && ctx.Err() == nil; {
			n, err = m.events(ctx, chunk) // the compaction of the previous chunk, by this process
		}
		if err != nil {
			return total, err
		}
		total.Add(n)
		if ctx.Err() != nil {
			return total, context.Cause(ctx)
		}
	}
	return total, nil
}

// events imports events in one transaction.
func (m *Import) events(ctx context.Context, all []Event) (n Imported, err error) {
	err = m.update(ctx, func(t *eventTx, calendar string) error {
		n = Imported{}
		if err := t.readKnown(calendar, all); err != nil {
			return err
		}
		for _, e := range all {
			e.Calendar = calendar
			if err := t.take(e, m.s.time(), &n); err != nil {
				return err
			}
		}
		return t.addExceptions()
	})
	return n, err
}

// update runs a transaction with the present name of the calendar.
func (m *Import) update(ctx context.Context, fn func(t *eventTx, calendar string) error) error {
	var name, key string
	err := m.s.update(ctx, func(tx *Tx) error {
		t := m.s.newEventTx(tx)
		name, key = m.name, ""
		if m.key != "" {
			c, err := calendarAt(t, m.key)
			if errors.Is(err, kv.ErrNotFound) {
				return &NotFoundError{Kind: KindCalendar, Name: m.name}
			}
			if err != nil {
				return err
			}
			name = c.Name
		}
		if err := usableName(t, name); err != nil {
			return err
		}
		if err := fn(t, name); err != nil {
			return err
		}
		if c := t.calendars[name]; c != nil {
			key = c.key()
		}
		return t.save()
	})
	if err == nil {
		m.name, m.key = name, key
	}
	return err
}

// take imports one event.
func (t *eventTx) take(e Event, now time.Time, n *Imported) error {
	old, err := t.byUID(e.Calendar, e.UID, e.RecurrenceID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if e.CreatedAt.IsZero() {
		e.CreatedAt = now
	}
	if e.UpdatedAt.IsZero() {
		e.UpdatedAt = now
	}
	if done, err := (messages{t, n}).take(&old, &e); done || err != nil {
		return err
	}
	if err := setExceptions(t, &e, old.ID != ""); err != nil {
		return err
	}
	if old.ID != "" {
		e.ID, e.CreatedAt = old.ID, old.CreatedAt
		if equalEvents(&old, &e) {
			n.Unchanged++
			return nil
		}
		n.Changed++
		return t.put(&old, &e)
	}
	n.Added++
	if e.RecurrenceID == "" {
		if e.ID, err = t.newEventID(importSeed(e.Calendar, e.UID, "")); err != nil {
			return err
		}
		return t.put(nil, &e)
	}
	return t.importOverride(e)
}

// importSeed returns what the id of an imported event derives from.
func importSeed(calendar, uid, recurrenceID string) string {
	seed := calendar + "\x00" + uid
	if recurrenceID != "" {
		seed += "\x00" + recurrenceID
	}
	return seed
}

// overrideID returns the usual id of an event that replaces an occurrence of a series.
func overrideID(series, recurrenceID string) string { return series + "_" + recurrenceID }

// importOverride adds an event that replaces an occurrence, and registers it for
// its series if that exists.
func (t *eventTx) importOverride(e Event) error {
	master, err := t.byUID(e.Calendar, e.UID, "")
	switch {
	case err == nil:
		e.ID = overrideID(master.ID, e.RecurrenceID)
		if _, err := t.tx.Get(eventKey(e.ID)); err == nil {
			e.ID = ""
		} else if errors.Is(err, kv.ErrNotFound) {
			t.tx.noteNew(recordID{KindEvent, e.ID})
		} else {
			return err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	if e.ID == "" {
		if e.ID, err = t.newEventID(importSeed(e.Calendar, e.UID, e.RecurrenceID)); err != nil {
			return err
		}
	}
	if err := t.put(nil, &e); err != nil || master.ID == "" {
		return err
	}
	t.newExceptions[master.ID] = append(t.newExceptions[master.ID], e.RecurrenceID)
	return nil
}

// addExceptions adds the newly replaced occurrences to their series, each series
// once.
func (t *eventTx) addExceptions() error {
	for _, id := range slices.Sorted(maps.Keys(t.newExceptions)) {
		series, err := t.load(id)
		if err != nil {
			return err
		}
		after := series
		after.Exceptions = append(slices.Clip(series.Exceptions), t.newExceptions[id]...)
		slices.Sort(after.Exceptions)
		after.Exceptions = slices.Compact(after.Exceptions)
		if err := t.put(&series, &after); err != nil {
			return err
		}
	}
	return nil
}

// setExceptions sets the occurrences that other events replace. known is true if the
// event was in the calendar before.
func setExceptions(t *eventTx, e *Event, known bool) error {
	if e.RecurrenceID != "" {
		return nil
	}
	if e.Exceptions = nil; !known {
		c, err := t.ensure(e.Calendar)
		if err != nil || c.Linked {
			return err
		}
	}
	originals, err := t.overridden(e)
	e.Exceptions = originals
	return err
}

// overridden returns the ids of the occurrences of a series that other events
// replace.
func (t *eventTx) overridden(e *Event) (originals []string, err error) {
	calendar, err := keyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	prefix := uidKey(calendar, e.UID, "")
	for item, err := range t.tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		if original := strings.TrimPrefix(string(item.Key), string(prefix)); original != "" {
			originals = append(originals, original)
		}
	}
	return originals, nil
}

// equalEvents reports whether an imported event equals the stored one.
func equalEvents(old, e *Event) bool {
	same := *e
	same.UpdatedAt, same.Never = old.UpdatedAt, old.Never
	return bytes.Equal(recordOfEvent(old), recordOfEvent(&same))
}
