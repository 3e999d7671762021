package store

import (
	"context"
	"encoding/json"
	"slices"

	"techo/store/kv"
)

// WithPurge returns a context whose writes are not recorded in the history, and
// which erase the earlier changes and the receipts of the records that they
// remove or change. The erased values are in the files of the store until it is
// compacted.
func WithPurge(ctx context.Context) context.Context {
	return withWriting(ctx, func(w *writing) { w.purge = &purgeReport{} })
}

// Purge removes a change from the history, together with all other changes of
// its records, which may contain the same values, and the receipts that contain
// its records. It returns the change and the number of removed changes, also in other places.
func (h History) Purge(ctx context.Context, id string, f HistoryFilter) (c Change, removed int, err error) {
	err = h.store.update(ctx, func(tx *Tx) error {
		if c, _, err = findChange(tx, id, f); err != nil {
			return err
		}
		if within := tx.within; within != nil && within.role < AdminRole {
			return &SpaceRoleError{within.name, within.role, AdminRole}
		}
		p := purger{user: writingOf(ctx).origin.By, needs: AdminRole}
		removed, err = p.run(tx, c)
		if report := writingOf(ctx).purge; report != nil {
			report.left = p.left
		}
		return err
	})
	return c, removed, err
}

// purgeRecords removes all changes of the records of a change, and the receipts
// that contain them. It returns the changes.
func purgeRecords(tx *Tx, c Change) (drop []Change, err error) {
	var records []recordID
	var ids []string
	for _, r := range c.Records {
		records = append(records, recordIn(c, r))
		if r.Kind == KindCalendar { // its id is a word that any text may contain
			if err := eraseReceiptsOf(tx, recordIn(c, r)); err != nil {
				return nil, err
			}
			continue
		}
		ids = append(ids, r.ID)
		for _, former := range formerOf(r) {
			records = append(records, recordIn(c, ChangedRecord{Kind: KindMemory, ID: former}))
			ids = append(ids, former)
		}
	}
	if len(records) == 0 {
		return nil, nil
	}
	if err := eraseReceiptsWith(tx, ids); err != nil {
		return nil, err
	}
	if c.Family() == families[KindFile] {
		if err := removeEditsOf(tx, ids); err != nil {
			return nil, err
		}
	}
	err = scanChanges(tx, 0, func(other Change) error {
		if slices.ContainsFunc(other.Records, func(r ChangedRecord) bool {
			return slices.Contains(records, recordIn(other, r))
		}) {
			drop = append(drop, other)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return drop, dropChanges(tx, drop)
}

// formerOf returns the ids of the memories that a memory had superseded before a
// change.
func formerOf(r ChangedRecord) (ids []string) {
	var m memoryRecord
	if r.Kind != KindMemory || r.before == nil || json.Unmarshal(r.before, &m) != nil {
		return nil
	}
	for _, f := range m.Former {
		ids = append(ids, f.ID)
	}
	return ids
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
