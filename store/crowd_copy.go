package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"techo/store/kv"
)

// counted is an engine whose Snapshots have the counts that a folder has (of memos, memories,
// users, events, questions and changes), for copies, backups and checks.
type counted struct{ kv.Engine }

func (e counted) Snapshot(ctx context.Context, fn func(kv.Tx) error) error {
	return e.Engine.Snapshot(ctx, func(tx kv.Tx) error {
		if crowded(tx) {
			tx = &countedTx{tx}
		}
		return fn(tx)
	})
}

type countedTx struct{ kv.Tx }

// Scan adds the counts to a scan of all keys.
func (t *countedTx) Scan(r kv.Range) iter.Seq2[kv.Item, error] {
	if r.Prefix != nil || r.From != nil || r.To != nil || r.Limit > 0 {
		return t.Tx.Scan(r)
	}
	return func(yield func(kv.Item, error) bool) {
		questions, err := countedQuestions(t.Tx)
		if err != nil {
			yield(kv.Item{}, err)
			return
		}
		c := &changeCounting{tx: t.Tx, yield: yield, questions: questions}
		for p, err := range kv.Pairs(t.Tx, r) {
			if !c.pass(p, err) {
				return
			}
		}
		c.finish()
	}
}

// entryOf returns the key of the entry of the change with a key, in the store or in a shared
// space, nil for other keys.
func entryOf(key []byte) []byte {
	within := key
	if _, rest, ok := cutShared(key); ok && spaceOf(key) == sharedRecords {
		within = rest
	}
	if id, ok := cutNumber(rest(within)); ok && spaceOf(within) == historyChanges {
		return append(bytes.Clone(key[:len(key)-len(within)]), entryKey(id)...)
	}
	return nil
}

// changeCounting counts the changes of the store, then of each shared space, while their keys
// pass by, and yields the counts where they belong.
type changeCounting struct {
	tx     kv.Tx
	yield  func(kv.Item, error) bool
	prefix []byte // of the shared space whose keys pass by; nil for the store
	counts HistoryCounts
	stored []byte // the counts that the database has, which a copy of a folder has brought

	questions QuestionCounts // not yielded yet
	memos     bool           // the counts of the memos were yielded
}

// pass yields a pair, and before it the counts if their place is there.
func (c *changeCounting) pass(p kv.Pair, err error) bool {
	if err != nil {
		return c.yield(kv.Item{}, err)
	}
	if !c.passQuestions(p.Key) {
		return false
	}
	if bytes.Equal(p.Key, questionCountKey.all()) {
		return true
	}
	var prefix []byte
	within := p.Key
	if _, rest, ok := cutShared(p.Key); ok && spaceOf(p.Key) == sharedRecords {
		prefix, within = p.Key[:len(p.Key)-len(rest)], rest
	}
	if !bytes.Equal(prefix, c.prefix) || bytes.Compare(within, historyCountKey.all()) > 0 {
		if !c.finish() {
			return false
		}
		if !bytes.Equal(prefix, c.prefix) {
			c.prefix, c.memos = bytes.Clone(prefix), prefix == nil // the store's own memos came first
		}
	}
	if done, ok := c.passMemos(within); done || !ok {
		return ok
	}
	if bytes.Equal(within, historyCountKey.all()) {
		c.stored = bytes.Clone(p.Value)
		return true
	}
	if spaceOf(within) == historyChanges {
		if change, err := decodeChange(within, p.Value); err == nil { // a damaged one is copied as it is
			c.counts.add(&change)
			c.counts.last = change.ID
		}
	}
	value, kept, err := folderValue(c.inside(), within, p.Value)
	if !kept {
		return true
	}
	return c.yield(kv.NewItem(p.Key, func() ([]byte, error) { return value, err }), nil)
}

// folderValue returns the value that a folder has under a key of a database; kept is false if
// it has counts instead.
func folderValue(tx kv.Tx, key, value []byte) (of []byte, kept bool, err error) {
	switch spaceOf(key) {
	case historyEntries:
		return nil, false, nil
	case calendarRecords:
		value, err = folderCounts(tx, key, value)
	case memoryUsers:
		value, err = folderUser(tx, value)
	case memoryUserCount:
		if len(rest(key)) > 0 { // a number that was drawn
			return nil, false, nil
		}
		value, err = folderUserCount(tx, value)
	}
	return value, true, err
}

// inside returns a transaction of the store or the shared space whose keys pass by.
func (c *changeCounting) inside() kv.Tx {
	if c.prefix == nil {
		return c.tx
	}
	return &sharedTx{Tx: c.tx, prefix: c.prefix}
}

// passMemos yields the counts of the memos before the first key after theirs. done means that
// the key has no place in a folder; ok is false after the last yield.
func (c *changeCounting) passMemos(within []byte) (done, ok bool) {
	if bytes.Compare(within, memoCountKey.all()) < 0 {
		return false, true
	}
	if !c.memos {
		c.memos = true
		counts, err := memoTotals(c.inside())
		if err == nil {
			counts.Latest, err = latestChange(c.inside())
		}
		if counts.Memos > 0 || counts.Spaces || err != nil {
			value, failed := json.Marshal(counts)
			if !c.yieldCounts(memoCountKey, value, errors.Join(err, failed)) {
				return false, false
			}
		}
	}
	return bytes.Equal(within, memoCountKey.all()) || spaceOf(within) == memoNotes, true
}

// passQuestions yields the counts of the questions before the first key after theirs.
func (c *changeCounting) passQuestions(key []byte) bool {
	counts := c.questions
	if counts.Last == 0 || bytes.Compare(key, questionCountKey.all()) <= 0 {
		return true
	}
	c.questions = QuestionCounts{}
	value, err := json.Marshal(counts)
	return c.yieldCounts(questionCountKey, value, err)
}

// yieldCounts yields counts of the store or the shared space whose keys pass by, or the error
// that there was.
func (c *changeCounting) yieldCounts(s space, value []byte, err error) bool {
	key := append(bytes.Clone(c.prefix), s.all()...)
	return c.yield(kv.NewItem(key, func() ([]byte, error) { return value, err }), nil)
}

// finish yields the counts, if there is anything to count.
func (c *changeCounting) finish() bool {
	counts, stored := c.counts, c.stored
	c.counts, c.stored = HistoryCounts{}, nil
	if counts.Changes == 0 && stored == nil {
		return true
	}
	if before, err := decodeHistoryCounts(stored); stored != nil && err == nil {
		// What was assigned or dropped before counts as well.
		counts.last = max(counts.last, before.last)
		if counts.Changes == 0 || before.first <= counts.first {
			counts.first = before.first
		}
	}
	return c.yieldCounts(historyCountKey, counts.encode(), nil)
}
