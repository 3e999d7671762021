package space

import (
	"context"
	"errors"
	"maps"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

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
		r := kv.Range{Prefix: invitationKey(norm.NFC.String(user), ""), Limit: Max}
		for p, err := range kv.Pairs(tx, r) {
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(string(p.Key), string(r.Prefix))
			_, role, ok := cutMembership(p.Value)
			if !ok || role < ledger.ReadRole {
				return ledger.Finding(ledger.Unreadable, ledger.KindSpace, name, nil)
			}
			all = append(all, Invitation{name, role})
		}
		return nil
	})
	sorting.By(all, func(a, b Invitation) int { return strings.Compare(a.Space, b.Space) })
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

// clone returns a copy of the record.
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
