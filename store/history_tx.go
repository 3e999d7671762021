package store

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"techo/store/kv"
)

// changeRecorder records which records a transaction changes.
type changeRecorder struct {
	tx     *Tx // without the recorder
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

// recording returns a transaction that records its changes, as the options of a context want.
func recording(ctx context.Context, s *Store, tx *Tx) *Tx {
	w := writingOf(ctx)
	c := &changeRecorder{tx: tx.unrecorded(), store: s, limits: s.history, part: w.part, purge: w.purge}
	c.change.Origin, c.change.Undoes, c.change.At = w.origin, w.undoes, s.time()
	recorded := tx.unrecorded()
	recorded.changes = c
	return recorded
}

// recorded runs fn in a transaction that records its changes.
func recorded(ctx context.Context, s *Store, tx *Tx, fn func(*Tx) error) error {
	if writingOf(ctx).unrecorded {
		return fn(tx)
	}
	tx = recording(ctx, s, tx)
	if err := fn(tx); err != nil {
		return err
	}
	return tx.changes.finish()
}

// quietly runs fn without recording the changes that it makes.
func (t *Tx) quietly(fn func() error) error {
	if c := t.changes; c != nil && !c.quiet {
		c.quiet = true
		defer func() { c.quiet = false }()
	}
	return fn()
}

// setOwner notes the user whose memories the transaction concerns.
func (t *Tx) setOwner(user string) {
	if t.changes != nil {
		t.changes.change.Owner = user
	}
}

// saw remembers the value of a record, as the transaction found it.
func (c *changeRecorder) saw(key []byte, r readValue) {
	if c == nil || !isRecord(spaceOf(key)) {
		return
	}
	if _, known := c.read[string(key)]; !known {
		c.remember(key, r)
	}
}

func (c *changeRecorder) remember(key []byte, r readValue) {
	if c.read == nil {
		c.read = map[string]readValue{}
	}
	c.read[string(key)] = r
}

// note notes that a key is about to be written. An event may move to another
// key: then one key is deleted and the other is put.
func (c *changeRecorder) note(key, value []byte, exists bool) error {
	if c == nil || c.quiet || !isRecord(spaceOf(key)) {
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
func (t *Tx) noteNew(id recordID) {
	c := t.changes
	if c == nil || c.quiet || c.touched[id] != nil {
		return
	}
	if c.touched == nil {
		c.touched = map[recordID]*touchedRecord{}
	}
	c.touched[id] = &touchedRecord{new: true}
	c.order = append(c.order, id)
}

// original returns the value that the transaction found under a key.
func (c *changeRecorder) original(key []byte) (readValue, error) {
	if r, known := c.read[string(key)]; known {
		return r, nil
	}
	value, err := c.tx.Get(key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return readValue{}, err
	}
	r := readValue{value, err == nil}
	c.remember(key, r)
	return r, nil
}

// records returns the records that differ from what the transaction found.
func (c *changeRecorder) records() []ChangedRecord {
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
func (c *changeRecorder) finish() error {
	c.change.Records = c.records()
	if err := c.eraseReceipts(); err != nil {
		return err
	}
	if c.purge != nil {
		p := purger{user: c.change.By, needs: WriteRole}
		_, err := p.run(c.tx, c.change)
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
		return forgetUndone(c.tx, c.change.Undoes)
	}
	if c.change.Records[0].Kind != KindMemory {
		c.change.Owner = ""
	}
	if _, err := c.number(); err != nil {
		return err
	}
	if err := putChange(c.tx, &c.change); err != nil {
		return err
	}
	if c.change.Undoes != 0 && c.change.Edit == 0 && !c.part { // an edit of files is marked when it was made
		if err := markUndone(c.tx, c.change.Undoes, c.change.ID); err != nil {
			return err
		}
	}
	counts := *c.counts
	counts.add(&c.change)
	if err := dropOldChanges(c.tx, &counts, c.limits, c.change.At); err != nil {
		return err
	}
	return counts.save(c.tx)
}

// eraseReceipts erases the receipts that contain removed records.
func (c *changeRecorder) eraseReceipts() error {
	var removed []recordID
	for _, id := range c.order {
		if t := c.touched[id]; t.existed && !t.exists {
			removed = append(removed, id)
		}
	}
	return eraseReceiptsOf(c.tx, removed...)
}

// number assigns the number of the change. It returns 0 if changes are not
// recorded.
func (c *changeRecorder) number() (number uint64, err error) {
	switch {
	case c.limits.Off:
		return 0, nil
	case c.change.ID != 0:
		return c.change.ID, nil
	}
	counts, err := loadHistoryCounts(c.tx)
	if err != nil {
		return 0, err
	}
	c.change.ID = counts.take()
	c.counts = &counts
	return c.change.ID, nil
}

// markUndone notes that a change was undone by another one. If it had undone a
// third one itself, that one is in effect again.
func markUndone(tx *Tx, id, by uint64) error {
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
func forgetUndone(tx *Tx, id uint64) error {
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
