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
	e, err := loadFileEdit(tx, c.Edit-1)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && e.mayUndo(), err
}

// removeEditsOf removes all edits of some files, also those that the history does
// not record.
func removeEditsOf(tx *ledger.Tx, paths []string) error {
	var drop []uint64
	for item, err := range tx.Scan(kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		id, _ := ledger.CutNumber(ledger.Rest(item.Key))
		e, err := loadFileEdit(tx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Files, func(f File) bool { return slices.Contains(paths, f.Path) }) {
			drop = append(drop, id)
		}
	}
	for _, id := range drop {
		if err := removeFileEdit(tx, id); err != nil {
			return err
		}
	}
	return nil
}

var prefixes = []ledger.Prefix{Records, UndoData, CountKey}

// Schema describes the keys of edits of files.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "edits", Prefixes: prefixes, Audit: newAudit, Repair: Repair,
		Recorded: []ledger.Recorded{recorded()}}
}
