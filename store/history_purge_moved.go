package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"techo/store/kv"
)

// # Purges of records that moved
//
// The values that a record had before a move are in the history of the place where it was. A
// purge follows the links of the moves to all places that the user may change.

// purgeReport is the outcome of a purge.
type purgeReport struct{ left bool }

// PurgeLeft reports whether a purge with this context has left earlier values in the history
// of a place that the user may not change.
func PurgeLeft(ctx context.Context) bool {
	report := writingOf(ctx).purge
	return report != nil && report.left
}

// purger removes records from the histories of several places in one transaction.
type purger struct {
	user  string
	needs Role            // in another space
	seen  map[string]bool // names of spaces, "" for the store itself
	left  bool            // changes remain in another place
}

// run removes all changes of the records of a change, and the receipts that contain the
// records. It returns the number of the changes.
func (p *purger) run(tx *Tx, c Change) (removed int, err error) {
	space := tx.spaceName()
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[space] = true
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
func (p *purger) follow(tx *Tx, space string, parts []uint64, c Change) (removed int, err error) {
	place, may, err := p.enter(tx.root(), space)
	if err != nil || place == nil {
		return 0, err
	}
	there := Change{}
	for _, id := range parts {
		part, err := loadWholeChange(place, id)
		if errors.Is(err, kv.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		there.Owner = part.Owner
		for _, r := range part.Records {
			if slices.ContainsFunc(c.Records, func(o ChangedRecord) bool { return o.Kind == r.Kind && o.ID == r.ID }) {
				there.Records = append(there.Records, r)
			}
		}
	}
	switch {
	case len(there.Records) == 0:
		return 0, nil
	case !may, space == "" && there.Owner != "" && !SameUser(there.Owner, p.user):
		p.left = true
		return 0, nil
	}
	return p.run(place, there)
}

// enter returns a transaction of another place, nil if it was removed, and whether the user
// may change it.
func (p *purger) enter(tx *Tx, space string) (place *Tx, may bool, err error) {
	if space == "" {
		return tx, true, nil
	}
	number, role, err := Acting{User: p.user}.enter(tx, space)
	if errors.As(err, new(*NoSpaceError)) {
		number, _, err = Acting{User: p.user, Owner: true}.enter(tx, space)
	}
	if errors.As(err, new(*NoSpaceError)) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return tx.in(sharedPlace{number: number, name: space, user: p.user, role: role}),
		role >= p.needs, nil
}
