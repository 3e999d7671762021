package edit

import (
	"context"
	"errors"

	"techo/store/history"
	"techo/store/kv"
	"techo/store/ledger"
)

// # Edits of files in the history
//
// A change of files refers to its FileEdit, which has the undo data. An undo is a
// FileEdit itself. It is recorded before it is made, and its change counts as an
// undo when it is finished.

// recordFileEdit records an edit in the history and returns the number of the
// change, 0 without a history.
func recordFileEdit(tx *ledger.Tx, e *Edit) (uint64, error) {
	c := tx.Changes
	if c == nil {
		return 0, nil
	}
	for _, f := range e.Files {
		c.Outside = append(c.Outside,
			ledger.ChangedRecord{Kind: ledger.KindFile, ID: f.Path, Existed: f.Before != "", Exists: f.After != ""})
	}
	c.Change.Edit, c.Change.Lost, c.Change.Undoes = e.ID+1, e.Lost, e.Undoes
	return c.Number()
}

// mayUndo reports whether the edit is no undo.
func (e *Edit) mayUndo() bool { return e.Undoes == 0 || e.Redo }

// Forget removes an edit that was not made.
func Forget(ctx context.Context, l *ledger.Ledger, e Edit) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		if err := removeFileEdit(tx, e.ID); err != nil || e.Change == 0 {
			return err
		}
		return tx.RemoveChange(e.Change)
	})
}

// FinishUndo removes an edit that was undone by another one, and marks its
// change as undone, or removes it if the history does not record the other one.
func FinishUndo(ctx context.Context, l *ledger.Ledger, undone, by Edit) error {
	return l.Update(ctx, func(tx *ledger.Tx) error {
		if err := removeFileEdit(tx, undone.ID); err != nil || undone.Change == 0 {
			return err
		}
		if by.Change == 0 { // the history records no changes
			return tx.ForgetUndone(undone.Change)
		}
		return tx.MarkUndone(undone.Change, by.Change)
	})
}

// Of returns the edit that a change records, with its undo data. It fails
// with a NewerChangeError or a LostChangeError if that is gone.
func Of(ctx context.Context, l *ledger.Ledger, c ledger.Change) (e Edit, err error) {
	err = l.View(ctx, func(tx *ledger.Tx) error {
		e, err = Edit{}, error(kv.ErrNotFound)
		if c.Edit != 0 {
			e, err = table.Load(tx, Key(c.Edit-1))
		}
		if errors.Is(err, kv.ErrNotFound) {
			return lostFileEdit(tx, c)
		}
		if err != nil {
			return err
		}
		return e.loadUndoData(tx)
	})
	return e, err
}

// lostFileEdit returns the error for a change of files without undo data.
func lostFileEdit(tx *ledger.Tx, c ledger.Change) error {
	for _, r := range c.Records {
		err := history.NewerChange(tx, c, r)
		if newer := new(history.NewerChangeError); !errors.As(err, &newer) || newer.Newer != 0 {
			return err
		}
	}
	return &history.LostChangeError{ID: c.ID}
}
