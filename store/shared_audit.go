package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"techo/store/kv"
)

// spaceAudit checks the shared spaces: that the names and the entries of the members
// match the records of the spaces.
type spaceAudit struct {
	names       int
	removed     map[uint64]bool
	last        uint64 // the last number that was assigned
	want, found setHash
}

func newSpaceAudit() audit { return new(spaceAudit) }

func (a *spaceAudit) begin() {
	a.want, a.found = newSetHashes()
	a.removed = map[uint64]bool{}
}

func (a *spaceAudit) visit(tx *Tx, key, value []byte) error {
	switch spaceOf(key) {
	case spaceNames:
		a.names++
		a.found.add(key, value)
	case memberships, invitations:
		a.found.add(key, value)
	case spaceNumbers:
		a.last, _ = cutNumber(value)
	case removedSpaces:
		number, ok := cutNumber(rest(key))
		if !ok {
			return finding(UnknownKey, KindSpace, string(key), nil)
		}
		a.removed[number] = true
	case spaceMembers:
		m, err := decodeMembers(value)
		if err != nil {
			return err
		}
		number := tx.within.number
		if number > a.last {
			return finding(WrongCount, KindSpace, m.Name, nil)
		}
		for _, p := range m.entries(number) {
			a.want.add(p.Key, p.Value)
		}
	}
	return nil
}

// entries returns the entries of a space and its members outside of the space.
func (m *spaceRecord) entries(number uint64) []kv.Pair {
	all := []kv.Pair{{Key: spaceNames.key(m.Name), Value: rest(spaceNumbers.number(number))}}
	for user, role := range m.Members {
		all = append(all, kv.Pair{Key: membershipKey(user, m.Name), Value: membershipValue(number, RoleNamed(role))})
	}
	for user, role := range m.Invited {
		all = append(all, kv.Pair{Key: invitationKey(user, m.Name), Value: membershipValue(number, RoleNamed(role))})
	}
	return all
}

func (a *spaceAudit) finish(*Tx) (int, error) {
	if a.want != a.found {
		return 0, finding(WrongIndex, KindSpace, "", nil)
	}
	return a.names, nil
}

// spaceName returns the name of the shared space with a number, in its transaction. A space
// whose record cannot be read gets one from its number.
func spaceName(within *Tx, number uint64) string {
	if m, err := loadMembers(within); err == nil {
		return m.Name
	}
	return fmt.Sprintf("space-%d", number)
}

// repairSpaces repairs the records of the shared spaces, and builds the entries of the
// spaces and their members again. A space without a readable record gets a name with
// its number, and no members.
func repairSpaces(ctx context.Context, s *Ledger) (repairs []Repair, err error) {
	if err := dropRemovedSpaces(ctx, s); err != nil {
		return nil, err
	}
	if err := dropShortKeys(ctx, s); err != nil {
		return nil, err
	}
	numbers, err := spacesWithKeys(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, number := range numbers {
		more, err := repairSpace(ctx, maintained(s, number), number)
		repairs = append(repairs, more...)
		if err != nil {
			return repairs, err
		}
	}
	err = s.update(ctx, func(tx *Tx) error {
		more, err := rebuildSpaces(tx, numbers)
		repairs = append(repairs[:len(repairs):len(repairs)], more...)
		return err
	})
	return repairs, err
}

// repairSpace repairs the records of one shared space.
func repairSpace(ctx context.Context, within *Ledger, number uint64) (repairs []Repair, err error) {
	if repairs, err = dropUnknown(ctx, within); err == nil {
		repairs, err = repairWith(ctx, within, within.schemas.Shared(), repairs)
	}
	if err != nil || len(repairs) == 0 {
		return repairs, err
	}
	err = within.view(ctx, func(tx *Tx) error {
		for i := range repairs {
			repairs[i].Space = spaceName(tx, number)
		}
		return nil
	})
	return repairs, err
}

// dropShortKeys removes keys that belong to no shared space.
func dropShortKeys(ctx context.Context, s *Ledger) error {
	return s.update(ctx, func(tx *Tx) error {
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: sharedRecords.all(), KeysOnly: true, Limit: removedBatch}) {
			if err != nil {
				return err
			}
			if _, _, ok := cutShared(item.Key); !ok {
				drop = append(drop, bytes.Clone(item.Key))
			}
		}
		return deleteKeys(tx, drop)
	})
}

// rebuildSpaces builds the entries of the spaces with some numbers again.
func rebuildSpaces(tx *Tx, numbers []uint64) (repairs []Repair, err error) {
	var drop [][]byte
	last, err := tx.Get(spaceNumbers.all())
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return nil, err
	}
	highest, _ := cutNumber(last)
	err = scanSpaces(tx, []space{spaceNames, memberships, invitations}, func(key, _ []byte) error {
		drop = append(drop, key)
		return nil
	})
	if err == nil {
		err = deleteKeys(tx, drop)
	}
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, number := range numbers {
		within := tx.in(sharedPlace{number: number})
		m, err := loadMembers(within)
		if err != nil || taken[m.Name] {
			repairs = append(repairs, dropped(KindSpace, m.Name, finding(NoRecord, KindSpace, m.Name, err)))
			m = spaceRecord{Name: fmt.Sprintf("space-%d", number), Members: map[string]string{}}
			if err := save(within, spaceMembers.all(), m); err != nil {
				return nil, err
			}
		}
		taken[m.Name] = true
		for _, p := range m.entries(number) {
			if err := tx.Put(p.Key, p.Value); err != nil {
				return nil, err
			}
		}
		highest = max(highest, number)
	}
	if highest == 0 {
		return repairs, nil
	}
	if err := tx.Put(spaceNumbers.all(), rest(spaceNumbers.number(highest))); err != nil {
		return nil, err
	}
	return repairs, nil
}

// spaceSchema describes the keys of shared spaces outside of them.
func spaceSchema() Schema {
	return Schema{Name: "spaces", Prefixes: []space{spaceNames, spaceNumbers, memberships, invitations, removedSpaces},
		Audit: newSpaceAudit, Repair: repairSpaces, Recorded: []Recorded{spaceRecorded()}}
}
