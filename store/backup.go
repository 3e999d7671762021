package store

import (
	"context"
	"io"

	"techo/store/kv/folder"
	"techo/store/ledger"
)

// Backup writes a snapshot of the store and returns its number of records.
func (s *Store) Backup(ctx context.Context, to io.Writer) (int64, error) {
	return folder.WriteBackup(ctx, s.Engine, to)
}

// Restore replaces the store in a folder by a backup. It fails with a
// kv.NotEmptyError if the store is not empty; with force it keeps that store
// beside the new one.
func Restore(ctx context.Context, where, backup string, force bool, opts Options) (folder.Restored, error) {
	d, err := driverOf(where)
	if err != nil {
		return folder.Restored{}, err
	}
	if d.restore == nil {
		return folder.Restored{}, &ledger.NoFeatureError{Store: Shown(where), Feature: ledger.FeatureRestore}
	}
	return d.restore(ctx, where, backup, force, opts.Holder)
}
