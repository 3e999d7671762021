package history

import (
	"context"
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// ChangeDetail is a change with the texts of some of its records.
type ChangeDetail struct {
	ListedChange
	Records []RecordDetail
	Left    int // records behind them
}

// RecordDetail has the text of a record before and after a change, for people.
type RecordDetail struct {
	Kind          ledger.Kind
	ID            string
	Before, After string // "" if the record did not exist
	Unknown       bool   // one of the texts is not known any more
}

// Show returns a change in detail. The filter selects whose changes may be
// shown, and how many of the records: a change of an import has thousands. It fails with a NotFoundError for
// other changes.
func (h History) Show(ctx context.Context, id string, f Filter) (d ChangeDetail, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) error {
		c, err := findChange(tx, id, f)
		if err != nil {
			return err
		}
		d = ChangeDetail{ListedChange: ListedChange{Change: c, Changed: len(c.Records)}}
		some := c.Records[min(f.Offset, len(c.Records)):]
		if f.Limit > 0 {
			d.Left = max(len(some)-f.Limit, 0)
			some = some[:len(some)-d.Left]
		}
		looked := c
		looked.Records = append(c.Records[:1:1], some...)
		newer, err := newerThan(tx, looked)
		if err != nil {
			return err
		}
		if d.Title, err = newer.of(c); err != nil {
			return err
		}
		for _, r := range some {
			text, err := detail(tx, c, r, newer)
			if err != nil {
				return err
			}
			d.Records = append(d.Records, text)
		}
		return nil
	})
	return d, err
}

// memoNamed returns the id of the memo that had a name before a change, or "".
func memoNamed(tx *ledger.Tx, change uint64, name string) (id string, err error) {
	c, err := tx.LoadWholeChange(change)
	if err != nil {
		return "", err
	}
	for _, r := range c.Records {
		if r.Kind != ledger.KindMemo || !r.Existed || c.Lost {
			continue
		}
		before, _, err := describe(tx, r, r.Before)
		if err != nil {
			return "", ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
		}
		if before == name {
			return r.ID, nil
		}
	}
	return "", nil
}

// findChange finds a change by its id.
func findChange(tx *ledger.Tx, id string, f Filter) (c ledger.Change, err error) {
	missing := &ledger.NotFoundError{Kind: ledger.KindChange, Name: id}
	number, err := ledger.ChangeNumber(id)
	if err != nil {
		return c, err
	}
	c, err = tx.LoadWholeChange(number)
	if errors.Is(err, kv.ErrNotFound) || err == nil && !f.sees(c) {
		return c, missing
	}
	if err != nil {
		return c, err
	}
	by, err := tx.Get(ledger.UndoneKey(number))
	if err == nil {
		c.UndoneBy, _ = ledger.CutNumber(by)
	} else if !errors.Is(err, kv.ErrNotFound) {
		return c, err
	}
	return c, nil
}

func detail(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord, newer *newerChanges) (d RecordDetail, err error) {
	d = RecordDetail{Kind: r.Kind, ID: r.ID, Unknown: r.Kind == ledger.KindFile || c.Lost && r.Existed}
	if d.Unknown {
		return d, nil
	}
	if r.Existed {
		if d.Before, err = textOf(tx, r, r.Before); err != nil {
			return d, ledger.Finding(ledger.Unreadable, ledger.KindChange, ledger.ChangeID(c.ID), err)
		}
	}
	if !r.Exists {
		return d, nil
	}
	after, known, err := newer.valueAfter(c, r)
	if err != nil {
		return d, err
	}
	if !known || tx.Ledger.Schemas.Of(r.Kind).Digest(after) != r.After {
		d.Unknown = true
		return d, nil
	}
	d.After, err = textOf(tx, r, after)
	return d, err
}

// textOf returns the text of a record for people.
func textOf(tx *ledger.Tx, r ledger.ChangedRecord, value []byte) (text string, err error) {
	_, text, err = describe(tx, r, value)
	return text, err
}

// describe returns the title and the text of a record for people.
func describe(tx *ledger.Tx, r ledger.ChangedRecord, value []byte) (title, text string, err error) {
	if d := tx.Ledger.Schemas.Of(r.Kind).Describe; d != nil {
		return d(tx, r.ID, value)
	}
	return "", "", nil
}

// newerChanges finds the values of records after a change. The history keeps
// the previous values only: the value after a change is the previous value of the
// next change of the record, or its present value.
type newerChanges struct {
	tx      *ledger.Tx
	present map[leftRecord][]byte // values that are as their change left them
	next    map[leftRecord]uint64 // next changes of the others, as far as the history has them
	loaded  ledger.Change         // the one that was read last, with its values
}

// leftRecord is a record as a change left it.
type leftRecord struct {
	change uint64
	id     ledger.RecordID
}

func leftBy(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) leftRecord {
	return leftRecord{c.ID, recordIn(tx, c, r)}
}

