package store

import (
	"context"
	"math/rand/v2"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// # The history in a database
//
// In a folder, one process writes at a time, and each change is counted under one key. In
// a database, many machines write at once, and a key that all of them change would make
// every transaction run again. There (kv.Crowded) no counts are kept, and the extent of the
// history is measured when it is needed. A change has the time of the database's clock as
// its number and reads nothing, and one of trimEvery writes drops old changes afterwards.
// Instead of a count that shows whether changes are missing, each change has an entry under
// a key of its own, which is written and dropped with it. Copies and backups of a database
// have the counts of a folder (crowd_copy.go).

// crowdOf returns the transaction of the engine as one among many writers, and what
// precedes the keys of tx there; nil for an engine without them.
func crowdOf(tx kv.Tx) (crowd kv.Crowded, prefix []byte) {
	switch tx := tx.(type) {
	case *changeTx:
		return crowdOf(tx.Tx)
	case *turn:
		return crowdOf(tx.Tx)
	case *countedTx:
		return crowdOf(tx.Tx)
	case *sharedTx:
		crowd, prefix = crowdOf(tx.Tx)
		return crowd, append(prefix, tx.prefix...)
	case kv.Crowded:
		return tx, nil
	}
	return nil, nil
}

func crowded(tx kv.Tx) bool {
	crowd, _ := crowdOf(tx)
	return crowd != nil
}

// prefixed returns keys with what precedes them in a database.
func prefixed(prefix []byte, keys [][]byte) [][]byte {
	all := make([][]byte, len(keys))
	for i, key := range keys {
		all[i] = slices.Concat(prefix, key)
	}
	return all
}

// measure returns the extents of the keys with some prefixes in a database.
func measure(tx kv.Tx, prefixes ...[]byte) ([]kv.Extent, error) {
	crowd, prefix := crowdOf(tx)
	all, err := crowd.Measure(prefixed(prefix, prefixes)...)
	for i := range all {
		all[i].Bytes -= all[i].Keys * int64(len(prefix))
	}
	return all, err
}

// assume notes that there is probably nothing under some keys, all of which the transaction
// writes. A database finds out at the commit.
func assume(tx kv.Tx, keys ...[]byte) {
	if crowd, prefix := crowdOf(tx); crowd != nil {
		crowd.Assume(prefixed(prefix, keys)...)
	}
}

// pageBreaks returns the keys at which the pages of a database's index end: around keys that
// all who write memos or memories read, and behind the keys that grow with each write.
func pageBreaks() (all [][]byte) {
	before := func(s space) []byte { return []byte{s[0], s[1] - 1, 0xff} }
	behind := func(s space) []byte { return []byte{s[0], s[1], 0xff} }
	for _, s := range []space{memoryDigests, memoryUsers, memoNotes} {
		all = append(all, before(s), behind(s))
	}
	statistics := space(search.NumbersKey(search.At(0))[:2])
	return append(all, behind(statistics), behind(historyEntries))
}

// measuredHistory returns the extent of the history of a database.
func measuredHistory(tx kv.Tx) (c HistoryCounts, err error) {
	all, err := measure(tx, historyChanges.all(), historyParts.all())
	if err != nil {
		return c, err
	}
	c.Changes, c.Bytes = int(all[0].Keys), all[0].Bytes+all[1].Bytes
	oldest := kv.Range{Prefix: historyChanges.all(), Limit: 1}
	err = eachChange(tx, oldest, func(change Change) error {
		c.first, c.Oldest = change.ID, change.At
		return nil
	})
	return c, err
}

// firstNumber returns the number of the oldest change, 0 without one.
func firstNumber(tx kv.Tx) (uint64, error) { return numberAt(tx, false) }

// lastNumber returns the number of the last change, 0 without one.
func lastNumber(tx kv.Tx) (uint64, error) { return numberAt(tx, true) }

func numberAt(tx kv.Tx, end bool) (number uint64, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: historyChanges.all(), Reverse: end, Limit: 1, KeysOnly: true}) {
		if err != nil {
			return 0, err
		}
		number, _ = cutNumber(rest(item.Key))
	}
	return number, nil
}

// crowdNumber returns the number of a new change in a database. At a given time, as in
// tests, changes are numbered one after the other, so that the same calls have the same
// results in every store; their transactions meet.
func crowdNumber(tx kv.Tx, given bool) (uint64, error) {
	if given {
		counts, err := loadHistoryCounts(tx)
		if err != nil {
			return 0, err
		}
		last, err := lastNumber(tx)
		if err != nil {
			return 0, err
		}
		counts.last = max(counts.last, last) + 1
		return counts.last, counts.save(tx)
	}
	crowd, _ := crowdOf(tx)
	return crowd.Stamp()
}

// putEntry writes the entry of a change in a database.
func putEntry(tx kv.Tx, id uint64) error {
	if !crowded(tx) {
		return nil
	}
	return tx.Put(entryKey(id), nil)
}

// checkEntries compares the changes of a database, sorted by number, with their entries. An
// entry without its change is a finding: the change was removed by something else than
// techo. Changes that a store of a former format wrote have no entries.
func checkEntries(tx kv.Tx, changes []uint64) error {
	for item, err := range tx.Scan(kv.Range{Prefix: historyEntries.all(), KeysOnly: true}) {
		if err != nil {
			return err
		}
		id, ok := cutNumber(rest(item.Key))
		if _, found := slices.BinarySearch(changes, id); !ok || !found {
			return finding(NoRecord, KindChange, ChangeID(id), nil)
		}
	}
	return nil
}

// Of so many changes in a database, or so many bytes of them, one drops old ones, in at
// most trimSteps transactions of maxDropped changes.
const (
	trimEvery = 256
	trimBytes = 1 << 20
	trimSteps = 16
)

// noteSize notes that a change of a size is recorded.
func (c *changeTx) noteSize(size int) {
	if rand.Float64() < 1/float64(c.store.trimEvery)+float64(size)/trimBytes {
		c.store.trimDue.Store(true)
	}
}

// trimIfDue drops old changes of the history if a write has found that it is time. The
// write is durable already, so an error is left to the next one that tries.
func trimIfDue(ctx context.Context, s *Store) {
	if ctx.Value(groupedKey{}) != nil || !s.trimDue.CompareAndSwap(true, false) {
		return
	}
	for range min(s.trimEvery, trimSteps) {
		if dropped, err := trimHistory(ctx, s); err != nil || dropped == 0 {
			return
		}
	}
}

// groupedKey is the context key of a Group: its writes are not durable yet.
type groupedKey struct{}

// trimCrowd drops some of the changes of a database beyond the limits, and returns how
// many there were. It measures the history without meeting its writers.
func trimCrowd(ctx context.Context, s *Store) (dropped int, err error) {
	var counts HistoryCounts
	err = s.engine.Snapshot(ctx, func(tx kv.Tx) (err error) {
		counts, err = measuredHistory(tx)
		return err
	})
	if err != nil || !counts.due(s.history, s.now()) {
		return 0, err
	}
	err = s.engine.Update(ctx, func(tx kv.Tx) error {
		oldest, err := firstNumber(tx)
		if err != nil || oldest != counts.first { // another one has dropped changes meanwhile
			return err
		}
		left := counts
		err = dropOldChanges(tx, &left, s.history, s.now())
		dropped = counts.Changes - left.Changes
		return err
	})
	return dropped, err
}
