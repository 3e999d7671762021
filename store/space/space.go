// Package space has the shared spaces of a store: their members, invitations and removal, and searches in
// several places at once.
package space

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
)

// # Shared spaces
//
// A shared space has a key space of its own, with the layout of the store, behind the
// prefix ledger.SharedPrefix. Memos, memories, calendars, their indexes and counts, the
// history and the receipts of a space are therefore read and written by the functions
// that serve the store itself. The members are a record of the space, so its history
// has them; each member also has an entry outside, which every transaction in the
// space reads first.

// Limits of shared spaces.
const (
	Max        = 1000 // in a store
	MaxMembers = 1000 // of a space
	maxName    = 40   // characters
)

// Own is what a caller names instead of a shared space to use only records of
// their own.
const Own = "own"

// Member is a member of a shared space.
type Member struct {
	User string
	Role ledger.Role
}

// Shared describes a shared space to one of its members.
type Shared struct {
	Name      string
	Role      ledger.Role // of the user who asks
	CreatedAt time.Time
	Members   []Member // by name
	Invited   []Member // who have not accepted yet, by name
	Withdrawn bool     // the change that returns it has withdrawn an invitation
}

// NoSpaceError reports that there is no shared space with a name, or that the user is no
// member of it: the two must look the same.
type NoSpaceError struct{ Space string }

func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("space %s: not a member, or not found", e.Space)
}

// MemberError reports that a user who answers an invitation is a member already.
type MemberError struct{ Space string }

func (e *MemberError) Error() string { return fmt.Sprintf("space %s: a member already", e.Space) }

// RoleError reports that a member may not do something in a shared space.
type RoleError struct {
	Space      string
	Has, Needs ledger.Role
}

func (e *RoleError) Error() string {
	return fmt.Sprintf("space %s: role %s, needs %s", e.Space, e.Has, e.Needs)
}

// LastAdminError reports that a change would leave a shared space without an admin.
type LastAdminError struct{ Space string }

func (e *LastAdminError) Error() string { return fmt.Sprintf("space %s: no other admin", e.Space) }

// FullError reports that a shared space to remove has records.
type FullError struct{ Space string }

func (e *FullError) Error() string { return fmt.Sprintf("space %s: not empty", e.Space) }

// NameError reports an invalid name of a shared space.
type NameError struct{ MaxLength int }

func (e *NameError) Error() string { return "space: invalid name" }

// NormalName returns the normal form of the name of a shared space, or a SpaceNameError.
func NormalName(name string) (string, error) {
	name = norm.NFC.String(name)
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	if !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > maxName ||
		strings.ContainsFunc(name, odd) || strings.ContainsRune("-.", rune(name[0])) || name == Own {
		return "", &NameError{maxName}
	}
	return name, nil
}

// Spaces are the shared spaces of a store.
type Spaces struct{ store *ledger.Ledger }

// Of returns the shared spaces of a store.
func Of(s *ledger.Ledger) Spaces { return Spaces{s} }

// Acting says for whom a function on shared spaces acts.
type Acting struct {
	User string

	// Owner is set for the owner of the store, who may choose the members of every
	// space. The role of the user does not matter then.
	Owner bool

	// Asks is set for a caller who acts for one user only: a new member must accept.
	Asks bool
}

