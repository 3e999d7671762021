package store

import (
	"context"
	"io"
	"strings"

	"techo/store/kv"
)

// Backup writes the whole store as it is at one moment. It returns the number
// of records.
func (s *Store) Backup(ctx context.Context, to io.Writer) (int64, error) {
	return kv.WriteBackup(ctx, s.engine, to)
}

// Restore puts a backup in the place of the store at a folder. It refuses one
// that is not empty with a kv.NotEmptyError; with force that one is kept
// beside the new one.
func Restore(ctx context.Context, where, backup string, force bool, opts Options) (kv.Restored, error) {
	if scheme, _, ok := strings.Cut(where, "://"); ok {
		return kv.Restored{}, &NoEngineError{scheme}
	}
	return kv.Restore(ctx, where, backup, force, opts.Holder)
}
