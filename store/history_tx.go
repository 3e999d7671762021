package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"techo/store/kv"
)

// changeTx is a write transaction that records which records it changes. It
// stands between the functions of this package and the transaction of the
// engine, so that no change of a record can bypass the history.
type changeTx struct {
	kv.Tx
	store  *Store
	change Change
	limits HistoryLimits
	counts *HistoryCounts // with this change; nil before it has a number
	purge  *purgeReport   // leave no trace of removed records, and report what is left; or nil
	part   bool           // undoes only a part of another change, which is not undone yet
	quiet  bool           // housekeeping: changes nothing that a user would undo

	read    map[string]readValue // values of records by key, as the transaction found them
	touched map[recordID]*touchedRecord
	order   []recordID
	outside []ChangedRecord // files of an edit, and events at a service
	named   []recordID      // calendars that were read, so that the result may contain their names
}

type readValue struct {
	value []byte
	found bool
}

// touchedRecord is a record that the transaction has written.
type touchedRecord struct {
	key, before, after []byte // key belongs to after
	existed, exists    bool
	new                bool // did not exist under any key
}

// newChangeTx returns a transaction that records its changes with the origin of
// a context.
func newChangeTx(ctx context.Context, s *Store, tx kv.Tx) *changeTx {
	c := &changeTx{Tx: tx, store: s, limits: s.history}
	c.change.Origin = originOf(ctx)
	c.change.At = s.time()
	undo, _ := ctx.Value(undoingKey{}).(undoing)
	c.change.Undoes, c.part = undo.id, undo.part
	return c
}

// recorded runs fn in a transaction that records its changes.
func recorded(ctx context.Context, s *Store, tx kv.Tx, fn func(kv.Tx) error) error {
	if ctx.Value(unrecordedKey{}) != nil {
		return fn(tx)
	}
	c := newChangeTx(ctx, s, tx)
	c.purge, _ = ctx.Value(purgeKey{}).(*purgeReport)
	if err := fn(c); err != nil {
		return err
	}
	return c.finish()
}

// quietly runs fn without recording the changes that it makes.
func quietly(tx kv.Tx, fn func() error) error {
	if c, ok := tx.(*changeTx); ok && !c.quiet {
		c.quiet = true
		defer func() { c.quiet = false }()
	}
	return fn()
}

// setOwner notes the user whose memories the transaction concerns.
func setOwner(tx kv.Tx, user string) {
	if c, ok := tx.(*changeTx); ok {
		c.change.Owner = user
	}
}

// Get remembers the values of records: most records are read before they are
// written.
func (c *changeTx) Get(key []byte) ([]byte, error) {
	if !isRecord(spaceOf(key)) {
		return c.Tx.Get(key)
	}
	value, err := c.Tx.Get(key)
	if _, known := c.read[string(key)]; !known && (err == nil || errors.Is(err, kv.ErrNotFound)) {
		c.remember(key, readValue{value, err == nil})
	}
	return value, err
}

// Peek implements kv.Peeker, for what is no record.
func (c *changeTx) Peek(key []byte) ([]byte, error) {
	if isRecord(spaceOf(key)) {
		return c.Get(key)
	}
	return kv.Peek(c.Tx, key)
}

// GetMany remembers the values of records, as Get does.
func (c *changeTx) GetMany(keys [][]byte) ([][]byte, error) {
	values, _, err := c.ReadMany(keys, nil)
	return values, err
}

// ReadMany remembers the values of records under keys, as Get does.
func (c *changeTx) ReadMany(keys [][]byte, ranges []kv.Range) (values [][]byte, items [][]kv.Pair, err error) {
	if values, items, err = c.Tx.ReadMany(keys, ranges); err != nil {
		return nil, nil, err
	}
	for i, key := range keys {
		if _, known := c.read[string(key)]; !known && isRecord(spaceOf(key)) {
			c.remember(key, readValue{values[i], values[i] != nil})
		}
	}
	return values, items, nil
}

// Prefetch also announces what finish reads.
func (c *changeTx) Prefetch(reads func() kv.Reads) error {
	return c.Tx.Prefetch(func() kv.Reads {
		r := reads()
		if !c.limits.Off {
			r.Keys = append(r.Keys, historyCountKey.all())
		}
		return r
	})
}

func (c *changeTx) remember(key []byte, r readValue) {
	if c.read == nil {
		c.read = map[string]readValue{}
	}
	c.read[string(key)] = r
}

// Put records the change of a record.
func (c *changeTx) Put(key, value []byte) error {
	if err := c.note(key, value, true); err != nil {
		return err
	}
	return c.Tx.Put(key, value)
}

// Delete records the removal of a record.
func (c *changeTx) Delete(key []byte) error {
	if err := c.note(key, nil, false); err != nil {
		return err
	}
	return c.Tx.Delete(key)
}

// note notes that a key is about to be written. An event may move to another
// key: then one key is deleted and the other is put.
func (c *changeTx) note(key, value []byte, exists bool) error {
	if c.quiet || !isRecord(spaceOf(key)) {
		return nil
	}
	id, ok := recordOfKey(key)
	if !ok {
		return nil
	}
	t := c.touched[id]
	if t == nil || !t.new && !t.existed && !bytes.Equal(t.key, key) {
		old, err := c.original(key)
		if err != nil {
			return err
		}
		if t == nil {
			t = &touchedRecord{}
			if c.touched == nil {
				c.touched = map[recordID]*touchedRecord{}
			}
			c.touched[id] = t
			c.order = append(c.order, id)
		}
		if old.found {
			t.existed, t.before = true, valueOf(key, old.value)
		}
	}
	switch {
	case exists:
		t.key, t.after, t.exists = bytes.Clone(key), valueOf(key, value), true
	case t.key == nil || bytes.Equal(t.key, key):
		t.after, t.exists = nil, false
	}
	return nil
}

