package store

import (
	"context"
	"errors"
)

// UndoMove undoes a change that is part of a move, and the other part with it. other
// is the space of ChangeLink, whose memories belong to otherUser.
func UndoMove(ctx context.Context, s, other *Ledger, id string, f HistoryFilter, otherUser string) (c Change,
	err error) {
	err = updateBoth(ctx, s, other, func(here, there *Tx) error {
		if c, err = findUndo(here, id, f); err != nil {
			return err
		}
		part, _, err := findChange(there, ChangeID(c.Moved.ID), HistoryFilter{Owner: otherUser})
		if isMissing(err) || err == nil && part.Moved != (ChangeLink{s.space, c.ID}) {
			return &LostPartError{c.ID}
		}
		if err != nil {
			return err
		}
		if err := undoHalf(here, c); err != nil {
			return err
		}
		if err := undoHalf(there, part); err != nil {
			if newer := new(NewerChangeError); errors.As(err, &newer) {
				newer.ID = c.ID // the number that the caller knows
			}
			return err
		}
		c.UndoneBy, err = here.changes.number()
		return err
	})
	return c, err
}

// undoHalf undoes the change of one space.
func undoHalf(tx *Tx, c Change) error {
	if err := checkUndo(tx, c); err != nil {
		return err
	}
	tx.changes.change.Undoes = c.ID
	return restore(tx, c)
}
