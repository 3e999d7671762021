package store

import "context"

// FinishUndoElsewhere marks a change at a service as undone when its undo, which had been
// cut off, had nothing left to do. It fails with a NewerChangeError if there was no such
// undo: then another program restored the records.
func (h History) FinishUndoElsewhere(ctx context.Context, c Change) error {
	return h.store.update(withoutHistory(ctx), func(tx *Tx) error {
		by := uint64(0)
		err := scanChanges(tx, c.ID, func(newer Change) error {
			if newer.Undoes == c.ID && newer.UndoneBy == 0 {
				by = newer.ID
				return errStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if by == 0 {
			return newerChange(tx, c, c.Records[0])
		}
		return markUndone(tx, c.ID, by)
	})
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