// newerThan finds the values of the records of changes after them. Most records are as their change left them, and no
// newer change has to be looked for.
func newerThan(tx *ledger.Tx, changes ...ledger.Change) (*newerChanges, error) {
	n := &newerChanges{tx: tx, present: map[leftRecord][]byte{}, next: map[leftRecord]uint64{}}
	changed := map[string][]leftRecord{} // by the ids in the changes
	var first uint64
	for _, c := range changes {
		c.Records = slices.DeleteFunc(slices.Clone(c.Records), func(r ledger.ChangedRecord) bool {
			return !r.Exists || r.Elsewhere || r.Kind == ledger.KindFile
		})
		values, err := currentOf(tx, c)
		if err != nil {
			return nil, err
		}
		for i, r := range c.Records {
			left := leftBy(tx, c, r)
			if values[i] != nil && tx.Ledger.Schemas.Of(r.Kind).Digest(values[i]) == r.After {
				n.present[left] = values[i]
				continue
			}
			changed[r.ID] = append(changed[r.ID], left)
			if first == 0 || c.ID < first {
				first = c.ID
			}
		}
	}
	if first == 0 {
		return n, nil
	}
	r := kv.Range{Prefix: ledger.HistoryChanges.All(), From: ledger.ChangeKey(first + 1)}
	return n, eachStored(tx, r, func(s stored) error {
		for r := range s.Records() {
			if some := changed[string(r.ID)]; some != nil {
				n.pass(s, r, changed, some)
			}
		}
		if err := s.Err(); err != nil || len(changed) > 0 {
			return err
		}
		return ledger.ErrStop
	})
}

// pass notes a record of the next change among those with its id, and removes from these what has it as the next one.
func (n *newerChanges) pass(s stored, r ledger.PeekedRecord, changed map[string][]leftRecord, some []leftRecord) {
	c := ledger.Change{ID: s.ID, Owner: string(s.Owner())}
	id := recordIn(n.tx, c, ledger.ChangedRecord{Kind: r.Kind, ID: string(r.ID)})
	some = slices.DeleteFunc(some, func(left leftRecord) bool {
		isNext := left.id == id && left.change < s.ID
		if isNext {
			n.next[left] = s.ID
		}
		return isNext
	})
	if changed[string(r.ID)] = some; len(some) == 0 {
		delete(changed, string(r.ID))
	}
}

// recordIn identifies a record of a change among all users.
func recordIn(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) ledger.RecordID {
	if tx.Ledger.Schemas.Of(r.Kind).Local != nil {
		return ledger.RecordID{Kind: r.Kind, ID: c.Owner + "\x00" + r.ID}
	}
	return ledger.RecordID{Kind: r.Kind, ID: r.ID}
}

// valueAfter returns the value of a record after a change; known is false if it
// is not kept.
func (n *newerChanges) valueAfter(c ledger.Change, r ledger.ChangedRecord) (value []byte, known bool, err error) {
	if r.Elsewhere {
		return r.Later, r.Exists && r.Later != nil, nil
	}
	left := leftBy(n.tx, c, r)
	if value, known = n.present[left]; known {
		return value, true, nil
	}
	next, found := n.next[left]
	if !found {
		value, err = CurrentValue(n.tx, c, r)
		return value, value != nil, err
	}
	if n.loaded.ID != next {
		if n.loaded, err = n.tx.LoadWholeChange(next); err != nil {
			return nil, false, err
		}
	}
	for _, other := range n.loaded.Records {
		if recordIn(n.tx, n.loaded, other) == left.id && other.Existed && !n.loaded.Lost {
			return other.Before, true, nil
		}
	}
	return nil, false, nil
}

// of returns the title of the first record of a change, before the change if it
// existed; "" when it is not known.
func (n *newerChanges) of(c ledger.Change) (title string, err error) {
	r := c.Records[0]
	if r.Kind == ledger.KindFile {
		return r.ID, nil
	}
	var value []byte
	known := false
	if r.Existed || r.Elsewhere {
		whole, err := n.tx.LoadWholeChange(c.ID)
		if err != nil {
			return "", err
		}
		value, known = whole.Records[0].Before, !whole.Lost
		if !r.Existed {
			value = whole.Records[0].Later
		}
	} else {
		value, known, err = n.valueAfter(c, r)
	}
	if err != nil || !known {
		return "", err
	}
	title, _, err = describe(n.tx, r, value)
	if err != nil {
		return "", ledger.Finding(ledger.Unreadable, r.Kind, r.ID, err)
	}
	return title, nil
}

// # Values in the history
//
// The value of a record is the value under its key. The value of an event or a to-do
// begins with the key of its calendar, a text, which is in the key of its record only. The
// value of a calendar is its name.

// currentOf returns the values that the records of a change have now, in their order; nil stands
// for a missing one.
func currentOf(tx *ledger.Tx, c ledger.Change) (values [][]byte, err error) {
	values = make([][]byte, len(c.Records))
	at := map[ledger.Kind][]int{}
	for i, r := range c.Records {
		at[r.Kind] = append(at[r.Kind], i)
	}
	for kind, places := range at {
		current := tx.Ledger.Schemas.Of(kind).Current
		if current == nil {
			continue
		}
		var ids []string
		for _, i := range places {
			ids = append(ids, c.Records[i].ID)
		}
		found, err := current(tx, c.Owner, ids)
		if err != nil {
			return nil, err
		}
		for n, i := range places {
			values[i] = found[n]
		}
	}
	return values, nil
}

// CurrentValue returns the value of one record of a change now, nil for a missing one.
func CurrentValue(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) ([]byte, error) {
	c.Records = []ledger.ChangedRecord{r}
	values, err := currentOf(tx, c)
	if err != nil {
		return nil, err
	}
	return values[0], nil
}
