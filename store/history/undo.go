package history

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"techo/store/ledger"
	"techo/store/space"
)

// FindUndo returns the change with an id that the filter lets the user see or,
// with the id "", the last change that can be undone: not one that was undone
// already, or that undid another. It fails with a NotFoundError.
func (h History) FindUndo(ctx context.Context, id string, f Filter) (c ledger.Change, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) (err error) {
		c, err = findUndo(tx, id, f)
		return err
	})
	return c, err
}

func findUndo(tx *ledger.Tx, id string, f Filter) (c ledger.Change, err error) {
	if id == "" {
		if id, err = lastUndoable(tx, f); err != nil {
			return c, err
		}
	}
	return findChange(tx, id, f)
}

// Undo undoes a change of FindUndo, all of its records or none, and
// returns it with the number of the change that undid it. It fails with an
// UndoneError, a NewerChangeError or a LostChangeError, and with the errors of
// adding a record. The changes of files are undone by the caller.
func (h History) Undo(ctx context.Context, id string, f Filter) (c ledger.Change, err error) {
	err = h.store.Update(ctx, func(tx *ledger.Tx) error {
		if c, err = findUndo(tx, id, f); err != nil {
			return err
		}
		if c.Moved.ID != 0 {
			return ledger.ErrOtherSpace // UndoMove undoes both parts
		}
		if err := checkUndo(tx, c); err != nil {
			return err
		}
		if err := restore(tx, c); err != nil {
			return err
		}
		if recorder := tx.Changes; recorder != nil {
			recorder.Change.Undoes = c.ID
			if c.UndoneBy, err = recorder.Number(); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// checkUndo reports why a change cannot be undone.
func checkUndo(tx *ledger.Tx, c ledger.Change) error {
	switch {
	case c.UndoneBy != 0:
		return &UndoneError{c.ID, c.UndoneBy}
	case c.Lost:
		return &LostChangeError{c.ID}
	}
	if err := mayUndo(tx, c); err != nil {
		return err
	}
	values, err := currentOf(tx, c)
	if err != nil {
		return err
	}
	later := laterVersions{tx: tx, c: c}
	for i, r := range c.Records {
		if r.Elsewhere || r.Kind == ledger.KindFile { // its service or the caller checks it
			continue
		}
		value := values[i]
		digest := tx.Ledger.Schemas.Of(r.Kind).Digest
		if (value != nil) == r.Exists && (value == nil || digest(value) == r.After) {
			continue
		}
		if same, err := later.equal(r, value); err != nil {
			return err
		} else if !same {
			return NewerChange(tx, c, r)
		}
	}
	return nil
}

// restore gives the records of a change their previous values. It first removes
// all records, so that a name or an index entry may move from one to another.
func restore(tx *ledger.Tx, c ledger.Change) error {
	kind := tx.Ledger.Schemas.Of(c.Records[0].Kind)
	if kind.Restore == nil {
		return nil
	}
	return kind.Restore(tx, c)
}

// CheckUndo reports why a change cannot be undone, like Undo. It leaves out the records
// with an id for which restored returns true.
func (h History) CheckUndo(ctx context.Context, c ledger.Change, restored func(id string) bool) error {
	return h.store.View(ctx, func(tx *ledger.Tx) error {
		whole, err := tx.LoadWholeChange(c.ID)
		if err != nil {
			return err
		}
		whole.UndoneBy = c.UndoneBy
		whole.Records = slices.DeleteFunc(whole.Records, func(r ledger.ChangedRecord) bool { return restored(r.ID) })
		return checkUndo(tx, whole)
	})
}

func lastUndoable(tx *ledger.Tx, f Filter) (id string, err error) {
	err = scanChanges(tx, 0, func(c ledger.Change) error {
		if c.UndoneBy != 0 || f.Before != 0 && c.ID >= f.Before || !f.permits(tx, c) {
			return nil
		}
		able, err := undoable(&c, tx)
		if err == nil && able {
			id, err = ledger.ChangeID(c.ID), ledger.ErrStop
		}
		return err
	})
	if err == nil && id == "" {
		err = &ledger.NotFoundError{Kind: ledger.KindChange}
	}
	return id, err
}

// permits reports whether the user may undo a change, unless its records changed since.
func (f *Filter) permits(tx *ledger.Tx, c ledger.Change) bool {
	return f.sees(c) && !c.Lost && !createsSpace(&c) && mayUndo(tx, c) == nil &&
		(f.Undoable == nil || f.Undoable(c))
}

// MayUndo reports whether the user may undo a change, unless its records changed since.
func (h History) MayUndo(ctx context.Context, number uint64, f Filter) (may bool, err error) {
	err = h.store.View(ctx, func(tx *ledger.Tx) error {
		c, err := findChange(tx, ledger.ChangeID(number), f)
		if may = err == nil && f.permits(tx, c); ledger.IsMissing(err) {
			return nil
		}
		return err
	})
	return may, err
}

// createsSpace reports whether a change created the space whose history has it.
func createsSpace(c *ledger.Change) bool {
	return c.Records[0].Kind == ledger.KindSpace && !c.Records[0].Existed
}

// undoable reports whether a change may be undone without naming it. An undo may
// not, or undoing twice would change nothing.
func undoable(c *ledger.Change, tx *ledger.Tx) (bool, error) {
	if undoable := tx.Ledger.Schemas.Of(c.Records[0].Kind).Undoable; undoable != nil {
		return undoable(tx, *c)
	}
	return c.Undoes == 0, nil
}

// mayUndo returns an error unless the user may undo a change: in a shared space, only
// an admin undoes changes of others and of the members.
func mayUndo(tx *ledger.Tx, c ledger.Change) error {
	within := tx.Within
	needs := ledger.AdminRole
	if within != nil && ledger.SameUser(c.By, within.User) && c.Records[0].Kind != ledger.KindSpace {
		needs = ledger.WriteRole
	}
	if within == nil || within.Role >= needs {
		return nil
	}
	return &space.RoleError{Space: within.Name, Has: within.Role, Needs: needs}
}

// NewerChange returns the error for a record that changed after a change. It
// names the last change of the record that is in effect.
func NewerChange(tx *ledger.Tx, c ledger.Change, r ledger.ChangedRecord) error {
	e := &NewerChangeError{ID: c.ID, Kind: r.Kind, About: r.ID}
	e.Space = tx.SpaceName()
	undo := uint64(0)
	err := scanChanges(tx, c.ID, func(newer ledger.Change) error {
		if newer.UndoneBy != 0 || !changes(&newer, tx, recordIn(tx, c, r)) {
			return nil
		}
		if newer.Undoes > c.ID {
			undo = cmp.Or(undo, newer.ID)
			return nil
		}
		e.Newer = newer.ID
		return ledger.ErrStop
	})
	if err != nil {
		return err
	}
	// Only an undo that did not restore its record exactly leaves no other change.
	e.Newer = cmp.Or(e.Newer, undo)
	return e
}

func changes(c *ledger.Change, tx *ledger.Tx, id ledger.RecordID) bool {
	return slices.ContainsFunc(c.Records, func(r ledger.ChangedRecord) bool { return recordIn(tx, *c, r) == id })
}

// laterVersions compares records with what a change made of them. At a CalDAV
// server an undo makes a new version of an event, so that other programs accept the previous
// content: with a higher sequence number, and with times of whole seconds.
type laterVersions struct {
	tx    *ledger.Tx
	c     ledger.Change
	newer *newerChanges // nil until it is needed
}

// equal reports whether the value of a record is another version of the one after the
// change.
func (l *laterVersions) equal(r ledger.ChangedRecord, value []byte) (bool, error) {
	kind := l.tx.Ledger.Schemas.Of(r.Kind)
	if value == nil || !r.Exists || kind.Versioned == nil {
		return false, nil
	}
	if versioned, err := kind.Versioned(l.tx, value); err != nil || !versioned {
		return false, err
	}
	if l.newer == nil {
		var err error
		if l.newer, err = newerThan(l.tx, l.c); err != nil {
			return false, err
		}
	}
	after, known, err := l.newer.valueAfter(l.c, r)
	if err != nil || !known || kind.Digest(after) != r.After {
		return false, err
	}
	return kind.Same(after, value)
}

// UndoMove undoes a change that is part of a move, and the other part with it. other
// is the space of ChangeLink, whose memories belong to otherUser.
func UndoMove(ctx context.Context, s, other *ledger.Ledger, id string, f Filter, otherUser string) (c ledger.Change,
	err error) {
	err = ledger.UpdateBoth(ctx, s, other, func(here, there *ledger.Tx) error {
		if c, err = findUndo(here, id, f); err != nil {
			return err
		}
		part, err := findChange(there, ledger.ChangeID(c.Moved.ID), Filter{Owner: otherUser})
		if ledger.IsMissing(err) || err == nil && part.Moved != (ledger.ChangeLink{Space: s.Space, ID: c.ID}) {
			return &LostPartError{c.ID}
		}
		if err != nil {
			return err
		}
		if err := undoHalf(here, c); err != nil {
			return err
		}
		if err := undoHalf(there, part); err != nil {
			if newer := new(NewerChangeError); errors.As(err, &newer) {
				newer.ID = c.ID // the number that the caller knows
			}
			return err
		}
		c.UndoneBy, err = here.Changes.Number()
		return err
	})
	return c, err
}

// undoHalf undoes the change of one space.
func undoHalf(tx *ledger.Tx, c ledger.Change) error {
	if err := checkUndo(tx, c); err != nil {
		return err
	}
	tx.Changes.Change.Undoes = c.ID
	return restore(tx, c)
}

// FinishUndoElsewhere marks a change at a service as undone when its undo, which had been
// cut off, had nothing left to do. It fails with a NewerChangeError if there was no such
// undo: then another program restored the records.
func (h History) FinishUndoElsewhere(ctx context.Context, c ledger.Change) error {
	return h.store.Update(ledger.WithoutHistory(ctx), func(tx *ledger.Tx) error {
		by := uint64(0)
		err := scanChanges(tx, c.ID, func(newer ledger.Change) error {
			if newer.Undoes == c.ID && newer.UndoneBy == 0 {
				by = newer.ID
				return ledger.ErrStop
			}
			return nil
		})
		if err != nil {
			return err
		}
		if by == 0 {
			return NewerChange(tx, c, c.Records[0])
		}
		return tx.MarkUndone(c.ID, by)
	})
}

// NewerChange returns the error for a change of a file that changed since.
func (h History) NewerChange(ctx context.Context, c ledger.Change, path string) (newer error) {
	err := h.store.View(ctx, func(tx *ledger.Tx) error {
		newer = NewerChange(tx, c, ledger.ChangedRecord{Kind: ledger.KindFile, ID: path})
		return nil
	})
	if err != nil {
		return err
	}
	return newer
}
