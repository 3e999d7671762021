package store

import (
	"context"
	"errors"
)

// errNoSpace is returned for an operation of shared spaces elsewhere.
var errNoSpace = errors.New("store: not in a shared space")

// errOtherSpace is returned if a transaction of another space is open, which would
// write the keys of the wrong one.
var errOtherSpace = errors.New("store: a transaction of another space is open")

// rootOf returns the store that a shared space is in.
func rootOf(s *Store) *Store {
	if s.parent != nil {
		return s.parent
	}
	return s
}

// viewRoot runs fn in a read transaction of the store, outside of all spaces.
func viewRoot(ctx context.Context, s *Store, fn func(*Tx) error) error {
	return rootOf(s).view(ctx, fn)
}

// updateRoot is viewRoot for a write transaction.
func updateRoot(ctx context.Context, s *Store, fn func(*Tx) error) error {
	return rootOf(s).update(ctx, fn)
}

// In returns a shared space as a store. Each of its transactions first looks up the
// role of the user, and fails with a NoSpaceError unless the user is a member, or with
// a SpaceRoleError: reading needs ReadRole, writing WriteRole.
func (a Spaces) In(name, user string) *Store {
	by := Acting{User: user}
	return within(a.store, name, func(tx *Tx, needs Role) (p sharedPlace, err error) {
		number, role, err := by.enter(tx, name)
		if err != nil {
			return p, err
		}
		if role < needs {
			return p, &SpaceRoleError{name, role, needs}
		}
		return sharedPlace{number: number, name: name, user: user, role: role}, nil
	})
}

// maintained returns the space with a number as a store for checks and repairs, which
// need no role.
func maintained(s *Store, number uint64) *Store {
	return within(s, "", func(*Tx, Role) (sharedPlace, error) {
		return sharedPlace{number: number, role: AdminRole}, nil
	})
}

func within(s *Store, name string, enter func(*Tx, Role) (sharedPlace, error)) *Store {
	base := rootOf(s)
	return &Store{engine: base.engine, where: base.where, now: base.now, history: base.history,
		observe: base.observe, parent: base, space: name, enter: enter}
}

// SpaceOf returns the name of a shared space, or "" for the store itself.
func SpaceOf(s *Store) string { return s.space }
