package edit

import (
	"errors"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
)

// recorded describes edits of files for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{Kind: ledger.KindFile, Dropped: dropEditOf, Undoable: undoableEdit, Purged: removeEditsOf}
}

// dropEditOf removes the edit that a change records.
func dropEditOf(tx *ledger.Tx, c ledger.Change) error {
	if c.Edit == 0 {
		return nil
	}
	return removeFileEdit(tx, c.Edit-1)
}

// undoableEdit reports whether a change of files may be undone without naming it.
func undoableEdit(tx *ledger.Tx, c ledger.Change) (bool, error) {
	if c.Edit == 0 {
		return c.Undoes == 0, nil
	}
	e, err := table.Load(tx, Key(c.Edit-1))
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && e.mayUndo(), err
}

// removeEditsOf removes all edits of some files, also those that the history does
// not record.
func removeEditsOf(tx *ledger.Tx, paths []string) error {
	var drop []Edit
	for e, err := range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Files, func(f File) bool { return slices.Contains(paths, f.Path) }) {
			drop = append(drop, e)
		}
	}
	for _, e := range drop {
		if err := table.Put(tx, &e, nil); err != nil {
			return err
		}
	}
	return nil
}
