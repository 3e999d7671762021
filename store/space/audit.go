package space

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"techo/store/kv"
	"techo/store/ledger"
)

// Audit checks the shared spaces: that the names and the entries of the members
// match the records of the spaces.
type Audit struct {
	names       int
	Removed     map[uint64]bool
	last        uint64 // the last number that was assigned
	want, found ledger.SetHash
}

func newAudit() ledger.Audit { return new(Audit) }

func (a *Audit) Begin() {
	a.want, a.found = ledger.NewSetHashes()
	a.Removed = map[uint64]bool{}
}

func (a *Audit) Visit(tx *ledger.Tx, key, value []byte) error {
	switch ledger.PrefixOf(key) {
	case byName:
		a.names++
		a.found.Add(key, value)
	case memberships, invitations:
		a.found.Add(key, value)
	case lastNumber:
		a.last, _ = ledger.CutNumber(value)
	case removedOnes:
		number, ok := ledger.CutNumber(ledger.Rest(key))
		if !ok {
			return ledger.Finding(ledger.UnknownKey, ledger.KindSpace, string(key), nil)
		}
		a.Removed[number] = true
	case ledger.SpaceMembers:
		m, err := decodeMembers(value)
		if err != nil {
			return err
		}
		number := tx.Within.Number
		if number > a.last {
			return ledger.Finding(ledger.WrongCount, ledger.KindSpace, m.Name, nil)
		}
		for _, p := range m.entries(number) {
			a.want.Add(p.Key, p.Value)
		}
	}
	return nil
}

// entries returns the entries of a space and its members outside of the space.
func (m *Record) entries(number uint64) []kv.Pair {
	all := []kv.Pair{{Key: byName.Key(m.Name), Value: ledger.Rest(lastNumber.Number(number))}}
	for user, role := range m.Members {
		all = append(all, kv.Pair{Key: membershipKey(user, m.Name),
			Value: membershipValue(number, ledger.RoleNamed(role))})
	}
	for user, role := range m.Invited {
		all = append(all, kv.Pair{Key: invitationKey(user, m.Name),
			Value: membershipValue(number, ledger.RoleNamed(role))})
	}
	return all
}

func (a *Audit) Finish(*ledger.Tx) (int, error) {
	if a.want != a.found {
		return 0, ledger.Finding(ledger.WrongIndex, ledger.KindSpace, "", nil)
	}
	return a.names, nil
}

// NameOf returns the name of the shared space with a number, in its transaction. A space
// whose record cannot be read gets one from its number.
func NameOf(within *ledger.Tx, number uint64) string {
	if m, err := loadMembers(within); err == nil {
		return m.Name
	}
	return fmt.Sprintf("space-%d", number)
}

// repair repairs the records of the shared spaces, and builds the entries of the
// spaces and their members again. A space without a readable record gets a name with
// its number, and no members.
func repair(ctx context.Context, s *ledger.Ledger) (repairs []ledger.Repair, err error) {
	if err := DropRemovedSpaces(ctx, s); err != nil {
		return nil, err
	}
	if err := dropShortKeys(ctx, s); err != nil {
		return nil, err
	}
	numbers, err := s.SpacesWithKeys(ctx)
	if err != nil {
		return nil, err
	}
	for _, number := range numbers {
		more, err := repairSpace(ctx, s.Maintained(number), number)
		repairs = append(repairs, more...)
		if err != nil {
			return repairs, err
		}
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		more, err := rebuildSpaces(tx, numbers)
		repairs = append(repairs[:len(repairs):len(repairs)], more...)
		return err
	})
	return repairs, err
}

func repairSpace(ctx context.Context, within *ledger.Ledger, number uint64) (repairs []ledger.Repair, err error) {
	if repairs, err = within.DropUnknown(ctx); err == nil {
		repairs, err = within.RepairWith(ctx, within.Schemas.Shared(), repairs)
	}
	if err != nil || len(repairs) == 0 {
		return repairs, err
	}
	err = within.View(ctx, func(tx *ledger.Tx) error {
		for i := range repairs {
			repairs[i].Space = NameOf(tx, number)
		}
		return nil
	})
	return repairs, err
}

// dropShortKeys removes keys that belong to no shared space.
func dropShortKeys(ctx context.Context, s *ledger.Ledger) error {
	return s.Update(ctx, func(tx *ledger.Tx) error {
		var drop [][]byte
		for item, err := range tx.Scan(kv.Range{Prefix: ledger.SharedRecords.All(), KeysOnly: true,
			Limit: removedBatch}) {
			if err != nil {
				return err
			}
			if _, _, ok := ledger.CutShared(item.Key); !ok {
				drop = append(drop, bytes.Clone(item.Key))
			}
		}
		return tx.DeleteKeys(drop)
	})
}

// rebuildSpaces builds the entries of the spaces with some numbers again.
func rebuildSpaces(tx *ledger.Tx, numbers []uint64) (repairs []ledger.Repair, err error) {
	var drop [][]byte
	last, err := tx.Get(lastNumber.All())
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return nil, err
	}
	highest, _ := ledger.CutNumber(last)
	err = tx.ScanPrefixes([]ledger.Prefix{byName, memberships, invitations}, func(key, _ []byte) error {
		drop = append(drop, key)
		return nil
	})
	if err == nil {
		err = tx.DeleteKeys(drop)
	}
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for _, number := range numbers {
		within := tx.In(ledger.Place{Number: number})
		m, err := loadMembers(within)
		if err != nil || taken[m.Name] {
			repairs = append(repairs, ledger.DroppedRecord(ledger.KindSpace, m.Name,
				ledger.Finding(ledger.NoRecord, ledger.KindSpace, m.Name, err)))
			m = Record{Name: fmt.Sprintf("space-%d", number), Members: map[string]string{}}
			if err := ledger.Save(within, ledger.SpaceMembers.All(), m); err != nil {
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
	if err := tx.Put(lastNumber.All(), ledger.Rest(lastNumber.Number(highest))); err != nil {
		return nil, err
	}
	return repairs, nil
}

// Schema describes the keys of shared spaces outside of them.
func Schema() ledger.Schema {
	return ledger.Schema{Name: "spaces", Prefixes: []ledger.Prefix{byName, lastNumber, memberships, invitations,
		removedOnes},
		Audit: newAudit, Repair: repair, Recorded: []ledger.Recorded{recorded()}}
}

// recorded describes the members of a shared space for the history.
func recorded() ledger.Recorded {
	return ledger.Recorded{
		Kind: ledger.KindSpace, Prefixes: []ledger.Prefix{ledger.SpaceMembers},
		ID: func([]byte) (string, bool) { return "members", true },
		Current: func(tx *ledger.Tx, _ string, ids []string) ([][]byte, error) {
			return tx.GetMany(ledger.KeysOfIDs(ids, func(string) []byte { return ledger.SpaceMembers.All() }))
		},
		Describe: describe, Restore: restore,
	}
}

func describe(_ *ledger.Tx, id string, value []byte) (title, text string, err error) {
	r, err := decodeMembers(value)
	if err != nil {
		return "", "", err
	}
	d := ledger.Describing(ledger.KindSpace, id)
	d.Field("name", r.Name)
	for _, m := range r.shared(ledger.NoRole).Members {
		d.Field("member", m.User+" ("+m.Role.String()+")")
	}
	for _, m := range r.shared(ledger.NoRole).Invited {
		d.Field("invited", m.User+" ("+m.Role.String()+")")
	}
	return r.Name, d.String(), nil
}