// Create creates a shared space whose only member is the acting user, an admin. It
// fails with a SpaceNameError, a TakenError, a LimitError or a UserNameError.
func (a Spaces) Create(ctx context.Context, name string, by Acting) (sp Shared, err error) {
	if name, err = NormalName(name); err != nil {
		return sp, err
	}
	user, err := memberName(by.User)
	if err != nil {
		return sp, err
	}
	now := a.store.Time()
	err = a.store.Root().Update(ctx, func(tx *ledger.Tx) error {
		if _, err := tx.Get(byName.Key(name)); err == nil {
			return &ledger.TakenError{Kind: ledger.KindSpace, Name: name}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		number, err := newSpaceNumber(tx)
		if err != nil {
			return err
		}
		if err := tx.Put(byName.Key(name), ledger.Rest(lastNumber.Number(number))); err != nil {
			return err
		}
		m := Record{Name: name, Created: now.UnixMilli(), Members: map[string]string{user: ledger.AdminRole.String()}}
		sp = m.shared(ledger.AdminRole)
		return changeMembers(ctx, a.store, tx, number, m)
	})
	return sp, err
}

// newSpaceNumber assigns the number of a new space. A number is used once, also if its
// space is removed.
func newSpaceNumber(tx *ledger.Tx) (number uint64, err error) {
	value, err := tx.Get(lastNumber.All())
	if err == nil {
		number, _ = ledger.CutNumber(value)
	} else if !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	spaces := 0
	for _, err := range tx.Scan(kv.Range{Prefix: byName.All(), KeysOnly: true}) {
		if err != nil {
			return 0, err
		}
		spaces++
	}
	if spaces >= Max {
		return 0, &ledger.LimitError{What: "spaces", Max: Max, Got: spaces + 1}
	}
	number++
	return number, tx.Put(lastNumber.All(), ledger.Rest(lastNumber.Number(number)))
}

// memberName returns the normal form of the name of a member, or a UserNameError.
func memberName(user string) (string, error) {
	user = norm.NFC.String(user)
	if !ledger.UserName(user) || strings.TrimSpace(user) == "" {
		return "", &ledger.UserNameError{MaxBytes: ledger.MaxUserName}
	}
	return user, nil
}

// List returns the spaces that the user is a member of or, for the owner of the
// store, all spaces, by name.
func (a Spaces) List(ctx context.Context, by Acting) (all []Shared, err error) {
	err = a.store.Root().View(ctx, func(tx *ledger.Tx) error {
		all = nil
		var numbers []uint64
		collect := func(key, value []byte) error {
			number, ok := ledger.CutNumber(value)
			if !ok {
				return ledger.Finding(ledger.Unreadable, ledger.KindSpace, string(ledger.Rest(key)), nil)
			}
			numbers = append(numbers, number)
			return nil
		}
		prefix := membershipKey(norm.NFC.String(by.User), "")
		if by.Owner {
			prefix = byName.All()
		}
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: prefix}) {
			if err == nil {
				err = collect(p.Key, p.Value)
			}
			if err != nil {
				return err
			}
		}
		for _, number := range numbers {
			m, err := loadMembers(tx.In(ledger.Place{Number: number}))
			if err != nil {
				return err
			}
			all = append(all, m.shared(ledger.RoleNamed(m.Members[norm.NFC.String(by.User)])))
		}
		return nil
	})
	sorting.By(all, func(a, b Shared) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// Names returns the names of the spaces that a user is a member of, in order.
func (a Spaces) Names(ctx context.Context, user string) (names []string, err error) {
	err = a.store.Root().View(ctx, func(tx *ledger.Tx) error {
		joined, err := MembershipsOf(tx, user)
		names = nil
		for _, m := range joined {
			names = append(names, m.name)
		}
		return err
	})
	return names, err
}

// Roles returns the roles of a user by space.
func (a Spaces) Roles(ctx context.Context, user string) (roles map[string]ledger.Role, err error) {
	err = a.store.Root().View(ctx, func(tx *ledger.Tx) error {
		joined, err := MembershipsOf(tx, user)
		roles = map[string]ledger.Role{}
		for _, m := range joined {
			roles[m.name] = m.role
		}
		return err
	})
	return roles, err
}

// Get returns a space with its members. It fails with a NoSpaceError unless the
// user is a member, or acts as the owner of the store.
func (a Spaces) Get(ctx context.Context, name string, by Acting) (sp Shared, err error) {
	err = a.store.Root().View(ctx, func(tx *ledger.Tx) error {
		number, role, err := by.Enter(tx, name)
		if err != nil {
			return err
		}
		m, err := loadMembers(tx.In(ledger.Place{Number: number}))
		sp = m.shared(role)
		return err
	})
	return sp, err
}

// Grant gives a user a role in a space; NoRole removes the user from it, or the
// invitation of the user. If the acting user asks, a new member is invited instead. It
// returns the space after that. Only an admin or the owner of the store may do it: it fails
// with a NoSpaceError, a NotFoundError for the user, a SpaceRoleError, a LastAdminError or
// a LimitError.
func (a Spaces) Grant(ctx context.Context, name, user string, role ledger.Role, by Acting) (sp Shared,
	err error) {
	if user, err = memberName(user); err != nil {
		return sp, err
	}
	err = a.store.Root().Update(ctx, func(tx *ledger.Tx) error {
		number, has, err := by.Enter(tx, name)
		if err != nil {
			return err
		}
		// A member may leave a space.
		if leaves := role == ledger.NoRole && ledger.SameUser(user, by.User); has < ledger.AdminRole && !by.Owner &&
			!leaves {
			return &RoleError{name, has, ledger.AdminRole}
		}
		m, err := loadMembers(tx.In(ledger.Place{Number: number}))
		if err != nil {
			return err
		}
		before := m.clone()
		switch {
		case role == ledger.NoRole && m.Members[user] == "" && m.Invited[user] == "":
			return &ledger.NotFoundError{Kind: ledger.KindUser, Name: user}
		case role != ledger.NoRole && m.Members[user] == "" && by.Asks:
			m.invite(user, role)
		default:
			m.set(user, role)
		}
		sp = m.shared(has)
		sp.Withdrawn = role == ledger.NoRole && before.Invited[user] != ""
		if maps.Equal(before.Members, m.Members) && maps.Equal(before.Invited, m.Invited) {
			return nil
		}
		if err := m.check(); err != nil {
			return err
		}
		return changeMembers(ctx, a.store, tx, number, m)
	})
	return sp, err
}

// check reports why a space may not have these members.
func (m *Record) check() error {
	if n := len(m.Members) + len(m.Invited); n > MaxMembers {
		return &ledger.LimitError{What: "members", Max: MaxMembers, Got: n}
	}
	for _, role := range m.Members {
		if role == ledger.AdminRole.String() {
			return nil
		}
	}
	return &LastAdminError{m.Name}
}

// Enter returns the number of a space and the role of the user there. It fails with a
// NoSpaceError for a space that does not exist, and in the same way for one that the
// user is no member of.
func (by Acting) Enter(tx *ledger.Tx, name string) (number uint64, role ledger.Role, err error) {
	name = norm.NFC.String(name)
	missing := &NoSpaceError{name}
	user := norm.NFC.String(by.User)
	if !ledger.UserName(user) || utf8.RuneCountInString(name) > maxName {
		return 0, ledger.NoRole, missing
	}
	value, err := tx.Get(membershipKey(user, name))
	if errors.Is(err, kv.ErrNotFound) && by.Owner {
		value, err = tx.Get(byName.Key(name))
	}
	if errors.Is(err, kv.ErrNotFound) {
		return 0, ledger.NoRole, missing
	}
	if err != nil {
		return 0, ledger.NoRole, err
	}
	number, role, ok := cutMembership(value)
	if !ok {
		return 0, ledger.NoRole, ledger.Finding(ledger.Unreadable, ledger.KindSpace, name, nil)
	}
	return number, role, nil
}

// In returns a shared space as a store. Each of its transactions first looks up the
// role of the user, and fails with a NoSpaceError unless the user is a member, or with
// a SpaceRoleError: reading needs ReadRole, writing WriteRole.
func (a Spaces) In(name, user string) *ledger.Ledger {
	by := Acting{User: user}
	return a.store.Within(name, func(tx *ledger.Tx, needs ledger.Role) (p ledger.Place, err error) {
		number, role, err := by.Enter(tx, name)
		if err != nil {
			return p, err
		}
		if role < needs {
			return p, &RoleError{name, role, needs}
		}
		return ledger.Place{Number: number, Name: name, User: user, Role: role}, nil
	})
}

// CreatedError reports a change that created a shared space, which is not undone.
type CreatedError struct {
	ID    uint64
	Space string
}

func (e *CreatedError) Error() string {
	return fmt.Sprintf("change %s: created the space %s", ledger.ChangeID(e.ID), e.Space)
}
