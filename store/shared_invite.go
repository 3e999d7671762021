package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// # Invitations to shared spaces
//
// An invitation is part of the record of a space, and has an entry by user outside of it,
// as a membership has. It gives no right but to accept or decline it.

// SpaceInvitation is an invitation that the user has not accepted yet.
type SpaceInvitation struct {
	Space string
	Role  Role
}

// Invitations returns the invitations of a user, by the name of the space.
func (a Spaces) Invitations(ctx context.Context, user string) (all []SpaceInvitation, err error) {
	err = viewRoot(ctx, a.store, func(tx *Tx) error {
		all = nil
		r := kv.Range{Prefix: invitationKey(norm.NFC.String(user), ""), Limit: MaxSpaces}
		for p, err := range kv.Pairs(tx, r) {
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(string(p.Key), string(r.Prefix))
			_, role, ok := cutMembership(p.Value)
			if !ok || role < ReadRole {
				return finding(Unreadable, KindSpace, name, nil)
			}
			all = append(all, SpaceInvitation{name, role})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b SpaceInvitation) int { return strings.Compare(a.Space, b.Space) })
	return all, err
}

// Answer accepts or declines an invitation of the acting user. It returns the space after
// that, without its members if the user declined. It fails with a SpaceMemberError for a
// member, and with a NoSpaceError for others who are not invited.
func (a Spaces) Answer(ctx context.Context, name string, accept bool, by Acting) (sp SharedSpace, err error) {
	name, user := norm.NFC.String(name), norm.NFC.String(by.User)
	if !UserName(user) || utf8.RuneCountInString(name) > maxSpaceName {
		return sp, &NoSpaceError{name}
	}
	err = updateRoot(ctx, a.store, func(tx *Tx) error {
		value, err := tx.Get(invitationKey(user, name))
		if errors.Is(err, kv.ErrNotFound) {
			if _, err = tx.Get(membershipKey(user, name)); err == nil {
				return &SpaceMemberError{name}
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
			return finding(Unreadable, KindSpace, name, nil)
		}
		m, err := loadMembers(tx.in(sharedPlace{number: number}))
		if err != nil {
			return err
		}
		if !accept {
			role = NoRole
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
func (m *spaceRecord) clone() spaceRecord {
	c := *m
	c.Members, c.Invited = maps.Clone(m.Members), maps.Clone(m.Invited)
	return c
}

// set gives a user a role, or none, and ends an invitation of the user.
func (m *spaceRecord) set(user string, role Role) {
	delete(m.Members, user)
	delete(m.Invited, user)
	if role != NoRole {
		m.Members[user] = role.String()
	}
}

// invite invites a user, who is no member then.
func (m *spaceRecord) invite(user string, role Role) {
	m.set(user, NoRole)
	if m.Invited == nil {
		m.Invited = map[string]string{}
	}
	m.Invited[user] = role.String()
}
