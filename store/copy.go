package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"

	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/kv/journal"
	"techo/store/ledger"
)

// # A copy
//
// A copy writes all records of one store into another, empty one. In a folder they appear all
// at once. A database takes them batch by batch. From the first batch to the last, the key
// copyMark stands there with a random number, the owner. Other processes refuse such a store
// when they look at it first, together with its format. Another copy may be interrupted, or may
// still run: a new one writes its own number and removes what is there. As each batch checks the
// number, the earlier copy then fails.
//
// A process that looked at the store just before does not know of the copy for a minute, and
// may write. So the keys are counted at the end.
const copyMark = "\x00copy"

// Sizes of a batch of a copy.
const (
	copyKeys  = 10_000
	copyBytes = 8 << 20
)

// SameStoreError reports that a store was to be copied onto itself.
type SameStoreError struct{ Store string }

func (e *SameStoreError) Error() string { return e.Store + ": source and target of a copy" }

// ContestedError reports that others have written to the target of a copy meanwhile.
type ContestedError struct{ Store string }

func (e *ContestedError) Error() string { return e.Store + ": others have written to it during a copy" }

// Copy copies all records of a store into an empty one, which may have another engine,
// and returns their number. It copies one state, while others write. It fails with a folder.NotEmptyError
// if the target has records.
func Copy(ctx context.Context, from, to *Store) (records int64, err error) {
	if from.Where == to.Where {
		return 0, &SameStoreError{Shown(to.Where)}
	}
	if dir, err := to.Ledger.Folder(); err == nil {
		return copyToFolder(ctx, from, to, dir)
	}
	c := &databaseCopy{to: to, owner: make([]byte, 16)}
	_, _ = rand.Read(c.owner) // it never fails
	if err := c.begin(ctx); err != nil {
		return 0, err
	}
	records, err = eachRecord(ctx, from, func(key, value []byte) error {
		c.batch = append(c.batch, kv.Pair{Key: bytes.Clone(key), Value: value})
		if c.size += len(key) + len(value); c.size < copyBytes && len(c.batch) < copyKeys {
			return nil
		}
		return c.flush(ctx)
	})
	if err != nil {
		return 0, err
	}
	if err := c.flush(ctx); err != nil {
		return 0, err
	}
	return records, c.finish(ctx)
}

// copyToFolder copies all records of a store into one in a folder.
func copyToFolder(ctx context.Context, from, to *Store, dir string) (records int64, err error) {
	err = folder.Fill(ctx, dir, to.Holder, func(put func(key, value []byte) error) (err error) {
		records, err = eachRecord(ctx, from, put)
		return err
	})
	if full := new(folder.NotEmptyError); errors.As(err, &full) {
		full.Path = Shown(to.Where)
	}
	return records, err
}

// eachRecord calls use with all records of one state of a store, and returns
// their number. A key is valid until use returns.
func eachRecord(ctx context.Context, from *Store, use func(key, value []byte) error) (records int64, err error) {
	err = from.Snapshot(ctx, func(tx *ledger.Tx) error {
		for p, err := range kv.Pairs(tx, kv.Range{}) {
			if err != nil {
				return err
			}
			if string(p.Key) == copyMark { // the copy began after this process had looked
				return &kv.UnfinishedError{Server: Shown(from.Where)}
			}
			if err := use(p.Key, p.Value); err != nil {
				return err
			}
			records++
		}
		return nil
	})
	return records, err
}

type databaseCopy struct {
	to    *Store
	owner []byte // the value under copyMark as long as no other copy has begun
	batch []kv.Pair
	size  int // bytes of the batch
	keys  int // in the store after the last batch, without copyMark
}

// begin marks an empty target. It takes over and clears one that another copy has begun.
func (c *databaseCopy) begin(ctx context.Context) error {
	for owned, more := false, true; more; owned = true {
		err := c.to.Maintain(ctx, func(tx *ledger.Tx) error {
			keys, err := firstKeys(tx)
			switch {
			case err != nil:
				return err
			case len(keys) > 0 && string(keys[0]) != copyMark:
				return &folder.NotEmptyError{Path: Shown(c.to.Where)}
			case owned:
				err = c.check(tx)
			default:
				err = tx.Put([]byte(copyMark), c.owner)
			}
			more = len(keys) > 1
			if err != nil || !more {
				return err
			}
			return tx.DeleteKeys(keys[1:])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// firstKeys returns the first keys of a store, as many as a batch has.
func firstKeys(tx *ledger.Tx) (keys [][]byte, err error) {
	for item, err := range tx.Scan(kv.Range{KeysOnly: true, Limit: copyKeys}) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, bytes.Clone(item.Key))
	}
	return keys, nil
}

// check fails if another copy has begun.
func (c *databaseCopy) check(tx *ledger.Tx) error {
	owner, err := tx.Get([]byte(copyMark))
	if errors.Is(err, kv.ErrNotFound) || err == nil && !bytes.Equal(owner, c.owner) {
		return &ContestedError{Shown(c.to.Where)}
	}
	return err
}

// flush writes the batch.
func (c *databaseCopy) flush(ctx context.Context) error {
	err := c.to.Maintain(ctx, func(tx *ledger.Tx) error {
		if err := c.check(tx); err != nil {
			return err
		}
		for _, p := range c.batch {
			if err := tx.Put(p.Key, p.Value); err != nil {
				return err
			}
		}
		return nil
	})
	c.keys += len(c.batch)
	c.batch, c.size = c.batch[:0], 0
	return err
}

// finish removes the mark, unless others have written to the store.
func (c *databaseCopy) finish(ctx context.Context) error {
	keys := 0
	err := c.to.Snapshot(ctx, func(tx *ledger.Tx) error {
		for _, err := range tx.Scan(kv.Range{KeysOnly: true}) {
			if err != nil {
				return err
			}
			keys++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.to.Maintain(ctx, func(tx *ledger.Tx) error {
		if err := c.check(tx); err != nil {
			return err
		}
		if keys != c.keys+1 {
			return &ContestedError{Shown(c.to.Where)}
		}
		return tx.Delete([]byte(copyMark))
	})
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
	if m, ok := s.Engine.(kv.Migrater); ok {
		if from, to, err = m.Migrate(ctx); err == nil {
			err = s.Ledger.RefreshIndexes(ctx)
		}
		return from, to, err
	}
	before, err := s.Engine.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	if before.Generation > 0 || before.JournalBytes > 0 {
		from = before.Format
	}
	return from, journal.Format, s.Ledger.RefreshIndexes(ctx)
}
