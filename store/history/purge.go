package history

import (
	"context"
	"slices"

	"techo/store/ledger"
	"techo/store/space"
)

// Purge removes a change from the history, together with all other changes of
// its records, which may contain the same values, and the receipts that contain
// its records. It returns the change and the number of removed changes, also in other places.
func (h History) Purge(ctx context.Context, id string, f Filter) (c ledger.Change, removed int, err error) {
	err = h.store.Update(ctx, func(tx *ledger.Tx) error {
		if c, _, err = findChange(tx, id, f); err != nil {
			return err
		}
		if within := tx.Within; within != nil && within.Role < ledger.AdminRole {
			return &space.RoleError{Space: within.Name, Has: within.Role, Needs: ledger.AdminRole}
		}
		p := purger{user: ledger.WritingOf(ctx).Origin.By, needs: ledger.AdminRole}
		removed, err = p.run(tx, c)
		if report := ledger.WritingOf(ctx).Purge; report != nil {
			report.Left = p.left
		}
		return err
	})
	return c, removed, err
}

// purgeRecords removes all changes of the records of a change, and the receipts
// that contain them. It returns the changes.
func purgeRecords(tx *ledger.Tx, c ledger.Change) (drop []ledger.Change, err error) {
	kinds := tx.Ledger.Schemas
	var records []ledger.RecordID
	var ids []string
	for _, r := range c.Records {
		kind := kinds.Of(r.Kind)
		records = append(records, recordIn(tx, c, r))
		if r.Kind == ledger.KindCalendar { // its id is a word that any text may contain
			if err := kinds.Erase(tx, recordIn(tx, c, r)); err != nil {
				return nil, err
			}
			continue
		}
		ids = append(ids, r.ID)
		if kind.Mentions == nil || r.Before == nil {
			continue
		}
		for _, other := range kind.Mentions(r.Before) {
			records = append(records, recordIn(tx, c, ledger.ChangedRecord{Kind: r.Kind, ID: other}))
			ids = append(ids, other)
		}
	}
	if len(records) == 0 {
		return nil, nil
	}
	if err := kinds.EraseWith(tx, ids); err != nil {
		return nil, err
	}
	if purged := kinds.Of(c.Records[0].Kind).Purged; purged != nil {
		if err := purged(tx, ids); err != nil {
			return nil, err
		}
	}
	err = scanChanges(tx, 0, func(other ledger.Change) error {
		if slices.ContainsFunc(other.Records, func(r ledger.ChangedRecord) bool {
			return slices.Contains(records, recordIn(tx, other, r))
		}) {
			drop = append(drop, other)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return drop, tx.DropChanges(drop)
}

// Purge removes the records of a change, which the present user may write, from the history of all
// places.
func Purge(tx *ledger.Tx, c ledger.Change) (left bool, err error) {
	p := purger{user: c.By, needs: ledger.WriteRole}
	_, err = p.run(tx, c)
	return p.left, err
}
