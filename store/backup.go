package store

import (
	"context"
	"io"
	"strings"

	"techo/store/kv"
)

// Backup writes a snapshot of the store and returns its number of records.
func (s *Store) Backup(ctx context.Context, to io.Writer) (int64, error) {
	return kv.WriteBackup(ctx, s.engine, to)
}

// Restore replaces the store in a folder by a backup. It fails with a
// kv.NotEmptyError if the store is not empty; with force it keeps that store
// beside the new one.
func Restore(ctx context.Context, where, backup string, force bool, opts Options) (kv.Restored, error) {
	if scheme, _, ok := strings.Cut(where, "://"); ok {
		return kv.Restored{}, &NoEngineError{scheme}
	}
	return kv.Restore(ctx, where, backup, force, opts.Holder)
}
