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

// Imported counts what became of the events of an import.
type Imported struct{ Added, Changed, Unchanged int }

// Add counts more.
func (n *Imported) Add(more Imported) {
	n.Added += more.Added
	n.Changed += more.Changed
	n.Unchanged += more.Unchanged
}

// importChunk is how many events are written in one transaction.
const importChunk = 2000

// ImportEvents keeps events that came from elsewhere, each in the place of the
// one with its UID and RecurrenceID. The same events again change nothing.
func (s *Store) ImportEvents(ctx context.Context, calendar string, all []Event) (total Imported, err error) {
	for len(all) > 0 {
		chunk := all[:min(importChunk, len(all))]
		all = all[len(chunk):]
		n, err := s.importPiece(ctx, calendar, chunk)
		for busy := new(kv.BusyError); errors.As(err, &busy) && busy.PID == os.Getpid() && ctx.Err() == nil; {
			n, err = s.importPiece(ctx, calendar, chunk) // it was our own merge of what came before
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

// importPiece keeps events in one transaction.
func (s *Store) importPiece(ctx context.Context, calendar string, all []Event) (n Imported, err error) {
	err = s.update(ctx, func(tx kv.Tx) error {
		n = Imported{}
		t := s.newEvents(tx)
		for _, e := range all {
			e.Calendar = calendar
			if err := t.take(e, s.time(), &n); err != nil {
				return err
			}
		}
		if err := t.tellSeries(); err != nil {
			return err
		}
		return t.save()
	})
	return n, err
}

// take keeps one event of an import.
func (t *events) take(e Event, now time.Time, n *Imported) error {
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
	if e.RecurrenceID == "" {
		if e.Exceptions, err = t.standIns(&e); err != nil {
			return err
		}
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
		if e.ID, err = t.newEventID(e.Calendar + "\x00" + e.UID); err != nil {
			return err
		}
		return t.put(nil, &e)
	}
	return t.takeOverride(e)
}

// takeOverride keeps an event that stands for an occurrence, and tells the
// series, when it is there.
func (t *events) takeOverride(e Event) error {
	master, err := t.byUID(e.Calendar, e.UID, "")
	switch {
	case err == nil:
		e.ID = master.ID + "_" + e.RecurrenceID
		if _, err := t.tx.Get(eventKey(e.ID)); err == nil {
			e.ID = ""
		}
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	if e.ID == "" {
		if e.ID, err = t.newEventID(e.Calendar + "\x00" + e.UID + "\x00" + e.RecurrenceID); err != nil {
			return err
		}
	}
	if err := t.put(nil, &e); err != nil || master.ID == "" {
		return err
	}
	t.standing[master.ID] = append(t.standing[master.ID], e.RecurrenceID)
	return nil
}

// tellSeries tells each series, once, which of its occurrences have events of
// their own now.
func (t *events) tellSeries() error {
	for _, id := range slices.Sorted(maps.Keys(t.standing)) {
		series, err := t.load(id)
		if err != nil {
			return err
		}
		after := series
		after.Exceptions = append(slices.Clip(series.Exceptions), t.standing[id]...)
		slices.Sort(after.Exceptions)
		after.Exceptions = slices.Compact(after.Exceptions)
		if err := t.put(&series, &after); err != nil {
			return err
		}
	}
	return nil
}

// standIns are the occurrences of a series that events of their own stand for.
func (t *events) standIns(e *Event) (originals []string, err error) {
	prefix := uidKey(e.Calendar, e.UID, "")
	for item, err := range t.tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return nil, err
		}
		if original := strings.TrimPrefix(string(item.Key), string(prefix)); original != "" {
			originals = append(originals, original)
		}
	}
	return originals, nil
}

// equalEvents reports whether an event says nothing new.
func equalEvents(old, e *Event) bool {
	same := *e
	same.UpdatedAt, same.Sequence, same.Never = old.UpdatedAt, old.Sequence, old.Never
	return bytes.Equal(recordOfEvent(old), recordOfEvent(&same))
}
