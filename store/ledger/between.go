package ledger

import "context"

// UpdateBoth runs fn in one transaction of two spaces, and links their changes.
func UpdateBoth(ctx context.Context, from, to *Ledger, fn func(here, there *Tx) error) error {
	if from.Space == to.Space || from.Root() != to.Root() || Joined(ctx) {
		return ErrOtherSpace
	}
	for _, s := range []*Ledger{from, to} { // it could not be done in the transaction
		if err := s.refreshIndexes(ctx); err != nil {
			return err
		}
	}
	return from.Root().Maintain(ctx, func(tx *Tx) error {
		here, err := from.changing(ctx, tx)
		if err != nil {
			return err
		}
		there, err := to.changing(ctx, tx)
		if err != nil {
			return err
		}
		if err := fn(here, there); err != nil {
			return err
		}
		if err := link(from, to, here.Changes, there.Changes); err != nil {
			return err
		}
		if err := here.Changes.finish(); err != nil {
			return err
		}
		return there.Changes.finish()
	})
}

// changing returns the transaction of a space, or of the store, within a transaction of
// the store. It records its changes.
func (s *Ledger) changing(ctx context.Context, tx *Tx) (*Tx, error) {
	tx, err := s.entered(tx, WriteRole)
	if err != nil {
		return nil, err
	}
	return s.recording(ctx, tx), nil
}

// link makes the changes of two spaces name each other.
func link(from, to *Ledger, here, there *Recorder) error {
	one, err := here.Number()
	if err != nil {
		return err
	}
	other, err := there.Number()
	if err != nil || one == 0 || other == 0 { // one of them records no changes
		return err
	}
	here.Change.Moved, there.Change.Moved = ChangeLink{to.Space, other}, ChangeLink{from.Space, one}
	return nil
}
