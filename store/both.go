package store

import "context"

// updateBoth runs fn in one transaction of two spaces, and links their changes.
func updateBoth(ctx context.Context, from, to *Ledger, fn func(here, there *Tx) error) error {
	if from.space == to.space || rootOf(from) != rootOf(to) || joined(ctx) {
		return errOtherSpace
	}
	for _, s := range []*Ledger{from, to} { // it could not be done in the transaction
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
func changingIn(ctx context.Context, s *Ledger, tx *Tx) (*Tx, error) {
	tx, err := s.entered(tx, WriteRole)
	if err != nil {
		return nil, err
	}
	return recording(ctx, s, tx), nil
}

// link makes the changes of two spaces name each other.
func link(from, to *Ledger, here, there *changeRecorder) error {
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
