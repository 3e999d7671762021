package ledger

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"techo/internal/sorting"
	"techo/store/kv"
)

// Recorder records which records a transaction changes.
type Recorder struct {
	tx     *Tx // without the recorder
	kinds  *Schemas
	Change Change
	limits HistoryLimits
	counts *HistoryCounts // with this change; nil before it has a number
	purge  *purgeReport   // leave no trace of removed records, and report what is left; or nil
	part   bool           // undoes only a part of another change, which is not undone yet
	quiet  bool           // housekeeping: changes nothing that a user would undo
	begun  bool           // it has read the counts of the history

	read    map[string]readValue // values of records by key, as the transaction found them
	touched map[RecordID]*touchedRecord
	order   []RecordID
	Outside []ChangedRecord // files of an edit, and events at a service
	Named   []RecordID      // calendars that were read, so that the result may contain their names
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
func (s *Ledger) recording(ctx context.Context, tx *Tx) *Tx {
	w := WritingOf(ctx)
	c := &Recorder{tx: tx.unrecorded(), kinds: s.Schemas, limits: s.History, part: w.part, purge: w.Purge}
	c.Change.Origin, c.Change.Undoes, c.Change.At = w.Origin, w.undoes, s.Time()
	recorded := tx.unrecorded()
	recorded.Changes = c
	return recorded
}

// Record runs fn in a transaction that records its changes.
func (s *Ledger) Record(ctx context.Context, tx *Tx, fn func(*Tx) error) error {
	if WritingOf(ctx).unrecorded {
		return fn(tx)
	}
	tx = s.recording(ctx, tx)
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Changes.finish()
}

// Quietly runs fn without recording the changes that it makes.
func (t *Tx) Quietly(fn func() error) error {
	if c := t.Changes; c != nil && !c.quiet {
		c.quiet = true
		defer func() { c.quiet = false }()
	}
	return fn()
}

// SetOwner notes the user whose memories or memory files the transaction concerns.
func (t *Tx) SetOwner(user string) {
	if t.Changes != nil {
		t.Changes.Change.Owner = user
	}
}

// NoteGuarded records a guarded act of the person, such as the trust in a store, and what shows that
// they confirmed it. It changes no record, so that nothing can be undone.
func (l *Ledger) NoteGuarded(ctx context.Context, about, assurance string) error {
	return l.Update(ctx, func(tx *Tx) error {
		if c := tx.Changes; c != nil {
			c.Outside = append(c.Outside, ChangedRecord{Kind: KindGuarded, ID: about})
			c.Change.Lost = true
		}
		tx.SetAssurance(assurance)
		return nil
	})
}

// SetAssurance notes what shows that the person made the change.
func (t *Tx) SetAssurance(assurance string) {
	if t.Changes != nil {
		t.Changes.Change.Assurance = assurance
	}
}

// begins reports whether the transaction has read nothing yet, and may record a change.
func (c *Recorder) begins() bool { return c != nil && !c.begun && !c.limits.Off }

// saw remembers the value of a record, as the transaction found it.
func (c *Recorder) saw(key []byte, r readValue) {
	if c == nil || c.kinds.under(key) == nil {
		return
	}
	if _, known := c.read[string(key)]; !known {
		c.remember(key, r)
	}
}

func (c *Recorder) remember(key []byte, r readValue) {
	if c.read == nil {
		c.read = map[string]readValue{}
	}
	c.read[string(key)] = r
}

// note notes that a key is about to be written. An event may move to another
// key: then one key is deleted and the other is put.
func (c *Recorder) note(key, value []byte, exists bool) error {
	if c == nil || c.quiet {
		return nil
	}
	id, ok := c.kinds.Record(key)
	if !ok {
		return nil
	}
	kind := c.kinds.Of(id.Kind)
	t := c.touched[id]
	if t == nil || !t.new && !t.existed && !bytes.Equal(t.key, key) {
		old, err := c.original(key)
		if err != nil {
			return err
		}
		if t == nil {
			t = &touchedRecord{}
			if c.touched == nil {
				c.touched = map[RecordID]*touchedRecord{}
			}
			c.touched[id] = t
			c.order = append(c.order, id)
		}
		if old.found {
			t.existed, t.before = true, kind.Form(key, old.value)
		}
	}
	switch {
	case exists:
		t.key, t.after, t.exists = bytes.Clone(key), kind.Form(key, value), true
	case t.key == nil || bytes.Equal(t.key, key):
		t.after, t.exists = nil, false
	}
	return nil
}

// NoteNew notes that no record has an id, so that writing it reads no previous value.
func (t *Tx) NoteNew(id RecordID) {
	c := t.Changes
	if c == nil || c.quiet || c.touched[id] != nil {
		return
	}
	if c.touched == nil {
		c.touched = map[RecordID]*touchedRecord{}
	}
	c.touched[id] = &touchedRecord{new: true}
	c.order = append(c.order, id)
}

// original returns the value that the transaction found under a key.
func (c *Recorder) original(key []byte) (readValue, error) {
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
func (c *Recorder) records() []ChangedRecord {
	all := slices.Clone(c.Outside)
	for _, id := range c.order {
		t := c.touched[id]
		kind := c.kinds.Of(id.Kind)
		r := ChangedRecord{Kind: id.Kind, ID: c.kinds.shown(id), Existed: t.existed, Exists: t.exists, Before: t.before}
		if r.Exists {
			r.After = kind.Digest(t.after)
		}
		same := r.Existed == r.Exists && (!r.Existed || kind.equal(t.before, t.after))
		if !same {
			all = append(all, r)
		}
	}
	return all
}

// finish writes the change, if there is one, and drops the oldest ones beyond
// the limits. It erases the receipts of removed records.
func (c *Recorder) finish() error {
	c.Change.Records = c.records()
	if err := c.eraseReceipts(); err != nil {
		return err
	}
	if c.purge != nil {
		left, err := c.kinds.Purge(c.tx, c.Change)
		c.purge.Left = c.purge.Left || left
		return err
	}
	if len(c.Change.Records) == 0 {
		return nil
	}
	if c.limits.Off {
		if c.Change.Edit != 0 { // its files have not been changed yet
			return nil
		}
		if c.part {
			return nil
		}
		return c.tx.ForgetUndone(c.Change.Undoes)
	}
	if c.kinds.Of(c.Change.Records[0].Kind).Local == nil {
		c.Change.Owner = ""
	}
	if _, err := c.Number(); err != nil {
		return err
	}
	if err := c.tx.PutChange(&c.Change); err != nil {
		return err
	}
	if c.Change.Undoes != 0 && c.Change.Edit == 0 && !c.part { // an edit of files is marked when it was made
		if err := c.tx.MarkUndone(c.Change.Undoes, c.Change.ID); err != nil {
			return err
		}
	}
	counts := *c.counts
	counts.Add(&c.Change)
	if err := c.tx.DropOldChanges(&counts, c.limits, c.Change.At); err != nil {
		return err
	}
	if err := c.tx.TallyOlder(&counts, MaxDropped); err != nil {
		return err
	}
	return counts.Save(c.tx)
}

// eraseReceipts erases the receipts that contain removed records.
func (c *Recorder) eraseReceipts() error {
	var removed []RecordID
	for _, id := range c.order {
		if t := c.touched[id]; t.existed && !t.exists {
			removed = append(removed, id)
		}
	}
	return c.kinds.Erase(c.tx, removed...)
}

// Number assigns the number of the change. It returns 0 if changes are not
// recorded.
func (c *Recorder) Number() (number uint64, err error) {
	switch {
	case c.limits.Off:
		return 0, nil
	case c.Change.ID != 0:
		return c.Change.ID, nil
	}
	counts, err := c.tx.LoadHistoryCounts()
	if err != nil {
		return 0, err
	}
	c.Change.ID = counts.Take()
	c.counts = &counts
	return c.Change.ID, nil
}

// MarkUndone notes that a change was undone by another one. If it had undone a
// third one itself, that one is in effect again.
func (tx *Tx) MarkUndone(id, by uint64) error {
	target, err := tx.loadChange(id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil // dropped meanwhile
	}
	if err != nil {
		return err
	}
	if err := tx.Put(UndoneKey(id), Rest(HistoryUndone.Number(by))); err != nil || target.Undoes == 0 {
		return err
	}
	return tx.Delete(UndoneKey(target.Undoes))
}

// ForgetUndone removes a change that was undone while the history records no
// changes, so that it is not the next one to undo. If it had undone another one
// itself, that one is in effect again.
func (tx *Tx) ForgetUndone(id uint64) error {
	if id == 0 {
		return nil
	}
	target, err := tx.loadChange(id)
	if errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if target.Undoes != 0 {
		if err := tx.Delete(UndoneKey(target.Undoes)); err != nil {
			return err
		}
	}
	return tx.RemoveChange(id)
}

// Present returns the records that the transaction has read or written, without
// the removed ones, and the calendars whose names its result may contain.
func (c *Recorder) Present() (all []RecordID) {
	for key, r := range c.read {
		if id, ok := c.kinds.Record([]byte(key)); ok && r.found && c.touched[id] == nil {
			all = append(all, id)
		}
	}
	for id, t := range c.touched {
		if t.exists {
			all = append(all, id)
		}
	}
	all = append(all, c.Named...)
	sorting.By(all, RecordID.compare)
	return slices.Compact(all)
}
