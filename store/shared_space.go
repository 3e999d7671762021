package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// # Shared spaces
//
// A shared space has a key space of its own, with the layout of the store, behind the
// prefix sharedPrefix. Memos, memories, calendars, their indexes and counts, the
// history and the receipts of a space are therefore read and written by the functions
// that serve the store itself. The members are a record of the space, so its history
// has them; each member also has an entry outside, which every transaction in the
// space reads first (shared_engine.go).

// Limits of shared spaces.
const (
	MaxSpaces       = 1000 // in a store
	MaxSpaceMembers = 1000 // of a space
	maxSpaceName    = 40   // characters
)

// OwnSpace is what a caller names instead of a shared space to use only records of
// their own.
const OwnSpace = "own"

// Role is what a member of a shared space may do. Each role includes those before it.
type Role int

// The roles.
const (
	NoRole    Role = iota
	ReadRole       // search, list and read
	WriteRole      // add, change and remove records, and undo own changes
	AdminRole      // undo changes of others, and choose the members
)

var roleNames = []string{"", "read", "write", "admin"}

func (r Role) String() string { return roleNames[r] }

// RoleNamed returns the role with a name, NoRole for others.
func RoleNamed(name string) Role { return Role(max(slices.Index(roleNames, name), 0)) }

// SpaceMember is a member of a shared space.
type SpaceMember struct {
	User string
	Role Role
}

// SharedSpace describes a shared space to one of its members.
type SharedSpace struct {
	Name      string
	Role      Role // of the user who asks
	CreatedAt time.Time
	Members   []SpaceMember // by name
	Invited   []SpaceMember // who have not accepted yet, by name
	Withdrawn bool          // the change that returns it has withdrawn an invitation
}

// NoSpaceError reports that there is no shared space with a name, or that the user is no
// member of it: the two must look the same.
type NoSpaceError struct{ Space string }

func (e *NoSpaceError) Error() string {
	return fmt.Sprintf("space %s: not a member, or not found", e.Space)
}

// SpaceMemberError reports that a user who answers an invitation is a member already.
type SpaceMemberError struct{ Space string }

func (e *SpaceMemberError) Error() string { return fmt.Sprintf("space %s: a member already", e.Space) }

// SpaceRoleError reports that a member may not do something in a shared space.
type SpaceRoleError struct {
	Space      string
	Has, Needs Role
}

func (e *SpaceRoleError) Error() string {
	return fmt.Sprintf("space %s: role %s, needs %s", e.Space, e.Has, e.Needs)
}

// LastAdminError reports that a change would leave a shared space without an admin.
type LastAdminError struct{ Space string }

func (e *LastAdminError) Error() string { return fmt.Sprintf("space %s: no other admin", e.Space) }

// FullSpaceError reports that a shared space to remove has records.
type FullSpaceError struct{ Space string }

func (e *FullSpaceError) Error() string { return fmt.Sprintf("space %s: not empty", e.Space) }

// SpaceNameError reports an invalid name of a shared space.
type SpaceNameError struct{ MaxLength int }

func (e *SpaceNameError) Error() string { return "space: invalid name" }

// SpaceName returns the normal form of the name of a shared space, or a SpaceNameError.
func SpaceName(name string) (string, error) {
	name = norm.NFC.String(name)
	odd := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}
	if !utf8.ValidString(name) || name == "" || utf8.RuneCountInString(name) > maxSpaceName ||
		strings.ContainsFunc(name, odd) || strings.ContainsRune("-.", rune(name[0])) || name == OwnSpace {
		return "", &SpaceNameError{maxSpaceName}
	}
	return name, nil
}

// Spaces are the shared spaces of a store.
type Spaces struct{ store *Store }

// SpacesOf returns the shared spaces of a store.
func SpacesOf(s *Store) Spaces { return Spaces{s} }

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
func (a Spaces) Create(ctx context.Context, name string, by Acting) (sp SharedSpace, err error) {
	if name, err = SpaceName(name); err != nil {
		return sp, err
	}
	user, err := memberName(by.User)
	if err != nil {
		return sp, err
	}
	now := a.store.time()
	err = updateRoot(ctx, a.store, func(tx *Tx) error {
		if _, err := tx.Get(spaceNames.key(name)); err == nil {
			return &TakenError{Kind: KindSpace, Name: name}
		} else if !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		number, err := newSpaceNumber(tx)
		if err != nil {
			return err
		}
		if err := tx.Put(spaceNames.key(name), rest(spaceNumbers.number(number))); err != nil {
			return err
		}
		m := spaceRecord{Name: name, Created: now.UnixMilli(), Members: map[string]string{user: AdminRole.String()}}
		sp = m.shared(AdminRole)
		return changeMembers(ctx, a.store, tx, number, m)
	})
	return sp, err
}

// newSpaceNumber assigns the number of a new space. A number is used once, also if its
// space is removed.
func newSpaceNumber(tx *Tx) (number uint64, err error) {
	value, err := tx.Get(spaceNumbers.all())
	if err == nil {
		number, _ = cutNumber(value)
	} else if !errors.Is(err, kv.ErrNotFound) {
		return 0, err
	}
	spaces := 0
	for _, err := range tx.Scan(kv.Range{Prefix: spaceNames.all(), KeysOnly: true}) {
		if err != nil {
			return 0, err
		}
		spaces++
	}
	if spaces >= MaxSpaces {
		return 0, &LimitError{What: "spaces", Max: MaxSpaces, Got: spaces + 1}
	}
	number++
	return number, tx.Put(spaceNumbers.all(), rest(spaceNumbers.number(number)))
}

