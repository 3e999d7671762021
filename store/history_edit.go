package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// # Edits of files in the history
//
// A change of files refers to its FileEdit, which has the undo data. An undo is a
// FileEdit itself. It is recorded before it is made, and its change counts as an
// undo when it is finished.

// recordFileEdit records an edit in the history and returns the number of the
// change, 0 without a history.
func recordFileEdit(tx *Tx, e *FileEdit) (uint64, error) {
	c := tx.changes
	if c == nil {
		return 0, nil
	}
	for _, f := range e.Files {
		c.outside = append(c.outside,
			ChangedRecord{Kind: KindFile, ID: f.Path, Existed: f.Before != "", Exists: f.After != ""})
	}
	c.change.Edit, c.change.Lost, c.change.Undoes = e.ID+1, e.Lost, e.Undoes
	return c.number()
}

// mayUndo reports whether the edit is no undo.
func (e *FileEdit) mayUndo() bool { return e.Undoes == 0 || e.Redo }

// ForgetEdit removes an edit that was not made.
func (h History) ForgetEdit(ctx context.Context, e FileEdit) error {
	return h.store.update(ctx, func(tx *Tx) error {
		if err := removeFileEdit(tx, e.ID); err != nil || e.Change == 0 {
			return err
		}
		return removeChange(tx, e.Change)
	})
}

// FinishUndo removes an edit that was undone by another one, and marks its
// change as undone, or removes it if the history does not record the other one.
func (h History) FinishUndo(ctx context.Context, undone, by FileEdit) error {
	return h.store.update(ctx, func(tx *Tx) error {
		if err := removeFileEdit(tx, undone.ID); err != nil || undone.Change == 0 {
			return err
		}
		if by.Change == 0 { // the history records no changes
			return forgetUndone(tx, undone.Change)
		}
		return markUndone(tx, undone.Change, by.Change)
	})
}

// EditOf returns the edit that a change records, with its undo data. It fails
// with a NewerChangeError or a LostChangeError if that is gone.
func (h History) EditOf(ctx context.Context, c Change) (e FileEdit, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		e, err = FileEdit{}, error(kv.ErrNotFound)
		if c.Edit != 0 {
			e, err = loadFileEdit(tx, c.Edit-1)
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
func lostFileEdit(tx *Tx, c Change) error {
	for _, r := range c.Records {
		err := newerChange(tx, c, r)
		if newer := new(NewerChangeError); !errors.As(err, &newer) || newer.Newer != 0 {
			return err
		}
	}
	return &LostChangeError{c.ID}
}

// NewerChange returns the error for a change of a file that changed since.
func (h History) NewerChange(ctx context.Context, c Change, path string) (newer error) {
	err := h.store.view(ctx, func(tx *Tx) error {
		newer = newerChange(tx, c, ChangedRecord{Kind: KindFile, ID: path})
		return nil
	})
	if err != nil {
		return err
	}
	return newer
}
