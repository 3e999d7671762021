package store

import (
	"context"
	"errors"

	"techo/store/search"
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
			if err := completeIndex(tx, search.At(memoSearch), refreshMemos); err != nil {
				return err
			}
			return scanMemoryUsers(tx, func(u memoryUser) error {
				return completeIndex(tx, u.index(), refreshMemories(u.Number, refreshBatch))
			})
		})
	})
	s.current.Store(err == nil)
	return err
}

// completeIndex fails with an outdatedIndexError unless an index is complete.
func completeIndex(tx *Tx, x search.Index, refresh refreshing) error {
	complete, err := x.Complete(tx)
	if err == nil && !complete {
		err = &outdatedIndexError{refresh}
	}
	return err
}

// refreshMemoryIndex builds the search index of a user again if an earlier version of
// techo has written it. It fails with an outdatedIndexError if that takes more than one
// transaction. The records and the numbers of their texts stay.
func refreshMemoryIndex(tx *Tx, user uint32) error {
	return refreshIndex(tx, refreshMemories(user, refreshBatch))
}

// refreshMemoIndex is refreshMemoryIndex for the memos.
func refreshMemoIndex(tx *Tx) error { return refreshIndex(tx, refreshMemos) }

func refreshIndex(tx *Tx, refresh refreshing) error {
	done, err := refresh(tx)
	if err == nil && !done {
		err = &outdatedIndexError{refresh}
	}
	return err
}

// refreshMemories adds up to most memories of a user again at a time.
func refreshMemories(user uint32, most int) refreshing {
	return func(tx *Tx) (bool, error) {
		drafter := NewDrafter()
		return search.At(user).Rebuild(tx, most, func(id string) (search.Doc, error) {
			r, err := indexedMemory(tx, user, id)
			return r.doc(drafter.Draft(r.memory()).bag), err
		})
	}
}

func refreshMemos(tx *Tx) (bool, error) {
	return search.At(memoSearch).Rebuild(tx, refreshBatch, func(id string) (search.Doc, error) {
		var r memoRecord
		err := load(tx, memoKey(id), &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
}
