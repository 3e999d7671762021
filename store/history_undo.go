package store

import (
	"context"
	"slices"
)

// FindUndo returns the change with an id that the filter lets the user see or,
// with the id "", the last change that can be undone: not one that was undone
// already, or that undid another. It fails with a NotFoundError.
func (h History) FindUndo(ctx context.Context, id string, f HistoryFilter) (c Change, err error) {
	err = h.store.view(ctx, func(tx *Tx) (err error) {
		c, err = findUndo(tx, id, f)
		return err
	})
	return c, err
}

func findUndo(tx *Tx, id string, f HistoryFilter) (c Change, err error) {
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
func (h History) Undo(ctx context.Context, id string, f HistoryFilter) (c Change, err error) {
	err = h.store.update(ctx, func(tx *Tx) error {
		if c, err = findUndo(tx, id, f); err != nil {
			return err
		}
		if c.Moved.ID != 0 {
			return errOtherSpace // UndoMove undoes both parts
		}
		if err := checkUndo(tx, c); err != nil {
			return err
		}
		if err := restore(tx, c); err != nil {
			return err
		}
		if recorder := tx.changes; recorder != nil {
			recorder.change.Undoes = c.ID
			if c.UndoneBy, err = recorder.number(); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// checkUndo reports why a change cannot be undone.
func checkUndo(tx *Tx, c Change) error {
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
		if r.Elsewhere || r.Kind == KindFile { // its service or the caller checks it
			continue
		}
		value := values[i]
		digest := tx.ledger.schemas.of(r.Kind).digest
		if (value != nil) == r.Exists && (value == nil || digest(value) == r.after) {
			continue
		}
		if same, err := later.equal(r, value); err != nil {
			return err
		} else if !same {
			return newerChange(tx, c, r)
		}
	}
	return nil
}

// restore gives the records of a change their previous values. It first removes
// all records, so that a name or an index entry may move from one to another.
func restore(tx *Tx, c Change) error {
	kind := tx.ledger.schemas.of(c.Records[0].Kind)
	if kind.Restore == nil {
		return nil
	}
	return kind.Restore(tx, c)
}

// CheckUndo reports why a change cannot be undone, like Undo. It leaves out the records
// with an id for which restored returns true.
func (h History) CheckUndo(ctx context.Context, c Change, restored func(id string) bool) error {
	return h.store.view(ctx, func(tx *Tx) error {
		whole, err := loadWholeChange(tx, c.ID)
		if err != nil {
			return err
		}
		whole.UndoneBy = c.UndoneBy
		whole.Records = slices.DeleteFunc(whole.Records, func(r ChangedRecord) bool { return restored(r.ID) })
		return checkUndo(tx, whole)
	})
}
