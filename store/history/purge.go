package history

import (
	"context"
	"errors"
	"maps"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/space"
)

// Purge removes a change from the history, together with all other changes of
// its records, which may contain the same values, and the receipts that contain
// its records. It returns the change and the number of removed changes, also in other places.
func (h History) Purge(ctx context.Context, id string, f Filter) (c ledger.Change, removed int, err error) {
	err = h.store.Update(ctx, func(tx *ledger.Tx) error {
		if c, err = findChange(tx, id, f); err != nil {
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
	guarded := func(r ledger.ChangedRecord) bool { return r.Kind == ledger.KindGuarded }
	if slices.ContainsFunc(c.Records, guarded) { // a note: others about the same matter are acts of their own
		drop = []ledger.Change{c}
		return drop, tx.DropChanges(drop)
	}
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
		if slices.ContainsFunc(records, func(id ledger.RecordID) bool { return changes(&other, tx, id) }) {
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

// # Purges of records that moved
//
// The values that a record had before a move are in the history of the place where it was. A
// purge follows the links of the moves to all places that the user may change.

// purger removes records from the histories of several places in one transaction.
type purger struct {
	user  string
	needs ledger.Role     // in another space
	seen  map[string]bool // names of spaces, "" for the store itself
	left  bool            // changes remain in another place
}

// run removes all changes of the records of a change, and the receipts that contain the
// records. It returns the number of the changes.
func (p *purger) run(tx *ledger.Tx, c ledger.Change) (removed int, err error) {
	here := tx.SpaceName()
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[here] = true
	if purged := tx.Ledger.Schemas.Purged; purged != nil {
		if err := purged(tx, c); err != nil {
			return 0, err
		}
	}
	dropped, err := purgeRecords(tx, c)
	if err != nil {
		return 0, err
	}
	links := map[string][]uint64{}
	for _, d := range dropped {
		if d.Moved.ID != 0 {
			links[d.Moved.Space] = append(links[d.Moved.Space], d.Moved.ID)
		}
	}
	removed = len(dropped)
	for _, other := range slices.Sorted(maps.Keys(links)) {
		if p.seen[other] {
			continue
		}
		n, err := p.follow(tx, other, links[other], c)
		if err != nil {
			return 0, err
		}
		removed += n
	}
	return removed, nil
}

// follow goes on in another place, which has the other parts of moves.
func (p *purger) follow(tx *ledger.Tx, name string, parts []uint64, c ledger.Change) (removed int, err error) {
	place, may, err := p.enter(tx.Root(), name)
	if err != nil || place == nil {
		return 0, err
	}
	there := ledger.Change{}
	for _, id := range parts {
		part, err := place.LoadWholeChange(id)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		there.Owner = part.Owner
		for _, r := range part.Records {
			if slices.ContainsFunc(c.Records, func(o ledger.ChangedRecord) bool {
				return o.Kind == r.Kind &&
					o.ID == r.ID
			}) {
				there.Records = append(there.Records, r)
			}
		}
	}
	switch {
	case len(there.Records) == 0:
		return 0, nil
	case !may, name == "" && there.Owner != "" && !ledger.SameUser(there.Owner, p.user):
		p.left = true
		return 0, nil
	}
	return p.run(place, there)
}

// enter returns a transaction of another place, nil if it was removed, and whether the user
// may change it.
func (p *purger) enter(tx *ledger.Tx, name string) (place *ledger.Tx, may bool, err error) {
	if name == "" {
		return tx, true, nil
	}
	number, role, err := space.Acting{User: p.user}.Enter(tx, name)
	if errors.As(err, new(*space.NoSpaceError)) {
		number, _, err = space.Acting{User: p.user, Owner: true}.Enter(tx, name)
	}
	if errors.As(err, new(*space.NoSpaceError)) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return tx.In(ledger.Place{Number: number, Name: name, User: p.user, Role: role}),
		role >= p.needs, nil
}
