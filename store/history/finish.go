package history

import (
	"context"

	"techo/store/ledger"
)

// FinishUndoElsewhere marks a change at a service as undone when its undo, which had been
// cut off, had nothing left to do. It fails with a NewerChangeError if there was no such
// undo: then another program restored the records.
func (h History) FinishUndoElsewhere(ctx context.Context, c ledger.Change) error {
	return h.store.Update(ledger.WithoutHistory(ctx), func(tx *ledger.Tx) error {
		by := uint64(0)
		err := scanChanges(tx, c.ID, func(newer ledger.Change) error {
			if newer.Undoes == c.ID && newer.UndoneBy == 0 {
				by = newer.ID
				return ledger.ErrStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if by == 0 {
			return NewerChange(tx, c, c.Records[0])
		}
		return tx.MarkUndone(c.ID, by)
	})
}

// NewerChange returns the error for a change of a file that changed since.
func (h History) NewerChange(ctx context.Context, c ledger.Change, path string) (newer error) {
	err := h.store.View(ctx, func(tx *ledger.Tx) error {
		newer = NewerChange(tx, c, ledger.ChangedRecord{Kind: ledger.KindFile, ID: path})
		return nil
	})
	if err != nil {
		return err
	}
	return newer
}
