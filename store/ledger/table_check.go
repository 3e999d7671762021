package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"techo/store/kv"
)

// DecodeJSON decodes the JSON of a record. Damage is a FindingError with the id.
func DecodeJSON[R any](kind Kind, id string, value []byte) (r R, err error) {
	if err := json.Unmarshal(value, &r); err != nil {
		return r, Finding(Unreadable, kind, id, err)
	}
	return r, nil
}

// tableAudit is the audit of a table. Set hashes detect a wrong index in constant memory.
type tableAudit[T, C any] struct {
	Ahead
	table       *Table[T, C]
	n           int
	counts      C
	want, found SetHash
	outdated    bool // earlier versions have written entries
}

// NewAudit returns an audit of the records, their entries and their counts.
func (t *Table[T, C]) NewAudit() Audit {
	a := &tableAudit[T, C]{table: t}
	a.want, a.found = NewSetHashes()
	return a
}

func (a *tableAudit[T, C]) Visit(_ *Tx, key, value []byte) error {
	switch PrefixOf(key) {
	case a.table.Records:
		r, err := a.table.Decode(key, value)
		if err != nil {
			return err
		}
		if a.n++; a.table.Written != nil {
			a.Note(a.table.Written(&r))
		}
		a.table.count(&a.counts, &r, 1)
		for _, p := range a.table.entries(&r) {
			a.want.Add(p.Key, p.Value)
		}
	case a.table.CountKey:
	case a.table.Former:
		a.outdated = true
	default:
		a.found.Add(key, value)
	}
	return nil
}

func (a *tableAudit[T, C]) Finish(tx *Tx) (int, error) {
	t := a.table
	if t.Check != nil {
		if err := t.Check(tx); err != nil {
			return 0, err
		}
	}
	if a.outdated {
		return a.n, nil
	}
	if a.want != a.found {
		return 0, t.wrongIndex(tx)
	}
	stored, err := t.Counts(tx)
	if err != nil {
		return 0, err
	}
	agree := t.Agree
	if agree == nil {
		agree = func(stored, counted C) bool { return reflect.DeepEqual(stored, counted) }
	}
	if !agree(stored, a.counts) {
		return 0, Finding(WrongCount, t.Kind, "", Miscount(stored, a.counts))
	}
	return a.n, nil
}

// wrongIndex returns the finding for an index that does not match the records.
func (t *Table[T, C]) wrongIndex(tx *Tx) error {
	wrong := Finding(WrongIndex, t.Kind, "", nil)
	if t.ID == nil {
		return wrong
	}
	for r, err := range t.Scan(tx, kv.Range{Prefix: t.Records.All()}) {
		if err != nil {
			return err
		}
		for _, p := range t.entries(&r) {
			if value, err := tx.Get(p.Key); err != nil || string(value) != string(p.Value) {
				return Finding(NoIndexEntry, t.Kind, t.ID(&r), nil)
			}
		}
	}
	return wrong
}

// Repair drops records that cannot be read, lets Settle settle the others, and derives the entries and
// the counts from them again. It writes only keys that are missing or have another value.
func (t *Table[T, C]) Repair(ctx context.Context, l *Ledger) (repairs []Repair, err error) {
	err = l.Update(ctx, func(tx *Tx) (err error) {
		repairs, err = t.repair(tx)
		return err
	})
	return repairs, err
}

func (t *Table[T, C]) repair(tx *Tx) (repairs []Repair, err error) {
	b := &Batch[T, C]{table: t, tx: tx}
	if stored, err := t.Counts(tx); err == nil && t.Keep != nil {
		b.Counts = t.Keep(stored)
	}
	found := map[string][]byte{}
	var all []T
	err = tx.ScanPrefixes(t.prefixes(), func(key, value []byte) error {
		found[string(key)] = value
		if PrefixOf(key) != t.Records {
			return nil
		}
		if t.Seen != nil {
			t.Seen(&b.Counts, key)
		}
		if r, err := t.Decode(key, value); err != nil {
			repairs = append(repairs, DroppedRecord(t.Kind, t.shownKey(key), err))
		} else {
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.Settle != nil {
		settled, more, err := t.Settle(tx, all)
		if err != nil {
			return nil, err
		}
		all, repairs = settled, append(repairs, more...)
	}
	needed, err := b.needed(all)
	if err != nil {
		return nil, err
	}
	return repairs, tx.replaceKeys(found, needed)
}

// shownKey returns the key of a record as repairs show it.
func (t *Table[T, C]) shownKey(key []byte) string {
	if t.ID == nil {
		return string(key)
	}
	return string(Rest(key))
}

// needed returns all keys of a table with some records and their values.
func (b *Batch[T, C]) needed(all []T) (map[string][]byte, error) {
	needed := map[string][]byte{}
	for i := range all {
		b.table.count(&b.Counts, &all[i], 1)
		if err := b.refuse(&all[i]); err != nil {
			return nil, err
		}
		pairs, err := b.replace(nil, &all[i])
		if err != nil {
			return nil, err
		}
		for _, p := range pairs {
			needed[string(p.Key)] = p.Value
		}
	}
	if b.table.CountKey == "" || reflect.ValueOf(b.Counts).IsZero() {
		return needed, nil
	}
	value, err := Encode(b.Counts)
	needed[string(b.table.CountKey)] = value
	return needed, err
}

// replaceKeys replaces keys with values by others.
func (tx *Tx) replaceKeys(found, needed map[string][]byte) (err error) {
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if _, ok := needed[key]; !ok {
			err = errors.Join(err, tx.Delete([]byte(key)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(needed)) {
		if value, ok := found[key]; !ok || string(value) != string(needed[key]) {
			err = errors.Join(err, tx.Put([]byte(key), needed[key]))
		}
	}
	return err
}
