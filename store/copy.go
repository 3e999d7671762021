package store

import (
	"context"
	"errors"
	"fmt"

	"techo/store/kv"
)

// # A copy
//
// A copy writes all records of one store into another, empty one, batch by batch. The
// key copyMark stands in the target from the first batch to the last, so that a copy
// that was interrupted can be told from a store: it does not pass Verify, and another
// copy replaces it.
const copyMark = "\x00copy"

// Sizes of a batch of a copy.
const (
	copyKeys  = 10_000
	copyBytes = 8 << 20
)

// NotEmptyError reports that the target of a copy has records.
type NotEmptyError struct{ Store string }

func (e *NotEmptyError) Error() string { return e.Store + ": not empty" }

// SameStoreError reports that a store was to be copied onto itself.
type SameStoreError struct{ Store string }

func (e *SameStoreError) Error() string { return e.Store + ": source and target of a copy" }

// Copy copies all records of a store into an empty one, which may have another engine,
// and returns their number. It copies one state, while others write.
func Copy(ctx context.Context, from, to *Store) (records int64, err error) {
	if from.where == to.where {
		return 0, &SameStoreError{Shown(to.where)}
	}
	if err := prepareCopy(ctx, to); err != nil {
		return 0, err
	}
	var batch []kv.Pair
	size := 0
	flush := func() error {
		err := to.engine.Update(ctx, func(tx kv.Tx) error {
			for _, p := range batch {
				err := tx.Put(p.Key, p.Value)
				if entry := entryOf(p.Key); err == nil && entry != nil && crowded(tx) {
					err = tx.Put(entry, nil)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		records += int64(len(batch))
		batch, size = batch[:0], 0
		return err
	}
	err = counted{from.engine}.Snapshot(ctx, func(tx kv.Tx) error {
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			if string(p.Key) == copyMark {
				return fmt.Errorf("%s: %w", Shown(from.where), errUnfinishedCopy)
			}
			batch = append(batch, kv.Pair{Key: append([]byte{}, p.Key...), Value: p.Value})
			if size += len(p.Key) + len(p.Value); size < copyBytes && len(batch) < copyKeys {
				continue
			}
			if err := flush(); err != nil {
				return err
			}
		}
		return flush()
	})
	if err != nil {
		return 0, err
	}
	return records, to.engine.Update(ctx, func(tx kv.Tx) error { return tx.Delete([]byte(copyMark)) })
}

var errUnfinishedCopy = errors.New("a copy into it was interrupted")

// prepareCopy marks an empty target. It clears one that an interrupted copy has left.
func prepareCopy(ctx context.Context, to *Store) error {
	for {
		more := false
		err := to.engine.Update(ctx, func(tx kv.Tx) error {
			more = false
			var keys [][]byte
			for item, err := range tx.Scan(kv.Range{KeysOnly: true, Limit: copyKeys}) {
				if err != nil {
					return err
				}
				keys = append(keys, append([]byte{}, item.Key...))
			}
			switch {
			case len(keys) == 0:
				return tx.Put([]byte(copyMark), nil)
			case string(keys[0]) != copyMark:
				return &NotEmptyError{Shown(to.where)}
			}
			more = len(keys) > 1
			return deleteKeys(tx, keys[1:])
		})
		if err != nil || !more {
			return err
		}
	}
}

// Migrate prepares the place of a store, or brings the store to the present format. It
// returns the format before, 0 without a store, and after.
func Migrate(ctx context.Context, where string, o Options) (from, to int, err error) {
	o.Write = true
	s, err := Open(where, o)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	if m, ok := s.engine.(kv.Migrater); ok {
		return m.Migrate(ctx)
	}
	before, err := s.engine.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	if before.Generation > 0 && before.Format < kv.FolderFormat {
		err = s.Compact(ctx) // which writes the present format
	}
	if before.Generation > 0 || before.JournalBytes > 0 {
		from = before.Format
	}
	return from, kv.FolderFormat, err
}
