package ledger

import (
	"errors"
	"iter"
	"slices"
	"time"

	"techo/store/kv"
	"techo/store/search"
)

// Table keeps the records of one kind, together with what follows from them: the entries of
// indexes, and counts in a value of type C. Tables without counts have struct{} as C. A kind writes
// its records with [Table.Put] alone, so that all three agree, an audit finds where they do not, and
// a repair derives entries and counts from the records again.
type Table[T, C any] struct {
	Kind     Kind
	Records  Prefix
	Indexes  []Prefix // of the entries
	CountKey Prefix   // "" without counts

	Key    func(r *T) []byte
	Encode func(r *T) ([]byte, error)
	Decode func(key, value []byte) (T, error) // damage is a FindingError
	Index  func(r *T) []kv.Pair               // the entries of a record; nil without indexes
	Count  func(c *C, r *T, n int)            // adds a record for n = 1, removes it for -1; nil without counts

	// ID returns the id of a record for findings. Without ID findings name keys, and none names the
	// record that lacks an entry.
	ID func(r *T) string

	// Written returns when a record was last written; nil if its kind does not say.
	Written func(r *T) time.Time

	// The rest are the special rules of a kind. Each may be nil.

	// Refuse returns an error if a record must not be put. c counts it already.
	Refuse func(c *C, r *T) error

	// Follow keeps a search index in step with a change. It may set fields of after, which is
	// written then. Either record may be nil.
	Follow func(tx *Tx, before, after *T) error

	// Free returns an error if an undo must not replace now, which may be nil, by before.
	Free func(tx *Tx, now, before *T) error

	// Former begins the keys of entries of earlier versions of techo, "" if there are none. While one is left,
	// the entries and counts of the table are incomplete; FormerRecord returns the key of its record.
	Former       Prefix
	FormerRecord func(entry kv.Pair) []byte

	// Check checks what Follow keeps.
	Check func(tx *Tx) error

	// Agree reports whether the stored counts agree with the records. By default they are equal.
	Agree func(stored, counted C) bool

	// Keep returns what a repair keeps of the stored counts. By default it counts anew.
	Keep func(stored C) C

	// Seen notes the key of each record that a repair finds, even if it drops the record.
	Seen func(c *C, key []byte)

	// Settle returns which of the readable records a repair keeps, and how it changes them. Follow
	// gets them in this order. By default a repair keeps all.
	Settle func(tx *Tx, all []T) ([]T, []Repair, error)
}

// Schema describes the keys of the table. name is the plural of the kind.
func (t *Table[T, C]) Schema(name string) Schema {
	return Schema{Name: name, Prefixes: t.prefixes(), Audit: t.NewAudit, Repair: t.Repair, Outdated: t.outdated}
}

// outdated returns what replaces the entries of earlier versions.
func (t *Table[T, C]) outdated(tx *Tx) ([]Refreshing, error) {
	if err := t.Current(tx); errors.Is(err, search.ErrOutdated) {
		return []Refreshing{t.refresh}, nil
	} else if err != nil {
		return nil, err
	}
	return nil, nil
}

// Current returns search.ErrOutdated if earlier versions of techo have written entries. It reads the counts
// with them, for a change that follows.
func (t *Table[T, C]) Current(tx *Tx) error {
	if t.Former == "" {
		return nil
	}
	_, former, err := tx.ReadMany([][]byte{t.CountKey.All()}, []kv.Range{{Prefix: t.Former.All(), Limit: 1, KeysOnly: true}})
	if err == nil && len(former[0]) > 0 {
		err = search.ErrOutdated
	}
	return err
}

