package store

import (
	"context"
	"errors"
	"io"

	"techo/internal/confine"
	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/ledger"
	"techo/store/memory"
	"techo/store/space"
)

// Backup writes a snapshot of the store and returns its number of records.
func (s *Store) Backup(ctx context.Context, to io.Writer) (int64, error) {
	return folder.WriteBackup(ctx, s.Engine, to)
}

// Restore replaces the store in a folder by a backup. It fails with a
// folder.NotEmptyError if the store is not empty; with force it keeps that store
// beside the new one.
func Restore(ctx context.Context, where string, backup confine.Place, force bool, opts Options) (folder.Restored, error) {
	d, err := driverOf(where)
	if err != nil {
		return folder.Restored{}, err
	}
	if d.restore == nil {
		return folder.Restored{}, &ledger.NoFeatureError{Store: Shown(where), Feature: ledger.FeatureRestore}
	}
	return d.restore(ctx, where, backup, force, opts.Holder)
}

// Compact drops the changes beyond the limits of the history and the turns of a week
// ago, and rewrites the store in its smallest form, without old versions.
func (s *Store) Compact(ctx context.Context) error {
	root := s.Ledger.Root()
	engine, err := ledger.Offered[kv.Compacter](root, ledger.FeatureCompaction)
	if err != nil {
		return err
	}
	if err := space.DropRemovedSpaces(ctx, root); err != nil {
		return err
	}
	numbers, err := root.SpacesWithKeys(ctx)
	if err != nil {
		return err
	}
	stores := []*ledger.Ledger{root}
	for _, number := range numbers {
		stores = append(stores, root.Maintained(number))
	}
	for _, one := range stores {
		if err := ledger.UntilDone(func() (int, error) { return trimHistory(ctx, one) }); err != nil {
			return err
		}
	}
	if _, err := memory.DropOldTurns(ctx, root); err != nil {
		return err
	}
	return engine.Compact(ctx)
}

// maxImportedBytes is the size of a store up to which an import compacts it: the larger it is, the longer that takes.
const maxImportedBytes = 2 << 30

// CompactAfterImport compacts the store after a large import, which leaves many tables
// to look into. It does nothing if the store is too large, the disk too full, or another program at its tables.
func (s *Store) CompactAfterImport(ctx context.Context) error {
	info, _, err := s.Info(ctx)
	if err != nil || info.Bytes > maxImportedBytes {
		return err
	}
	err = s.Compact(ctx)
	if errors.Is(err, kv.ErrNoSpace) || errors.As(err, new(*kv.BusyError)) {
		return nil
	}
	return err
}

// trimHistory drops some of the changes beyond the limits, and returns how
// many there were. It counts the others by owner and family if that was not done.
func trimHistory(ctx context.Context, s *ledger.Ledger) (dropped int, err error) {
	due := false
	err = s.View(ctx, func(tx *ledger.Tx) error {
		counts, err := tx.LoadHistoryCounts()
		due = err == nil && (counts.Due(s.History, s.Now()) || !counts.Tallied())
		return err
	})
	if err != nil || !due {
		return 0, err
	}
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		counts, err := tx.LoadHistoryCounts()
		if err != nil {
			return err
		}
		before := counts.Changes
		if err := tx.DropOldChanges(&counts, s.History, s.Now()); err != nil {
			return err
		}
		dropped = before - counts.Changes
		if dropped == 0 {
			if err := tx.TallyOlder(&counts, 0); err != nil {
				return err
			}
		}
		return counts.Save(tx)
	})
	return dropped, err
}
