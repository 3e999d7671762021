package ledger

import (
	"bytes"
	"errors"
	"iter"

	"techo/store/kv"
)

// Tx is a transaction of the store or of a shared space. It sees the keys of its place only, and
// records which records it changes.
type Tx struct {
	kv.Tx   // of the place
	Ledger  *Ledger
	outside kv.Tx     // of the engine: all keys of the store
	Within  *Place    // the shared space; nil for the store itself
	Changes *Recorder // nil if the history records nothing: in a read transaction, for example

	// Received lifts the limits on how many records there may be: what was said on another
	// machine is kept.
	Received bool
}

// Place is a shared space in a transaction.
type Place struct {
	Number uint64
	Name   string // "" if no role is needed
	User   string // who acts
	Role   Role
}

// NewTx returns a transaction of the store itself.
func NewTx(l *Ledger, tx kv.Tx) *Tx { return &Tx{Tx: tx, Ledger: l, outside: tx} }

// In returns the transaction of a shared space. It records nothing.
func (t *Tx) In(p Place) *Tx {
	return &Tx{Tx: prefixed{t.outside, SharedPrefix(p.Number)}, Ledger: t.Ledger, outside: t.outside, Within: &p}
}

// Root returns the transaction of the store itself, outside of all spaces. It records nothing.
func (t *Tx) Root() *Tx { return NewTx(t.Ledger, t.outside) }

// unrecorded returns the transaction without its recorder.
func (t *Tx) unrecorded() *Tx {
	return &Tx{Tx: t.Tx, Ledger: t.Ledger, outside: t.outside, Within: t.Within}
}

// SpaceName returns the name of the shared space, "" for the store itself.
func (t *Tx) SpaceName() string {
	if t.Within == nil {
		return ""
	}
	return t.Within.Name
}

// Get returns the value under a key, or kv.ErrNotFound. The recorder remembers the values of
// records: most records are read before they are written.
func (t *Tx) Get(key []byte) ([]byte, error) {
	if t.Changes.begins() {
		values, err := t.GetMany([][]byte{key})
		if err == nil && values[0] == nil {
			err = kv.ErrNotFound
		}
		if err != nil {
			return nil, err
		}
		return values[0], nil
	}
	value, err := t.Tx.Get(key)
	if err == nil || errors.Is(err, kv.ErrNotFound) {
		t.Changes.saw(key, readValue{value, err == nil})
	}
	return value, err
}

// Peek implements kv.Peeker, for what is no record.
func (t *Tx) Peek(key []byte) ([]byte, error) {
	if t.Changes != nil && t.Ledger.Schemas.under(key) != nil {
		return t.Get(key)
	}
	return kv.Peek(t.Tx, key)
}

// Peeks implements kv.Peeker.
func (t *Tx) Peeks() bool { return kv.Peeks(t.Tx) }

// Keeps implements kv.Keeper.
func (t *Tx) Keeps() bool { return kv.Keeps(t.Tx) }

// Kept implements kv.Keeper.
func (t *Tx) Kept(area []byte, state string, keys [][]byte) (values [][]byte, unknown []int) {
	return t.Tx.(kv.Keeper).Kept(area, state, keys)
}

// Keep implements kv.Keeper.
func (t *Tx) Keep(area []byte, state string, keys, values [][]byte) {
	t.Tx.(kv.Keeper).Keep(area, state, keys, values)
}

// GetMany returns the values under keys, nil for a key without one.
func (t *Tx) GetMany(keys [][]byte) ([][]byte, error) { return kv.GetMany(t, keys) }

// ReadMany returns the values under keys, nil for a key without one, and the items of ranges.
func (t *Tx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	read := keys
	if t.Changes.begins() { // the end of the transaction needs them: this way they cost no round trip
		t.Changes.begun = true
		read = append(keys[:len(keys):len(keys)], HistoryCountKey.All(), historyTallies())
	}
	if values, items, err = t.Tx.ReadMany(read, ranges); err != nil {
		return nil, nil, err
	}
	values = values[:len(keys)]
	for i, key := range keys {
		t.Changes.saw(key, readValue{values[i], values[i] != nil})
	}
	return values, items, nil
}

// Put writes a value, and records the change of a record.
func (t *Tx) Put(key, value []byte) error {
	if err := t.Changes.note(key, value, true); err != nil {
		return err
	}
	return t.Tx.Put(key, value)
}

// Delete removes a key, and records the removal of a record.
func (t *Tx) Delete(key []byte) error {
	if err := t.Changes.note(key, nil, false); err != nil {
		return err
	}
	return t.Tx.Delete(key)
}

// prefixed is a transaction in which a prefix precedes all keys.
type prefixed struct {
	kv.Tx
	prefix []byte
}

func (t prefixed) key(key []byte) []byte {
	return append(append(make([]byte, 0, len(t.prefix)+len(key)), t.prefix...), key...)
}

func (t prefixed) span(r kv.Range) kv.Range {
	r.Prefix = t.key(r.Prefix)
	if r.From != nil {
		r.From = t.key(r.From)
	}
	if r.To != nil {
		r.To = t.key(r.To)
	}
	return r
}

func (t prefixed) Get(key []byte) ([]byte, error) { return t.Tx.Get(t.key(key)) }

// Peek implements kv.Peeker.
func (t prefixed) Peek(key []byte) ([]byte, error) { return kv.Peek(t.Tx, t.key(key)) }

// Peeks implements kv.Peeker.
func (t prefixed) Peeks() bool { return kv.Peeks(t.Tx) }

// Keeps implements kv.Keeper.
func (t prefixed) Keeps() bool { return kv.Keeps(t.Tx) }

// Kept implements kv.Keeper: an area of its own is behind each prefix.
func (t prefixed) Kept(area []byte, state string, keys [][]byte) (values [][]byte, unknown []int) {
	return t.Tx.(kv.Keeper).Kept(t.key(area), state, keys)
}

// Keep implements kv.Keeper.
func (t prefixed) Keep(area []byte, state string, keys, values [][]byte) {
	t.Tx.(kv.Keeper).Keep(t.key(area), state, keys, values)
}

func (t prefixed) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	all, spans := make([][]byte, len(keys)), make([]kv.Range, len(ranges))
	for i, key := range keys {
		all[i] = t.key(key)
	}
	for i, r := range ranges {
		spans[i] = t.span(r)
	}
	values, items, err = t.Tx.ReadMany(all, spans)
	for _, of := range items {
		for i := range of {
			of[i].Key = bytes.TrimPrefix(of[i].Key, t.prefix)
		}
	}
	return values, items, err
}

func (t prefixed) Put(key, value []byte) error { return t.Tx.Put(t.key(key), value) }
func (t prefixed) Delete(key []byte) error     { return t.Tx.Delete(t.key(key)) }

func (t prefixed) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	return func(yield func(kv.Item, error) bool) {
		for item, err := range t.Tx.Scan(t.span(r)) {
			if err == nil {
				item.Key = bytes.TrimPrefix(item.Key, t.prefix)
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