// refresh replaces some entries of earlier versions by those of their records. An entry whose record cannot
// be read goes: an audit finds the record.
func (t *Table[T, C]) refresh(tx *Tx) (done bool, err error) {
	_, former, err := tx.ReadMany(nil, []kv.Range{{Prefix: t.Former.All(), Limit: RefreshBatch}})
	if err != nil {
		return false, err
	}
	var keys [][]byte
	for _, p := range former[0] {
		keys = append(keys, t.FormerRecord(p))
	}
	values, err := tx.GetMany(keys)
	if err != nil {
		return false, err
	}
	err = t.Change(tx, func(b *Batch[T, C]) error {
		for i, p := range former[0] {
			if err := tx.Delete(p.Key); err != nil {
				return err
			}
			r, err := t.Decode(keys[i], values[i])
			if err != nil {
				continue
			}
			t.count(&b.Counts, &r, 1)
			for _, entry := range t.entries(&r) {
				if err := tx.Put(entry.Key, entry.Value); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return len(former[0]) < RefreshBatch, err
}

func (t *Table[T, C]) prefixes() []Prefix {
	all := append([]Prefix{t.Records}, t.Indexes...)
	for _, p := range []Prefix{t.CountKey, t.Former} {
		if p != "" {
			all = append(all, p)
		}
	}
	return all
}

// Load returns the record under a key, or fails with kv.ErrNotFound.
func (t *Table[T, C]) Load(tx *Tx, key []byte) (r T, err error) {
	value, err := tx.Get(key)
	if err != nil {
		return r, err
	}
	return t.Decode(key, value)
}

// LoadMany returns the records under keys that an index names. A missing record is a FindingError.
func (t *Table[T, C]) LoadMany(tx *Tx, keys [][]byte) (all []T, err error) {
	values, err := tx.GetMany(keys)
	if err != nil {
		return nil, err
	}
	for i, value := range values {
		if value == nil {
			return nil, Finding(NoRecord, t.Kind, string(Rest(keys[i])), nil)
		}
		r, err := t.Decode(keys[i], value)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Scan yields the records in a range of the keys of records. An error ends it.
func (t *Table[T, C]) Scan(tx kv.Tx, r kv.Range) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for p, err := range kv.Pairs(tx, r) {
			var record T
			if err == nil {
				record, err = t.Decode(p.Key, p.Value)
			}
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// Counts returns the stored counts.
func (t *Table[T, C]) Counts(tx *Tx) (c C, err error) {
	if t.CountKey != "" {
		err = IgnoreMissing(Load(tx, t.CountKey.All(), &c))
	}
	return c, err
}

// Put replaces before by after: nil as before adds a record, nil as after removes one.
func (t *Table[T, C]) Put(tx *Tx, before, after *T) error {
	return t.Change(tx, func(b *Batch[T, C]) error { return b.Put(before, after) })
}

// Change runs fn, which changes several records, and then saves the counts.
func (t *Table[T, C]) Change(tx *Tx, fn func(b *Batch[T, C]) error) (err error) {
	b := &Batch[T, C]{table: t, tx: tx}
	if b.Counts, err = t.Counts(tx); err != nil {
		return err
	}
	if err := fn(b); err != nil || t.CountKey == "" {
		return err
	}
	return Save(tx, t.CountKey.All(), b.Counts)
}

// Batch changes several records of a table.
type Batch[T, C any] struct {
	Counts C
	table  *Table[T, C]
	tx     *Tx
}

// Put is [Table.Put]. If it refuses a record, it has written nothing.
func (b *Batch[T, C]) Put(before, after *T) error {
	return b.PutAll([]*T{before}, []*T{after})
}

// PutAll replaces each record before by the one after it, as Put does. A record is refused for the counts
// after all changes, not for those on the way.
func (b *Batch[T, C]) PutAll(before, after []*T) error {
	t := b.table
	for i := range after {
		t.count(&b.Counts, before[i], -1)
		t.count(&b.Counts, after[i], 1)
	}
	for _, r := range after {
		if err := b.refuse(r); err != nil {
			return err
		}
	}
	for i := range after {
		if err := b.write(before[i], after[i]); err != nil {
			return err
		}
	}
	return nil
}

// refuse returns an error if a record that is counted must not be put.
func (b *Batch[T, C]) refuse(r *T) error {
	if b.table.Refuse == nil || r == nil || b.tx.Received {
		return nil
	}
	return b.table.Refuse(&b.Counts, r)
}

// write writes a change that is counted and allowed.
func (b *Batch[T, C]) write(before, after *T) error {
	pairs, err := b.replace(before, after)
	if err != nil {
		return err
	}
	if before != nil {
		for _, key := range b.table.keys(before) {
			if slices.ContainsFunc(pairs, func(p kv.Pair) bool { return string(p.Key) == string(key) }) {
				continue
			}
			if err := b.tx.Delete(key); err != nil {
				return err
			}
		}
	}
	for _, p := range pairs {
		if err := b.tx.Put(p.Key, p.Value); err != nil {
			return err
		}
	}
	return nil
}

// replace lets Follow follow a change, and returns the keys and values of the new record.
func (b *Batch[T, C]) replace(before, after *T) ([]kv.Pair, error) {
	t := b.table
	if t.Follow != nil {
		if err := t.Follow(b.tx, before, after); err != nil {
			return nil, err
		}
	}
	if after == nil {
		return nil, nil
	}
	value, err := t.Encode(after)
	return append(t.entries(after), kv.Pair{Key: t.Key(after), Value: value}), err
}

func (t *Table[T, C]) count(c *C, r *T, n int) {
	if t.Count != nil && r != nil {
		t.Count(c, r, n)
	}
}

func (t *Table[T, C]) entries(r *T) []kv.Pair {
	if t.Index == nil {
		return nil
	}
	return t.Index(r)
}

// keys returns the keys of a record and of its entries.
func (t *Table[T, C]) keys(r *T) [][]byte {
	keys := [][]byte{t.Key(r)}
	for _, p := range t.entries(r) {
		keys = append(keys, p.Key)
	}
	return keys
}

// Recorded describes the records for the history, which finds each by its id. key returns the key of
// an id, and id the id of a key.
func (t *Table[T, C]) Recorded(key func(id string) []byte, id func(key []byte) (string, bool)) Recorded {
	return Recorded{Kind: t.Kind, Prefixes: []Prefix{t.Records}, ID: id,
		Current: func(tx *Tx, _ string, ids []string) ([][]byte, error) { return tx.GetMany(KeysOfIDs(ids, key)) },
		Restore: func(tx *Tx, c Change) error { return t.restore(tx, c, key) },
	}
}

// restore gives records their previous values. Of several it removes all first, so that each may get
// what another one has now.
func (t *Table[T, C]) restore(tx *Tx, c Change, key func(id string) []byte) error {
	var now *T
	for _, r := range c.Records {
		if !r.Exists {
			continue
		}
		there, err := t.Load(tx, key(r.ID))
		if err != nil {
			return err
		}
		if r.Existed && len(c.Records) == 1 {
			now = &there
		} else if err := t.Put(tx, &there, nil); err != nil {
			return err
		}
	}
	for _, r := range c.Records {
		if !r.Existed {
			continue
		}
		before, err := t.Decode(key(r.ID), r.Before)
		if err == nil && t.Free != nil {
			err = t.Free(tx, now, &before)
		}
		if err == nil {
			err = t.Put(tx, now, &before)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// KeyTaken reports whether an entry, which at most one record can have, names another value than its
// own.
func (tx *Tx) KeyTaken(entry kv.Pair) (bool, error) {
	value, err := tx.Get(entry.Key)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && string(value) != string(entry.Value), err
}