// memberName returns the normal form of the name of a member, or a UserNameError.
func memberName(user string) (string, error) {
	user = norm.NFC.String(user)
	if !UserName(user) || strings.TrimSpace(user) == "" {
		return "", &UserNameError{maxUserName}
	}
	return user, nil
}

// List returns the spaces that the user is a member of or, for the owner of the
// store, all spaces, by name.
func (a Spaces) List(ctx context.Context, by Acting) (all []SharedSpace, err error) {
	err = viewRoot(ctx, a.store, func(tx *Tx) error {
		all = nil
		var numbers []uint64
		collect := func(key, value []byte) error {
			number, ok := cutNumber(value)
			if !ok {
				return finding(Unreadable, KindSpace, string(rest(key)), nil)
			}
			numbers = append(numbers, number)
			return nil
		}
		prefix := membershipKey(norm.NFC.String(by.User), "")
		if by.Owner {
			prefix = spaceNames.all()
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
			m, err := loadMembers(tx.in(sharedPlace{number: number}))
			if err != nil {
				return err
			}
			all = append(all, m.shared(RoleNamed(m.Members[norm.NFC.String(by.User)])))
		}
		return nil
	})
	slices.SortFunc(all, func(a, b SharedSpace) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// Names returns the names of the spaces that a user is a member of, in order.
func (a Spaces) Names(ctx context.Context, user string) (names []string, err error) {
	err = viewRoot(ctx, a.store, func(tx *Tx) error {
		joined, err := membershipsOf(tx, user)
		names = nil
		for _, m := range joined {
			names = append(names, m.name)
		}
		return err
	})
	return names, err
}

// Roles returns the roles of a user by space.
func (a Spaces) Roles(ctx context.Context, user string) (roles map[string]Role, err error) {
	err = viewRoot(ctx, a.store, func(tx *Tx) error {
		joined, err := membershipsOf(tx, user)
		roles = map[string]Role{}
		for _, m := range joined {
			roles[m.name] = m.role
		}
		return err
	})
	return roles, err
}

// Get returns a space with its members. It fails with a NoSpaceError unless the
// user is a member, or acts as the owner of the store.
func (a Spaces) Get(ctx context.Context, name string, by Acting) (sp SharedSpace, err error) {
	err = viewRoot(ctx, a.store, func(tx *Tx) error {
		number, role, err := by.enter(tx, name)
		if err != nil {
			return err
		}
		m, err := loadMembers(tx.in(sharedPlace{number: number}))
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
func (a Spaces) Grant(ctx context.Context, name, user string, role Role, by Acting) (sp SharedSpace,
	err error) {
	if user, err = memberName(user); err != nil {
		return sp, err
	}
	err = updateRoot(ctx, a.store, func(tx *Tx) error {
		number, has, err := by.enter(tx, name)
		if err != nil {
			return err
		}
		// A member may leave a space.
		if leaves := role == NoRole && SameUser(user, by.User); has < AdminRole && !by.Owner && !leaves {
			return &SpaceRoleError{name, has, AdminRole}
		}
		m, err := loadMembers(tx.in(sharedPlace{number: number}))
		if err != nil {
			return err
		}
		before := m.clone()
		switch {
		case role == NoRole && m.Members[user] == "" && m.Invited[user] == "":
			return &NotFoundError{Kind: KindUser, Name: user}
		case role != NoRole && m.Members[user] == "" && by.Asks:
			m.invite(user, role)
		default:
			m.set(user, role)
		}
		sp = m.shared(has)
		sp.Withdrawn = role == NoRole && before.Invited[user] != ""
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
func (m *spaceRecord) check() error {
	if n := len(m.Members) + len(m.Invited); n > MaxSpaceMembers {
		return &LimitError{What: "members", Max: MaxSpaceMembers, Got: n}
	}
	for _, role := range m.Members {
		if role == AdminRole.String() {
			return nil
		}
	}
	return &LastAdminError{m.Name}
}

// enter returns the number of a space and the role of the user there. It fails with a
// NoSpaceError for a space that does not exist, and in the same way for one that the
// user is no member of.
func (by Acting) enter(tx *Tx, name string) (number uint64, role Role, err error) {
	name = norm.NFC.String(name)
	missing := &NoSpaceError{name}
	user := norm.NFC.String(by.User)
	if !UserName(user) || utf8.RuneCountInString(name) > maxSpaceName {
		return 0, NoRole, missing
	}
	value, err := tx.Get(membershipKey(user, name))
	if errors.Is(err, kv.ErrNotFound) && by.Owner {
		value, err = tx.Get(spaceNames.key(name))
	}
	if errors.Is(err, kv.ErrNotFound) {
		return 0, NoRole, missing
	}
	if err != nil {
		return 0, NoRole, err
	}
	number, role, ok := cutMembership(value)
	if !ok {
		return 0, NoRole, finding(Unreadable, KindSpace, name, nil)
	}
	return number, role, nil
}
