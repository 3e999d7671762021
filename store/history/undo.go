package history

import (
	"context"
	"slices"

	"techo/store/ledger"
)

// FindUndo returns the change with an id that the filter lets the user see or,
// with the id "", the last change that can be undone: not one that was undone
// already, or that undid another. It fails with a NotFoundError.
func (h History) FindUndo(ctx context.Context, id string, f Filter) (c ledger.Change, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) (err error) {
		c, err = findUndo(tx, id, f)
		return err
	})
	return c, err
}

func findUndo(tx *ledger.Tx, id string, f Filter) (c ledger.Change, err error) {
	if id == "" {
		if id, err = lastUndoable(tx, f); err != nil {
			return c, err
		}
	}
	c, _, err = findChange(tx, id, f)
	return c, err
}

// Undo undoes a change of FindUndo, all of its records or none, and
// returns it with the number of the change that undid it. It fails with an
// UndoneError, a NewerChangeError or a LostChangeError, and with the errors of
// adding a record. The changes of files are undone by the caller.
func (h History) Undo(ctx context.Context, id string, f Filter) (c ledger.Change, err error) {
	err = h.store.Update(ctx, func(tx *ledger.Tx) error {
		if c, err = findUndo(tx, id, f); err != nil {
			return err
		}
		if c.Moved.ID != 0 {
			return ledger.ErrOtherSpace // UndoMove undoes both parts
		}
		if err := checkUndo(tx, c); err != nil {
			return err
		}
		if err := restore(tx, c); err != nil {
			return err
		}
		if recorder := tx.Changes; recorder != nil {
			recorder.Change.Undoes = c.ID
			if c.UndoneBy, err = recorder.Number(); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// checkUndo reports why a change cannot be undone.
func checkUndo(tx *ledger.Tx, c ledger.Change) error {
	switch {
	case c.UndoneBy != 0:
		return &UndoneError{c.ID, c.UndoneBy}
	case c.Lost:
		return &LostChangeError{c.ID}
	}
	if err := mayUndo(tx, c); err != nil {
		return err
	}
	values, err := currentOf(tx, c)
	if err != nil {
		return err
	}
	later := laterVersions{tx: tx, c: c}
	for i, r := range c.Records {
		if r.Elsewhere || r.Kind == ledger.KindFile { // its service or the caller checks it
			continue
		}
		value := values[i]
		digest := tx.Ledger.Schemas.Of(r.Kind).Digest
		if (value != nil) == r.Exists && (value == nil || digest(value) == r.After) {
			continue
		}
		if same, err := later.equal(r, value); err != nil {
			return err
		} else if !same {
			return NewerChange(tx, c, r)
		}
	}
	return nil
}

// restore gives the records of a change their previous values. It first removes
// all records, so that a name or an index entry may move from one to another.
func restore(tx *ledger.Tx, c ledger.Change) error {
	kind := tx.Ledger.Schemas.Of(c.Records[0].Kind)
	if kind.Restore == nil {
		return nil
	}
	return kind.Restore(tx, c)
}

// CheckUndo reports why a change cannot be undone, like Undo. It leaves out the records
// with an id for which restored returns true.
func (h History) CheckUndo(ctx context.Context, c ledger.Change, restored func(id string) bool) error {
	return h.store.View(ctx, func(tx *ledger.Tx) error {
		whole, err := tx.LoadWholeChange(c.ID)
		if err != nil {
			return err
		}
		whole.UndoneBy = c.UndoneBy
		whole.Records = slices.DeleteFunc(whole.Records, func(r ledger.ChangedRecord) bool { return restored(r.ID) })
		return checkUndo(tx, whole)
	})
}
