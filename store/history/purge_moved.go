package history

import (
	"errors"
	"maps"
	"slices"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/space"
)

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
