package space

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// The prefixes of the keys of shared spaces.
const (
	byName      ledger.Prefix = "xn"
	lastNumber  ledger.Prefix = "xc"
	memberships ledger.Prefix = "xu"
	invitations ledger.Prefix = "xi"
	removedOnes ledger.Prefix = "xd"
)

// membershipKey is the key of a membership; with name "" it is the prefix of all
// memberships of a user.
func membershipKey(user, name string) []byte { return append(memberships.Named(user), name...) }

func invitationKey(user, name string) []byte { return append(invitations.Named(user), name...) }

func removedSpaceKey(number uint64) []byte { return removedOnes.Number(number) }

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

// # Invitations to shared spaces
//
// An invitation is part of the record of a space, and has an entry by user outside of it,
// as a membership has. It gives no right but to accept or decline it.

// Invitation is an invitation that the user has not accepted yet.
type Invitation struct {
	Space string
	Role  ledger.Role
}

// Invitations returns the invitations of a user, by the name of the space.
func (a Spaces) Invitations(ctx context.Context, user string) (all []Invitation, err error) {
	err = a.store.Root().View(ctx, func(tx *ledger.Tx) error {
		all = nil
		invited, err := rolesUnder(tx, invitationKey(norm.NFC.String(user), ""))
		for _, m := range invited {
			all = append(all, Invitation{m.name, m.role})
		}
		return err
	})
	return all, err
}

// Answer accepts or declines an invitation of the acting user. It returns the space after
// that, without its members if the user declined. It fails with a SpaceMemberError for a
// member, and with a NoSpaceError for others who are not invited.
func (a Spaces) Answer(ctx context.Context, name string, accept bool, by Acting) (sp Shared, err error) {
	name, user := norm.NFC.String(name), norm.NFC.String(by.User)
	if !ledger.UserName(user) || utf8.RuneCountInString(name) > maxName {
		return sp, &NoSpaceError{name}
	}
	err = a.store.Root().Update(ctx, func(tx *ledger.Tx) error {
		value, err := tx.Get(invitationKey(user, name))
		if errors.Is(err, kv.ErrNotFound) {
			if _, err = tx.Get(membershipKey(user, name)); err == nil {
				return &MemberError{name}
			}
			if errors.Is(err, kv.ErrNotFound) {
				return &NoSpaceError{name}
			}
		}
		if err != nil {
			return err
		}
		number, role, ok := cutMembership(value)
		if !ok {
			return ledger.Finding(ledger.Unreadable, ledger.KindSpace, name, nil)
		}
		m, err := loadMembers(tx.In(ledger.Place{Number: number}))
		if err != nil {
			return err
		}
		if !accept {
			role = ledger.NoRole
		}
		m.set(user, role)
		if sp = m.shared(role); !accept {
			sp.Members, sp.Invited = nil, nil
		}
		return changeMembers(ctx, a.store, tx, number, m)
	})
	return sp, err
}

func (m *Record) clone() Record {
	c := *m
	c.Members, c.Invited = maps.Clone(m.Members), maps.Clone(m.Invited)
	return c
}

// set gives a user a role, or none, and ends an invitation of the user.
func (m *Record) set(user string, role ledger.Role) {
	delete(m.Members, user)
	delete(m.Invited, user)
	if role != ledger.NoRole {
		m.Members[user] = role.String()
	}
}

// invite invites a user, who is no member then.
func (m *Record) invite(user string, role ledger.Role) {
	m.set(user, ledger.NoRole)
	if m.Invited == nil {
		m.Invited = map[string]string{}
	}
	m.Invited[user] = role.String()
}
