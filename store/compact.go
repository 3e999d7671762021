package store

import (
	"context"

	"techo/store/kv"
)

// Compact drops the changes beyond the limits of the history and the turns of a week
// ago, gives old receipts a time, and rewrites the store in its smallest form, without old versions.
func (s *Store) Compact(ctx context.Context) error {
	engine, err := offered[kv.Compacter](s, FeatureCompaction)
	if err != nil {
		return err
	}
	for {
		dropped, err := trimHistory(ctx, s)
		if err != nil {
			return err
		}
		if dropped == 0 {
			break
		}
	}
	for {
		dated, err := dateReceipts(ctx, s)
		if err != nil {
			return err
		}
		if dated == 0 {
			break
		}
	}
	if _, err := dropAllOldTurns(ctx, s); err != nil {
		return err
	}
	return engine.Compact(ctx)
}

// trimHistory drops some of the changes beyond the limits, and returns how
// many there were.
func trimHistory(ctx context.Context, s *Store) (dropped int, err error) {
	due := false
	err = s.view(ctx, func(tx kv.Tx) error {
		counts, err := loadHistoryCounts(tx)
		due = err == nil && counts.due(s.history, s.now())
		return err
	})
	if err != nil || !due {
		return 0, err
	}
	err = s.update(ctx, func(tx kv.Tx) error {
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
