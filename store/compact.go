package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// Compact drops the changes beyond the limits of the history and the turns of a week
// ago, gives old receipts a time, and rewrites the store in its smallest form, without old versions.
func (s *Store) Compact(ctx context.Context) error {
	s = rootOf(s)
	engine, err := offered[kv.Compacter](s, FeatureCompaction)
	if err != nil {
		return err
	}
	if err := dropRemovedSpaces(ctx, s); err != nil {
		return err
	}
	numbers, err := spacesWithKeys(ctx, s)
	if err != nil {
		return err
	}
	stores := []*Store{s}
	for _, number := range numbers {
		stores = append(stores, maintained(s, number))
	}
	for _, one := range stores {
		for _, step := range []func(context.Context, *Store) (int, error){trimHistory, dateReceipts} {
			if err := untilDone(func() (int, error) { return step(ctx, one) }); err != nil {
				return err
			}
		}
	}
	if _, err := dropAllOldTurns(ctx, s); err != nil {
		return err
	}
	return engine.Compact(ctx)
}

// maxImportedBytes is the size of a store up to which an import compacts it: other
// processes wait meanwhile.
const maxImportedBytes = 2 << 30

// CompactAfterImport compacts the store after a large import, which leaves many tables
// to look into. It does nothing if the store is too large, or the disk too full.
func (s *Store) CompactAfterImport(ctx context.Context) error {
	info, _, err := s.Info(ctx)
	if err != nil || info.Bytes > maxImportedBytes {
		return err
	}
	if err := s.Compact(ctx); err != nil && !errors.Is(err, kv.ErrNoSpace) {
		return err
	}
	return nil
}

// untilDone repeats a step until it has nothing left to do.
func untilDone(step func() (done int, err error)) error {
	for {
		if done, err := step(); err != nil || done == 0 {
			return err
		}
	}
}

// trimHistory drops some of the changes beyond the limits, and returns how
// many there were.
func trimHistory(ctx context.Context, s *Store) (dropped int, err error) {
	due := false
	err = s.view(ctx, func(tx *Tx) error {
		counts, err := loadHistoryCounts(tx)
		due = err == nil && counts.due(s.history, s.now())
		return err
	})
	if err != nil || !due {
		return 0, err
	}
	err = s.update(ctx, func(tx *Tx) error {
		counts, err := loadHistoryCounts(tx)
		if err != nil {
			return err
		}
		before := counts.Changes
		if err := dropOldChanges(tx, &counts, s.history, s.now()); err != nil {
			return err
		}
		dropped = before - counts.Changes
		return counts.save(tx)
	})
	return dropped, err
}