// noteNew notes that no record has an id, so that writing it reads no previous value.
func noteNew(tx kv.Tx, id recordID) {
	c, ok := tx.(*changeTx)
	if !ok || c.quiet || c.touched[id] != nil {
		return
	}
	if c.touched == nil {
		c.touched = map[recordID]*touchedRecord{}
	}
	c.touched[id] = &touchedRecord{new: true}
	c.order = append(c.order, id)
}

// original returns the value that the transaction found under a key.
func (c *changeTx) original(key []byte) (readValue, error) {
	if r, known := c.read[string(key)]; known {
		return r, nil
	}
	value, err := c.Tx.Get(key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return readValue{}, err
	}
	r := readValue{value, err == nil}
	c.remember(key, r)
	return r, nil
}

// records returns the records that differ from what the transaction found.
func (c *changeTx) records() []ChangedRecord {
	all := slices.Clone(c.outside)
	for _, id := range c.order {
		t := c.touched[id]
		r := ChangedRecord{Kind: id.kind, ID: id.shown(), Existed: t.existed, Exists: t.exists, before: t.before}
		if r.Exists {
			r.after = digestOf(r.Kind, t.after)
		}
		same := r.Existed == r.Exists && (!r.Existed || sameValue(r.Kind, t.before, t.after))
		if !same {
			all = append(all, r)
		}
	}
	return all
}

// finish writes the change, if there is one, and drops the oldest ones beyond
// the limits. It erases the receipts of removed records.
func (c *changeTx) finish() error {
	c.change.Records = c.records()
	if err := c.eraseReceipts(); err != nil {
		return err
	}
	if c.purge != nil {
		p := purger{user: c.change.By, needs: WriteRole}
		_, err := p.run(c.Tx, c.change)
		c.purge.left = c.purge.left || p.left
		return err
	}
	if len(c.change.Records) == 0 {
		return nil
	}
	if c.limits.Off {
		if c.change.Edit != 0 { // its files have not been changed yet
			return nil
		}
		if c.part {
			return nil
		}
		return forgetUndone(c.Tx, c.change.Undoes)
	}
	if c.change.Records[0].Kind != KindMemory {
		c.change.Owner = ""
	}
	if _, err := c.number(); err != nil {
		return err
	}
	if err := putChange(c.Tx, &c.change); err != nil {
		return err
	}
	if c.change.Undoes != 0 && c.change.Edit == 0 && !c.part { // an edit of files is marked when it was made
		if err := markUndone(c.Tx, c.change.Undoes, c.change.ID); err != nil {
			return err
		}
	}
	counts := *c.counts
	counts.add(&c.change)
	if err := dropOldChanges(c.Tx, &counts, c.limits, c.change.At); err != nil {
		return err
	}
	return counts.save(c.Tx)
}

// eraseReceipts erases the receipts that contain removed records.
func (c *changeTx) eraseReceipts() error {
	var removed []recordID
	for _, id := range c.order {
		if t := c.touched[id]; t.existed && !t.exists {
			removed = append(removed, id)
		}
	}
	return eraseReceiptsOf(c.Tx, removed...)
}

// number assigns the number of the change. It returns 0 if changes are not
// recorded.
func (c *changeTx) number() (number uint64, err error) {
	switch {
	case c.limits.Off:
		return 0, nil
	case c.change.ID != 0:
		return c.change.ID, nil
	}
	counts, err := loadHistoryCounts(c.Tx)
	if err != nil {
		return 0, err
	}
	c.change.ID = counts.take()
	c.counts = &counts
	return c.change.ID, nil
}

// markUndone notes that a change was undone by another one. If it had undone a
// third one itself, that one is in effect again.
func markUndone(tx kv.Tx, id, by uint64) error {
	target, err := loadChange(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil // dropped meanwhile
	}
	if err != nil {
		return err
	}
	if err := tx.Put(undoneKey(id), rest(historyUndone.number(by))); err != nil || target.Undoes == 0 {
		return err
	}
	return tx.Delete(undoneKey(target.Undoes))
}

// forgetUndone removes a change that was undone while the history records no
// changes, so that it is not the next one to undo. If it had undone another one
// itself, that one is in effect again.
func forgetUndone(tx kv.Tx, id uint64) error {
	if id == 0 {
		return nil
	}
	target, err := loadChange(tx, id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if target.Undoes != 0 {
		if err := tx.Delete(undoneKey(target.Undoes)); err != nil {
			return err
		}
	}
	return removeChange(tx, id)
}

// isRecord reports whether the keys of a space are records in the history.
func isRecord(s space) bool {
	switch s {
	case memoRecords, memoryRecords, singleRecords, seriesRecords, todoRecords, questionRecords, spaceMembers:
		return true
	}
	return false
}

// shown returns the id of a record as users see it.
func (id recordID) shown() string {
	if id.kind == KindMemory {
		return id.id[4:]
	}
	return id.id
}
