package store

import (
	"errors"
	"slices"

	"techo/store/kv"
)

// editRecorded describes edits of files for the history.
func editRecorded() Recorded {
	return Recorded{Kind: KindFile, Dropped: dropEditOf, Undoable: undoableEdit, Purged: removeEditsOf}
}

// dropEditOf removes the edit that a change records.
func dropEditOf(tx *Tx, c Change) error {
	if c.Edit == 0 {
		return nil
	}
	return removeFileEdit(tx, c.Edit-1)
}

// undoableEdit reports whether a change of files may be undone without naming it.
func undoableEdit(tx *Tx, c Change) (bool, error) {
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
func removeEditsOf(tx *Tx, paths []string) error {
	var drop []uint64
	for item, err := range tx.Scan(kv.Range{Prefix: editRecords.all()}) {
		if err != nil {
			return err
		}
		id, _ := cutNumber(rest(item.Key))
		e, err := loadFileEdit(tx, id)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.Files, func(f EditedFile) bool { return slices.Contains(paths, f.Path) }) {
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

var editPrefixes = []space{editRecords, editUndoData, editCountKey}

// editSchema describes the keys of edits of files.
func editSchema() Schema {
	return Schema{Name: "edits", Prefixes: editPrefixes, Audit: newEditAudit, Repair: repairEdits,
		Recorded: []Recorded{editRecorded()}}
}
