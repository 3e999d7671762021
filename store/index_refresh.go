package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// refreshBatch is the number of texts that enter an index in one transaction when it is
// built again.
const refreshBatch = 2048

// outdatedIndexError stops a transaction that has to write to a search index of an
// earlier version. The index is then built again, and the transaction repeated.
type outdatedIndexError struct{ refresh refreshing }

// refreshing does a part of the work that an outdated index needs.
type refreshing func(tx *Tx) (done bool, err error)

func (e *outdatedIndexError) Error() string {
	return "search index: an earlier version has written it"
}

// refreshed runs a function that fails with an outdatedIndexError if an index has to
// be built again before, and does that, in transactions of a bounded size.
func refreshed(ctx context.Context, s *Ledger, fn func() error) error {
	for {
		err := fn()
		var outdated *outdatedIndexError
		if !errors.As(err, &outdated) {
			return err
		}
		for done := false; !done; {
			err := s.maintain(ctx, func(tx *Tx) (err error) {
				done, err = outdated.refresh(tx)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// refreshIndexes builds all outdated indexes again. A group of writes cannot do it,
// because all of it becomes durable at once.
func refreshIndexes(ctx context.Context, s *Ledger) error {
	if s.current.Load() {
		return nil
	}
	err := refreshed(ctx, s, func() error {
		return s.inspect(ctx, func(tx *Tx) error {
			for _, kind := range s.schemas.All {
				if kind.Index == nil {
					continue
				}
				if err := kind.Index(tx); err != nil {
					return err
				}
			}
			return nil
		})
	})
	s.current.Store(err == nil)
	return err
}

// completeIndex fails with an outdatedIndexError unless an index is complete.
func completeIndex(tx *Tx, complete func(kv.Tx) (bool, error), refresh refreshing) error {
	done, err := complete(tx)
	if err == nil && !done {
		err = &outdatedIndexError{refresh}
	}
	return err
}

func refreshIndex(tx *Tx, refresh refreshing) error {
	done, err := refresh(tx)
	if err == nil && !done {
		err = &outdatedIndexError{refresh}
	}
	return err
}
