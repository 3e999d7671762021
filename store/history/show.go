package history

import (
	"context"
	"errors"

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
		d = ChangeDetail{ListedChange: ListedChange{Change: c}}
		some := c.Records[min(f.Offset, len(c.Records)):]
		if f.Limit > 0 {
			d.Left = max(len(some)-f.Limit, 0)
			some = some[:len(some)-d.Left]
		}
		newer, err := newerThan(tx, c, c.Records[:1], some)
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
	tx     *ledger.Tx
	wanted map[string]bool            // ids of the records whose values are looked for
	next   map[ledger.RecordID]uint64 // oldest change of such a record that was passed
	loaded ledger.Change              // the one that was read last, with its values

	unchanged map[uint64][]byte // values of the first records of changes, which they have still
}

func newNewerChanges(tx *ledger.Tx) *newerChanges {
	return &newerChanges{tx: tx, wanted: map[string]bool{}, next: map[ledger.RecordID]uint64{},
		unchanged: map[uint64][]byte{}}
}

// wantTitles looks for what the titles of changes need. Most records are as their change left them, and no newer change
// has to be looked for.
func (n *newerChanges) wantTitles(page []ListedChange) error {
	for _, c := range page {
		r := c.Records[0]
		if r.Existed || r.Elsewhere || r.Kind == ledger.KindFile {
			continue // the change has it
		}
		value, err := CurrentValue(n.tx, c.Change, r)
		if err != nil {
			return err
		}
		if value != nil && n.tx.Ledger.Schemas.Of(r.Kind).Digest(value) == r.After {
			n.unchanged[c.ID] = value
		} else {
			n.want(c.Records[:1])
		}
	}
	return nil
}

// newerThan finds the changes of records after a change.
func newerThan(tx *ledger.Tx, c ledger.Change, records ...[]ledger.ChangedRecord) (*newerChanges, error) {
	n := newNewerChanges(tx)
	for _, some := range records {
		n.want(some)
	}
	return n, eachStored(tx, c.ID+1, n.pass)
}

// want looks for the values of records in the changes that are passed from now on.
func (n *newerChanges) want(records []ledger.ChangedRecord) {
	for _, r := range records {
		n.wanted[r.ID] = true
	}
}

// recordIn identifies a record of a change among all users.
func recordIn(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) ledger.RecordID {
	if tx.Ledger.Schemas.Of(r.Kind).Local != nil {
		return ledger.RecordID{Kind: r.Kind, ID: c.Owner + "\x00" + r.ID}
	}
	return ledger.RecordID{Kind: r.Kind, ID: r.ID}
}

// pass notes a change. The changes are passed from the newest on.
func (n *newerChanges) pass(s stored) error {
	for r := range s.Records() {
		if n.wanted[string(r.ID)] {
			c := ledger.Change{Owner: string(s.Owner())}
			n.next[recordIn(n.tx, c, ledger.ChangedRecord{Kind: r.Kind, ID: string(r.ID)})] = s.ID
		}
	}
	return s.Err()
}

// valueAfter returns the value of a record after a change; known is false if it
// is not kept.
func (n *newerChanges) valueAfter(c ledger.Change, r ledger.ChangedRecord) (value []byte, known bool, err error) {
	if r.Elsewhere {
		return r.Later, r.Exists && r.Later != nil, nil
	}
	id := recordIn(n.tx, c, r)
	next, found := n.next[id]
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
		if recordIn(n.tx, n.loaded, other) == id && other.Existed && !n.loaded.Lost {
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
	} else if value, known = n.unchanged[c.ID]; !known {
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
