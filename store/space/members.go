package space

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// Record is the record of a shared space, within the space.
type Record struct {
	Name    string            `json:"name"`
	Created int64             `json:"created"`           // milliseconds since 1970
	Members map[string]string `json:"members"`           // role by user
	Invited map[string]string `json:"invited,omitempty"` // likewise, of users who have not accepted
}

// shared describes the space to a user with a role.
func (m *Record) shared(role ledger.Role) Shared {
	sp := Shared{Name: m.Name, Role: role, CreatedAt: time.UnixMilli(m.Created)}
	sp.Members, sp.Invited = membersOf(m.Members), membersOf(m.Invited)
	return sp
}

// membersOf returns users with their roles, by name.
func membersOf(roles map[string]string) (all []Member) {
	for user, role := range roles {
		all = append(all, Member{user, ledger.RoleNamed(role)})
	}
	sorting.By(all, func(a, b Member) int { return strings.Compare(a.User, b.User) })
	return all
}

// membershipValue is the value of a membership: the number of the space and a byte
// with the role.
func membershipValue(number uint64, role ledger.Role) []byte {
	return append(ledger.Rest(lastNumber.Number(number)), byte(role))
}

// cutMembership reads a value of membershipValue, or the number of a space alone.
func cutMembership(value []byte) (number uint64, role ledger.Role, ok bool) {
	number, ok = ledger.CutNumber(value)
	switch {
	case !ok || number == 0 || len(value) > 9:
		return 0, ledger.NoRole, false
	case len(value) == 8:
		return number, ledger.NoRole, true
	}
	role = ledger.Role(value[8])
	return number, role, role > ledger.NoRole && role <= ledger.AdminRole
}

// loadMembers loads the record of a space in its transaction.
func loadMembers(tx *ledger.Tx) (m Record, err error) {
	value, err := tx.Get(ledger.SpaceMembers.All())
	if errors.Is(err, kv.ErrNotFound) {
		return m, ledger.Finding(ledger.NoRecord, ledger.KindSpace, "", nil)
	}
	if err != nil {
		return m, err
	}
	return decodeMembers(value)
}

// decodeMembers decodes the record of a space.
func decodeMembers(value []byte) (m Record, err error) {
	if err := json.Unmarshal(value, &m); err != nil {
		return m, ledger.Finding(ledger.Unreadable, ledger.KindSpace, "", err)
	}
	if name, err := NormalName(m.Name); err != nil || name != m.Name {
		return m, ledger.Finding(ledger.Unreadable, ledger.KindSpace, m.Name, err)
	}
	for _, roles := range []map[string]string{m.Members, m.Invited} {
		for user, role := range roles {
			if name, err := memberName(user); err != nil || name != user || ledger.RoleNamed(role) == ledger.NoRole {
				return m, ledger.Finding(ledger.Unreadable, ledger.KindSpace, m.Name, err)
			}
		}
	}
	return m, nil
}

// changeMembers writes the members of a space in a transaction of the store, with a
// change in the history of the space.
func changeMembers(ctx context.Context, s *ledger.Ledger, tx *ledger.Tx, number uint64, m Record) error {
	within := tx.In(ledger.Place{Number: number})
	return s.Record(ctx, within, func(tx *ledger.Tx) error { return putMembers(tx, m) })
}

// putMembers writes the members of a space in its transaction, and the entries of the
// members outside of it.
func putMembers(tx *ledger.Tx, m Record) error {
	if tx.Within == nil {
		return ledger.ErrNoSpace
	}
	root := tx.Root()
	before, err := loadMembers(tx)
	if err != nil && !ledger.IsFinding(err, ledger.NoRecord) {
		return err
	}
	entries := []struct {
		key           func(user, name string) []byte
		before, after map[string]string
	}{{membershipKey, before.Members, m.Members}, {invitationKey, before.Invited, m.Invited}}
	for _, e := range entries {
		for user := range e.before {
			if e.after[user] == "" {
				if err := root.Delete(e.key(user, m.Name)); err != nil {
					return err
				}
			}
		}
		for user, role := range e.after {
			if e.before[user] == role {
				continue
			}
			if err := root.Put(e.key(user, m.Name), membershipValue(tx.Within.Number,
				ledger.RoleNamed(role))); err != nil {
				return err
			}
		}
	}
	return ledger.Save(tx, ledger.SpaceMembers.All(), m)
}

// restore gives a space the members that it had before a change.
func restore(tx *ledger.Tx, c ledger.Change) error {
	within := tx.Within
	if within == nil {
		return ledger.ErrNoSpace
	}
	if within.Role < ledger.AdminRole {
		return &RoleError{within.Name, within.Role, ledger.AdminRole}
	}
	for _, one := range c.Records {
		if !one.Existed { // the creation of the space; removing it is a command of its own
			return &CreatedError{c.ID, within.Name}
		}
		m, err := decodeMembers(one.Before)
		if err != nil {
			return err
		}
		now, err := loadMembers(tx)
		if err != nil {
			return err
		}
		for user := range m.Members { // who left must agree to come back
			if now.Members[user] == "" && user != norm.NFC.String(within.User) {
				m.invite(user, ledger.RoleNamed(m.Members[user]))
			}
		}
		if err := m.check(); err != nil {
			return err
		}
		if err := putMembers(tx, m); err != nil {
			return err
		}
	}
	return nil
}
