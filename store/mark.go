package store

import (
	"context"
	"strings"

	"techo/store/kv"
	"techo/store/kv/lock"
	"techo/store/ledger"
)

// Mark returns a value that differs from earlier ones after any process has written to
// the store in a folder, which need not exist. It only looks at the times and sizes of a few
// files, so it can be called often.
func Mark(folder string) any { return lock.Mark(folder) }

// InDatabase reports whether the address of a store leads to a database.
func InDatabase(where string) bool { return strings.Contains(where, "://") }

// DatabaseMark is Mark for a store in a database, which it asks.
func DatabaseMark(ctx context.Context, s *Store) (string, error) {
	e, err := ledger.Offered[kv.Marker](s.Ledger, ledger.FeatureMark)
	if err != nil {
		return "", err
	}
	return e.Mark(ctx)
}
