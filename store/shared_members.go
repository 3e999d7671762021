package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// spaceRecord is the record of a shared space, within the space.
type spaceRecord struct {
	Name    string            `json:"name"`
	Created int64             `json:"created"`           // milliseconds since 1970
	Members map[string]string `json:"members"`           // role by user
	Invited map[string]string `json:"invited,omitempty"` // likewise, of users who have not accepted
}

// shared describes the space to a user with a role.
func (m *spaceRecord) shared(role Role) SharedSpace {
	sp := SharedSpace{Name: m.Name, Role: role, CreatedAt: time.UnixMilli(m.Created)}
	sp.Members, sp.Invited = membersOf(m.Members), membersOf(m.Invited)
	return sp
}

// membersOf returns users with their roles, by name.
func membersOf(roles map[string]string) (all []SpaceMember) {
	for user, role := range roles {
		all = append(all, SpaceMember{user, RoleNamed(role)})
	}
	slices.SortFunc(all, func(a, b SpaceMember) int { return strings.Compare(a.User, b.User) })
	return all
}

// membershipValue is the value of a membership: the number of the space and a byte
// with the role.
func membershipValue(number uint64, role Role) []byte {
	return append(rest(spaceNumbers.number(number)), byte(role))
}

// cutMembership reads a value of membershipValue, or the number of a space alone.
func cutMembership(value []byte) (number uint64, role Role, ok bool) {
	number, ok = cutNumber(value)
	switch {
	case !ok || number == 0 || len(value) > 9:
		return 0, NoRole, false
	case len(value) == 8:
		return number, NoRole, true
	}
	role = Role(value[8])
	return number, role, role > NoRole && role <= AdminRole
}

// loadMembers loads the record of a space in its transaction.
func loadMembers(tx *Tx) (m spaceRecord, err error) {
	value, err := tx.Get(spaceMembers.all())
	if errors.Is(err, kv.ErrNotFound) {
		return m, finding(NoRecord, KindSpace, "", nil)
	}
	if err != nil {
		return m, err
	}
	return decodeMembers(value)
}

// decodeMembers decodes the record of a space.
func decodeMembers(value []byte) (m spaceRecord, err error) {
	if err := json.Unmarshal(value, &m); err != nil {
		return m, finding(Unreadable, KindSpace, "", err)
	}
	if name, err := SpaceName(m.Name); err != nil || name != m.Name {
		return m, finding(Unreadable, KindSpace, m.Name, err)
	}
	for _, roles := range []map[string]string{m.Members, m.Invited} {
		for user, role := range roles {
			if name, err := memberName(user); err != nil || name != user || RoleNamed(role) == NoRole {
				return m, finding(Unreadable, KindSpace, m.Name, err)
			}
		}
	}
	return m, nil
}

// changeMembers writes the members of a space in a transaction of the store, with a
// change in the history of the space.
func changeMembers(ctx context.Context, s *Store, tx *Tx, number uint64, m spaceRecord) error {
	within := tx.in(sharedPlace{number: number})
	return recorded(ctx, s, within, func(tx *Tx) error { return putMembers(tx, m) })
}

// putMembers writes the members of a space in its transaction, and the entries of the
// members outside of it.
func putMembers(tx *Tx, m spaceRecord) error {
	if tx.within == nil {
		return errNoSpace
	}
	root := tx.root()
	before, err := loadMembers(tx)
	if err != nil && !isFinding(err, NoRecord) {
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
			if err := root.Put(e.key(user, m.Name), membershipValue(tx.within.number, RoleNamed(role))); err != nil {
				return err
			}
		}
	}
	return save(tx, spaceMembers.all(), m)
}

// isFinding reports whether an error is a finding for a reason.
func isFinding(err error, code FindingCode) bool {
	f := new(FindingError)
	return errors.As(err, &f) && f.Code == code
}

// restoreSpace gives a space the members that it had before a change.
func (r *restoring) restoreSpace(c Change) error {
	within := r.tx.within
	if within == nil {
		return errNoSpace
	}
	if within.role < AdminRole {
		return &SpaceRoleError{within.name, within.role, AdminRole}
	}
	for _, one := range c.Records {
		if !one.Existed { // the creation of the space; removing it is a command of its own
			return &SpaceCreatedError{c.ID, within.name}
		}
		m, err := decodeMembers(one.before)
		if err != nil {
			return err
		}
		now, err := loadMembers(r.tx)
		if err != nil {
			return err
		}
		for user := range m.Members { // who left must agree to come back
			if now.Members[user] == "" && user != norm.NFC.String(within.user) {
				m.invite(user, RoleNamed(m.Members[user]))
			}
		}
		if err := m.check(); err != nil {
			return err
		}
		if err := putMembers(r.tx, m); err != nil {
			return err
		}
	}
	return nil
}
