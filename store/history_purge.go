package store

import (
	"context"
	"slices"
)

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
	kinds := tx.ledger.schemas
	var records []recordID
	var ids []string
	for _, r := range c.Records {
		kind := kinds.of(r.Kind)
		records = append(records, recordIn(tx, c, r))
		if r.Kind == KindCalendar { // its id is a word that any text may contain
			if err := kinds.Erase(tx, recordIn(tx, c, r)); err != nil {
				return nil, err
			}
			continue
		}
		ids = append(ids, r.ID)
		if kind.Mentions == nil || r.before == nil {
			continue
		}
		for _, other := range kind.Mentions(r.before) {
			records = append(records, recordIn(tx, c, ChangedRecord{Kind: r.Kind, ID: other}))
			ids = append(ids, other)
		}
	}
	if len(records) == 0 {
		return nil, nil
	}
	if err := kinds.EraseWith(tx, ids); err != nil {
		return nil, err
	}
	if purged := kinds.of(c.Records[0].Kind).Purged; purged != nil {
		if err := purged(tx, ids); err != nil {
			return nil, err
		}
	}
	err = scanChanges(tx, 0, func(other Change) error {
		if slices.ContainsFunc(other.Records, func(r ChangedRecord) bool {
			return slices.Contains(records, recordIn(tx, other, r))
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

// purge removes the records of a change, which the present user may write, from the history of all
// places.
func purge(tx *Tx, c Change) (left bool, err error) {
	p := purger{user: c.By, needs: WriteRole}
	_, err = p.run(tx, c)
	return p.left, err
}
