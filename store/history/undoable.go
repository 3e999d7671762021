package history

import (
	"cmp"
	"context"
	"slices"

	"techo/store/ledger"
	"techo/store/space"
)

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
		c, _, err := findChange(tx, ledger.ChangeID(number), f)
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

// changes reports whether a change has a record.
func changes(c *ledger.Change, tx *ledger.Tx, id ledger.RecordID) bool {
	return slices.ContainsFunc(c.Records, func(r ledger.ChangedRecord) bool { return recordIn(tx, *c, r) == id })
}
