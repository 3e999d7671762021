package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"techo/store/kv"
)

func lastUndoable(tx *Tx, f HistoryFilter) (id string, err error) {
	err = scanChanges(tx, 0, func(c Change) error {
		if c.UndoneBy != 0 || f.Before != 0 && c.ID >= f.Before || !f.permits(tx, c) {
			return nil
		}
		able, err := c.undoable(tx)
		if err == nil && able {
			id, err = ChangeID(c.ID), errStop
		}
		return err
	})
	if err == nil && id == "" {
		err = &NotFoundError{Kind: KindChange}
	}
	return id, err
}

// permits reports whether the user may undo a change, unless its records changed since.
func (f *HistoryFilter) permits(tx *Tx, c Change) bool {
	return f.sees(c) && !c.Lost && !c.createsSpace() && mayUndo(tx, c) == nil &&
		(f.Undoable == nil || f.Undoable(c))
}

// MayUndo reports whether the user may undo a change, unless its records changed since.
func (h History) MayUndo(ctx context.Context, number uint64, f HistoryFilter) (may bool, err error) {
	err = h.store.view(ctx, func(tx *Tx) error {
		c, _, err := findChange(tx, ChangeID(number), f)
		if may = err == nil && f.permits(tx, c); isMissing(err) {
			return nil
		}
		return err
	})
	return may, err
}

// createsSpace reports whether a change created the space whose history has it.
func (c *Change) createsSpace() bool { return c.Records[0].Kind == KindSpace && !c.Records[0].Existed }

// undoable reports whether a change may be undone without naming it. An undo may
// not, or undoing twice would change nothing.
func (c *Change) undoable(tx *Tx) (bool, error) {
	if c.Edit == 0 {
		return c.Undoes == 0, nil
	}
	e, err := loadFileEdit(tx, c.Edit-1)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && e.mayUndo(), err
}

// mayUndo returns an error unless the user may undo a change: in a shared space, only
// an admin undoes changes of others and of the members.
func mayUndo(tx *Tx, c Change) error {
	within := tx.within
	needs := AdminRole
	if within != nil && SameUser(c.By, within.user) && c.Records[0].Kind != KindSpace {
		needs = WriteRole
	}
	if within == nil || within.role >= needs {
		return nil
	}
	return &SpaceRoleError{within.name, within.role, needs}
}

// newerChange returns the error for a record that changed after a change. It
// names the last change of the record that is in effect.
func newerChange(tx *Tx, c Change, r ChangedRecord) error {
	e := &NewerChangeError{ID: c.ID, Kind: r.Kind, About: r.ID}
	e.Space = tx.spaceName()
	undo := uint64(0)
	err := scanChanges(tx, c.ID, func(newer Change) error {
		if newer.UndoneBy != 0 || !newer.changes(recordIn(c, r)) {
			return nil
		}
		if newer.Undoes > c.ID {
			undo = cmp.Or(undo, newer.ID)
			return nil
		}
		e.Newer = newer.ID
		return errStop
	})
	if err != nil {
		return err
	}
	// Only an undo that did not restore its record exactly leaves no other change.
	e.Newer = cmp.Or(e.Newer, undo)
	return e
}

// changes reports whether a change has a record.
func (c *Change) changes(id recordID) bool {
	return slices.ContainsFunc(c.Records, func(r ChangedRecord) bool { return recordIn(*c, r) == id })
}
