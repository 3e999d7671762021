package store

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// ChangeDetail is a change with the texts of its records.
type ChangeDetail struct {
	ListedChange
	Records []RecordDetail
}

// RecordDetail has the text of a record before and after a change, for people.
type RecordDetail struct {
	Kind          Kind
	ID            string
	Before, After string // "" if the record did not exist
	Unknown       bool   // one of the texts is not known any more
}

// Show returns a change in detail. The filter selects whose changes may be
// shown; it fails with a NotFoundError for others.
func (h History) Show(ctx context.Context, id string, f HistoryFilter) (d ChangeDetail, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		c, newer, err := findChange(tx, id, f)
		if err != nil {
			return err
		}
		d = ChangeDetail{ListedChange: ListedChange{Change: c}}
		if d.Title, err = newer.of(c); err != nil {
			return err
		}
		now := &historyTx{tx: tx, owner: c.Owner}
		for _, r := range c.Records {
			text, err := now.detail(c, r, newer)
			if err != nil {
				return err
			}
			d.Records = append(d.Records, text)
		}
		return nil
	})
	return d, err
}

// RemovedMemo returns the id of the memo that last had a name, from its changes.
// It returns "" when the history has no such memo.
func (h History) RemovedMemo(ctx context.Context, name string) (id string, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		id = ""
		return scanChanges(tx, 0, func(c Change) error {
			if !slices.ContainsFunc(c.Records, func(r ChangedRecord) bool { return r.Kind == KindMemo && r.Existed }) {
				return nil
			}
			whole, err := loadWholeChange(tx, c.ID)
			if err != nil {
				return err
			}
			id, err = whole.memoNamed(norm.NFC.String(name))
			if id != "" && err == nil {
				return errStop
			}
			return err
		})
	})
	return id, err
}

// memoNamed returns the id of the memo that had a name before the change, or "".
func (c *Change) memoNamed(name string) (id string, err error) {
	for _, r := range c.Records {
		if r.Kind != KindMemo || !r.Existed || c.Lost {
			continue
		}
		before, _, err := describe(r.Kind, r.ID, r.before)
		if err != nil {
			return "", finding(Unreadable, KindChange, ChangeID(c.ID), err)
		}
		if before == name {
			return r.ID, nil
		}
	}
	return "", nil
}

// findChange finds a change by its id, and the newer changes of its records.
func findChange(tx *Tx, id string, f HistoryFilter) (c Change, newer *newerChanges, err error) {
	missing := &NotFoundError{Kind: KindChange, Name: id}
	number, err := ChangeNumber(id)
	if err != nil {
		return c, nil, err
	}
	c, err = loadWholeChange(tx, number)
	if errors.Is(err, kv.ErrNotFound) || err == nil && !f.sees(c) {
		return c, nil, missing
	}
	if err != nil {
		return c, nil, err
	}
	by, err := tx.Get(undoneKey(number))
	if err == nil {
		c.UndoneBy, _ = cutNumber(by)
	} else if !errors.Is(err, kv.ErrNotFound) {
		return c, nil, err
	}
	newer = newNewerChanges(tx)
	err = scanChanges(tx, number, func(c Change) error {
		newer.pass(c)
		return nil
	})
	return c, newer, err
}

func (h *historyTx) detail(c Change, r ChangedRecord, newer *newerChanges) (d RecordDetail, err error) {
	d = RecordDetail{Kind: r.Kind, ID: r.ID, Unknown: r.Kind == KindFile || c.Lost && r.Existed}
	if d.Unknown {
		return d, nil
	}
	if r.Existed {
		if d.Before, err = h.text(r, r.before); err != nil {
			return d, finding(Unreadable, KindChange, ChangeID(c.ID), err)
		}
	}
	if !r.Exists {
		return d, nil
	}
	after, known, err := newer.valueAfter(c, r)
	if err != nil {
		return d, err
	}
	if !known || digestOf(r.Kind, after) != r.after {
		d.Unknown = true
		return d, nil
	}
	d.After, err = h.text(r, after)
	return d, err
}

// text returns the text of a record for people.
func (h *historyTx) text(r ChangedRecord, value []byte) (text string, err error) {
	if r.Kind == KindEvent || r.Kind == KindTodo {
		if value, err = withName(&eventTx{tx: h.tx}, value); err != nil {
			return "", err
		}
	}
	_, text, err = describe(r.Kind, r.ID, value)
	return text, err
}

// newerChanges finds the values of records after a change. The history keeps
// the previous values only: the value after a change is the previous value of the
// next change of the record, or its present value.
type newerChanges struct {
	tx   *Tx
	next map[recordID]uint64 // oldest change of a record that was passed
}

func newNewerChanges(tx *Tx) *newerChanges { return &newerChanges{tx, map[recordID]uint64{}} }

// recordIn identifies a record of a change among all users.
func recordIn(c Change, r ChangedRecord) recordID {
	if r.Kind == KindMemory {
		return recordID{r.Kind, c.Owner + "\x00" + r.ID}
	}
	return recordID{r.Kind, r.ID}
}

// pass notes a change. The changes are passed from the newest on.
func (n *newerChanges) pass(c Change) {
	for _, r := range c.Records {
		n.next[recordIn(c, r)] = c.ID
	}
}

// valueAfter returns the value of a record after a change; known is false if it
// is not kept.
func (n *newerChanges) valueAfter(c Change, r ChangedRecord) (value []byte, known bool, err error) {
	if r.Elsewhere {
		return r.later, r.Exists && r.later != nil, nil
	}
	id := recordIn(c, r)
	next, found := n.next[id]
	if !found {
		h := &historyTx{tx: n.tx, owner: c.Owner}
		return h.currentValue(r.Kind, r.ID)
	}
	newer, err := loadWholeChange(n.tx, next)
	if err != nil {
		return nil, false, err
	}
	for _, other := range newer.Records {
		if recordIn(newer, other) == id && other.Existed && !newer.Lost {
			return other.before, true, nil
		}
	}
	return nil, false, nil
}

// of returns the title of the first record of a change, before the change if it
// existed; "" when it is not known.
func (n *newerChanges) of(c Change) (title string, err error) {
	r := c.Records[0]
	if r.Kind == KindFile {
		return r.ID, nil
	}
	var value []byte
	known := false
	if r.Existed || r.Elsewhere {
		whole, err := loadWholeChange(n.tx, c.ID)
		if err != nil {
			return "", err
		}
		value, known = whole.Records[0].before, !whole.Lost
		if !r.Existed {
			value = whole.Records[0].later
		}
	} else {
		value, known, err = n.valueAfter(c, r)
	}
	if err != nil || !known {
		return "", err
	}
	title, _, err = describe(r.Kind, r.ID, value)
	if err != nil {
		return "", finding(Unreadable, r.Kind, r.ID, err)
	}
	return title, nil
}
