package store

import (
	"context"
	"errors"

	"golang.org/x/text/unicode/norm"
)

// # Moves between spaces
//
// A move removes a record from one space and adds it to another in one transaction. The
// record keeps its id and its times. Both spaces record a change, and each names the
// other: undoing one undoes both. Earlier values stay in the history of the space where
// they were: the members of the new one could not read them before.

// ChangeLink names a change in the history of another space.
type ChangeLink struct {
	Space string // "" is the store itself
	ID    uint64 // 0 is no change
}

// MoveMemo moves the memo with a name or an id to another space, or between a space and
// the store.
func MoveMemo(ctx context.Context, from, to *Store, name string) (m Memo, err error) {
	err = updateBoth(ctx, from, to, func(here, there *Tx) error {
		if m, err = findMemo(here, name); err != nil {
			return err
		}
		if err := memoNameFree(there, m.Name, ""); err != nil {
			return err
		}
		if err := memoNameFree(there, m.ID, ""); err != nil {
			return err
		}
		if err := replaceMemo(here, &m, nil); err != nil {
			return err
		}
		return replaceMemo(there, nil, &m)
	})
	return m, err
}

// MoveMemory moves a memory of a user to another one, in another space.
func MoveMemory(ctx context.Context, from, to *Store, user, newUser, id string) (m Memory, err error) {
	err = updateBoth(ctx, from, to, func(here, there *Tx) error {
		u, r, err := changeableMemory(here, user, id)
		if err != nil {
			return err
		}
		if err := dropMemories(here, &u, r); err != nil {
			return err
		}
		if err := u.save(here); err != nil {
			return err
		}
		m = r.memory()
		m.User = norm.NFC.String(newUser)
		added, err := to.addDrafts(there, m.User, []Draft{NewDrafter().Draft(m)})
		if err != nil {
			return err
		}
		if m = added[0].Memory; added[0].Err == nil && !added[0].Created {
			return &SameTextError{m.ID}
		}
		return added[0].Err
	})
	return m, err
}

// updateBoth runs fn in one transaction of two spaces, and links their changes.
func updateBoth(ctx context.Context, from, to *Store, fn func(here, there *Tx) error) error {
	if from.space == to.space || rootOf(from) != rootOf(to) || joined(ctx) {
		return errOtherSpace
	}
	for _, s := range []*Store{from, to} { // it could not be done in the transaction
		if err := refreshIndexes(ctx, s); err != nil {
			return err
		}
	}
	return rootOf(from).maintain(ctx, func(tx *Tx) error {
		here, err := changingIn(ctx, from, tx)
		if err != nil {
			return err
		}
		there, err := changingIn(ctx, to, tx)
		if err != nil {
			return err
		}
		if err := fn(here, there); err != nil {
			return err
		}
		if err := link(from, to, here.changes, there.changes); err != nil {
			return err
		}
		if err := here.changes.finish(); err != nil {
			return err
		}
		return there.changes.finish()
	})
}

// changingIn returns the transaction of a space, or of the store, within a transaction of
// the store. It records its changes.
func changingIn(ctx context.Context, s *Store, tx *Tx) (*Tx, error) {
	tx, err := s.entered(tx, WriteRole)
	if err != nil {
		return nil, err
	}
	return recording(ctx, s, tx), nil
}

// link makes the changes of two spaces name each other.
func link(from, to *Store, here, there *changeRecorder) error {
	one, err := here.number()
	if err != nil {
		return err
	}
	other, err := there.number()
	if err != nil || one == 0 || other == 0 { // one of them records no changes
		return err
	}
	here.change.Moved, there.change.Moved = ChangeLink{to.space, other}, ChangeLink{from.space, one}
	return nil
}

// UndoMove undoes a change that is part of a move, and the other part with it. other
// is the space of ChangeLink, whose memories belong to otherUser.
func UndoMove(ctx context.Context, s, other *Store, id string, f HistoryFilter, otherUser string) (c Change,
	err error) {
	err = updateBoth(ctx, s, other, func(here, there *Tx) error {
		if c, err = findUndo(here, id, f); err != nil {
			return err
		}
		part, _, err := findChange(there, ChangeID(c.Moved.ID), HistoryFilter{Owner: otherUser})
		if isMissing(err) || err == nil && part.Moved != (ChangeLink{s.space, c.ID}) {
			return &LostPartError{c.ID}
		}
		if err != nil {
			return err
		}
		if err := undoHalf(s, here, c); err != nil {
			return err
		}
		if err := undoHalf(other, there, part); err != nil {
			if newer := new(NewerChangeError); errors.As(err, &newer) {
				newer.ID = c.ID // the number that the caller knows
			}
			return err
		}
		c.UndoneBy, err = here.changes.number()
		return err
	})
	return c, err
}

// undoHalf undoes the change of one space.
func undoHalf(s *Store, tx *Tx, c Change) error {
	if err := checkUndo(tx, c); err != nil {
		return err
	}
	tx.changes.change.Undoes = c.ID
	return (&restoring{s: s, tx: tx, h: historyTx{tx: tx, owner: c.Owner}}).restore(c)
}

func isMissing(err error) bool { return errors.As(err, new(*NotFoundError)) }
