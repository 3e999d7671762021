package history

import (
	"context"
	"errors"

	"techo/store/ledger"
)

// UndoMove undoes a change that is part of a move, and the other part with it. other
// is the space of ChangeLink, whose memories belong to otherUser.
func UndoMove(ctx context.Context, s, other *ledger.Ledger, id string, f Filter, otherUser string) (c ledger.Change,
	err error) {
	err = ledger.UpdateBoth(ctx, s, other, func(here, there *ledger.Tx) error {
		if c, err = findUndo(here, id, f); err != nil {
			return err
		}
		part, _, err := findChange(there, ledger.ChangeID(c.Moved.ID), Filter{Owner: otherUser})
		if ledger.IsMissing(err) || err == nil && part.Moved != (ledger.ChangeLink{Space: s.Space, ID: c.ID}) {
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
		c.UndoneBy, err = here.Changes.Number()
		return err
	})
	return c, err
}

// undoHalf undoes the change of one space.
func undoHalf(tx *ledger.Tx, c ledger.Change) error {
	if err := checkUndo(tx, c); err != nil {
		return err
	}
	tx.Changes.Change.Undoes = c.ID
	return restore(tx, c)
}
