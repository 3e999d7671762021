package event

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
)

// ImportChunk is the number of events per transaction.
const ImportChunk = 2000

// Take imports one event.
func (t *Tx) Take(e Event, now time.Time, n *Imported) error {
	m := messages{t: t, n: n}
	if e.Alone {
		if err := m.locate(&e); err != nil {
			return err
		}
	}
	old, err := t.ByUID(e.Calendar, e.UID, e.RecurrenceID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if e.CreatedAt.IsZero() {
		e.CreatedAt = now
	}
	dated := !e.UpdatedAt.IsZero()
	if !dated && old.ID != "" {
		e.UpdatedAt = old.UpdatedAt // an undated file is not newer
	} else if !dated {
		e.UpdatedAt = now
	}
	if done, err := m.take(&old, &e); done || err != nil {
		return err
	}
	if !dated {
		e.UpdatedAt = now
	}
	if err := t.setExceptions(&e, old.ID != ""); err != nil {
		return err
	}
	if old.ID != "" {
		if err := t.keepOccurrences(&e, n); err != nil {
			return err
		}
		e.ID, e.CreatedAt = old.ID, old.CreatedAt
		if equalEvents(&old, &e) {
			n.Unchanged++
			return nil
		}
		if divided, err := t.divided(&old); divided || err != nil {
			return m.refuse(&e, Divided, err)
		}
		if old.Recurs() {
			if err := m.dropReplaced(&e); err != nil {
				return err
			}
		}
		n.Changed++
		return t.Put(&old, &e)
	}
	n.Added++
	if e.RecurrenceID == "" {
		if e.ID, err = t.NewEventID(importSeed(e.Calendar, e.UID, "")); err != nil {
			return err
		}
		return t.Put(nil, &e)
	}
	return t.importOverride(e)
}

// keepOccurrences counts the occurrences of a series that were changed here and that its file does not have: they stay
// as they are.
func (t *Tx) keepOccurrences(series *Event, n *Imported) error {
	if t.given == nil || series.Method != "" {
		return nil
	}
	for _, original := range series.Exceptions {
		if t.given[occurrenceKey{series.UID, original}] {
			continue
		}
		changed, err := t.ByUID(series.Calendar, series.UID, original)
		if ledger.IgnoreMissing(err) != nil {
			return err
		}
		if err == nil && changed.Sequence > series.Sequence {
			n.Keep(&changed)
		}
	}
	return nil
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
func (t *Tx) importOverride(e Event) error {
	master, err := t.ByUID(e.Calendar, e.UID, "")
	switch {
	case err == nil:
		e.ID = overrideID(master.ID, e.RecurrenceID)
		if _, err := t.Tx.Get(Key(e.ID)); err == nil {
			e.ID = ""
		} else if errors.Is(err, kv.ErrNotFound) {
			t.Tx.NoteNew(ledger.RecordID{Kind: ledger.KindEvent, ID: e.ID})
		} else {
			return err
		}
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	if e.ID == "" {
		if e.ID, err = t.NewEventID(importSeed(e.Calendar, e.UID, e.RecurrenceID)); err != nil {
			return err
		}
	}
	if err := t.Put(nil, &e); err != nil || master.ID == "" {
		return err
	}
	t.newExceptions[master.ID] = append(t.newExceptions[master.ID], e.RecurrenceID)
	return nil
}

// AddExceptions adds the newly replaced occurrences to their series, each series
// once.
func (t *Tx) AddExceptions() error {
	for _, id := range slices.Sorted(maps.Keys(t.newExceptions)) {
		series, err := t.Load(id)
		if err != nil {
			return err
		}
		after := series
		after.Exceptions = append(slices.Clip(series.Exceptions), t.newExceptions[id]...)
		slices.Sort(after.Exceptions)
		after.Exceptions = slices.Compact(after.Exceptions)
		if err := t.Put(&series, &after); err != nil {
			return err
		}
	}
	return nil
}

// setExceptions sets the occurrences that other events replace. known is true if the
// event was in the calendar before.
func (t *Tx) setExceptions(e *Event, known bool) error {
	if e.RecurrenceID != "" {
		return nil
	}
	if e.Exceptions = nil; !known {
		c, err := t.Ensure(e.Calendar)
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
func (t *Tx) overridden(e *Event) (originals []string, err error) {
	calendar, err := KeyOf(t, e.Calendar)
	if err != nil {
		return nil, err
	}
	return Replaced(t, UIDKey(calendar, e.UID, ""))
}

// Replaced returns the ids of the occurrences of a series that other records replace. prefix is the
// key of the series by its UID.
func Replaced(t *Tx, prefix []byte) (originals []string, err error) {
	if known, ok := t.replaced[string(prefix)]; ok {
		return known, nil
	}
	for item, err := range t.Tx.Scan(kv.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, err
		}
		originals = appendOriginal(originals, prefix, item.Key)
	}
	return originals, nil
}

// appendOriginal appends the id of the occurrence that the record with a key replaces, if any.
func appendOriginal(all []string, prefix, key []byte) []string {
	if original := string(key[len(prefix):]); original != "" {
		all = append(all, original)
	}
	return all
}

// readReplaced reads the replaced occurrences, and perhaps the later parts, of many series together, and some other keys.
func (t *Tx) readReplaced(keys, prefixes [][]byte) error {
	var ranges []kv.Range
	for _, prefix := range prefixes {
		ranges = append(ranges, kv.Range{Prefix: prefix, KeysOnly: true})
	}
	_, found, err := t.Tx.ReadMany(keys, ranges)
	if err != nil {
		return err
	}
	t.replaced = map[string][]string{}
	for i, of := range found {
		originals := []string{}
		for _, p := range of {
			originals = appendOriginal(originals, prefixes[i], p.Key)
		}
		t.replaced[string(prefixes[i])] = originals
	}
	return nil
}

// ForgetReplaced forgets what readReplaced has read about the series of a record that is written, and about the
// one of which it may be a later part.
func ForgetReplaced(t *Tx, prefix []byte) {
	delete(t.replaced, string(prefix))
	if i := bytes.LastIndex(prefix, []byte(partMark)); i >= 0 {
		delete(t.replaced, string(prefix[:i+len(partMark)]))
	}
}

// equalEvents reports whether an imported event equals the stored one.
func equalEvents(old, e *Event) bool {
	same := *e
	same.UpdatedAt, same.Never = old.UpdatedAt, old.Never
	return bytes.Equal(RecordOf(old), RecordOf(&same))
}
