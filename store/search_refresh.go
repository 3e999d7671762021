package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"techo/store/kv"
	"techo/store/search"
)

// refreshBatch is the number of texts that enter an index in one transaction when it is
// built again.
const refreshBatch = 2048

// OutdatedError is returned for a search in an index that another version of techo has written,
// when this process must not write. Migrate, or the next write, builds the index again.
type OutdatedError struct{ Store string }

func (e *OutdatedError) Error() string { return e.Store + ": " + search.ErrOutdated.Error() }

// refreshed runs a function. If a search index has to be built again before, it does that and
// runs the function once more.
func refreshed(ctx context.Context, s *Store, fn func() error) error {
	err := fn()
	if !errors.Is(err, search.ErrOutdated) {
		return err
	}
	root := rootOf(s)
	if !root.write {
		return &OutdatedError{Shown(root.where)}
	}
	if err := refreshAll(ctx, root); err != nil {
		return err
	}
	return fn()
}

// refreshAll builds all outdated indexes of a store and of its shared spaces again.
func refreshAll(ctx context.Context, s *Store) error {
	numbers, err := spacesWithKeys(ctx, s)
	if err != nil {
		return err
	}
	all := []*Store{s}
	for _, number := range numbers {
		all = append(all, maintained(s, number))
	}
	for _, s := range all {
		if err := rebuildIndexes(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// refreshIndexes builds the outdated indexes of a store, or of one shared space, again. A group of
// writes cannot do it, because all of it becomes durable at once.
func refreshIndexes(ctx context.Context, s *Store) error {
	if s.current.Load() {
		return nil
	}
	err := rebuildIndexes(ctx, s)
	s.current.Store(err == nil)
	return err
}

func rebuildIndexes(ctx context.Context, s *Store) error {
	outdated, err := outdatedIndexes(ctx, s)
	for _, refresh := range outdated {
		for done := false; err == nil && !done; {
			err = s.maintain(ctx, func(tx *Tx) (err error) {
				done, err = refresh(tx)
				return err
			})
		}
	}
	return err
}

// outdatedIndexes returns what builds the outdated indexes of a store again.
func outdatedIndexes(ctx context.Context, s *Store) (all []refreshing, err error) {
	err = s.inspect(ctx, func(tx *Tx) error {
		all = nil
		check := func(err error, refresh refreshing) error {
			if errors.Is(err, search.ErrOutdated) {
				all = append(all, refresh)
				return nil
			}
			return err
		}
		if err := check(refreshMemoIndex(tx), refreshMemos); err != nil {
			return err
		}
		return scanMemoryUsers(tx, func(u memoryUser) error {
			return check(refreshMemoryIndex(tx, u.Number), refreshMemories(u.Number))
		})
	})
	return all, err
}

// refreshing does a part of the work that an outdated index needs.
type refreshing func(tx *Tx) (done bool, err error)

// refreshMemoryIndex returns search.ErrOutdated unless the search index of a user can be written to.
func refreshMemoryIndex(tx *Tx, user uint32) error { return search.At(user).Ready(tx) }

// refreshMemoIndex is refreshMemoryIndex for the memos.
func refreshMemoIndex(tx *Tx) error { return search.At(memoSearch).Ready(tx) }

// refreshMemories builds the index of a user's memories again.
func refreshMemories(user uint32) refreshing {
	return func(tx *Tx) (bool, error) {
		return search.At(user).Rebuild(tx, refreshBatch, memoryTexts(tx, user))
	}
}

// refreshMemos builds the index of the memos again.
func refreshMemos(tx *Tx) (bool, error) {
	texts := textsOf(tx, memoKey(""), func(p kv.Pair) (search.Doc, error) {
		var r memoRecord
		err := json.Unmarshal(p.Value, &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
	return search.At(memoSearch).Rebuild(tx, refreshBatch, texts)
}

// memoryTexts returns the texts of a user's memories.
func memoryTexts(tx kv.Tx, user uint32) search.TextsAfter {
	drafter := NewDrafter()
	return textsOf(tx, memoryKey(user, ""), func(p kv.Pair) (search.Doc, error) {
		r, err := decodeMemory(p.Key, p.Value)
		return r.doc(drafter.Draft(r.memory()).bag), err
	})
}

// textsOf returns the texts of the records under a prefix.
func textsOf(tx kv.Tx, prefix []byte, read func(kv.Pair) (search.Doc, error)) search.TextsAfter {
	return func(after string) iter.Seq2[search.Doc, error] {
		records := kv.Range{Prefix: prefix, From: append(append(prefix[:len(prefix):len(prefix)], after...), 0)}
		if after == "" {
			records.From = nil
		}
		return func(yield func(search.Doc, error) bool) {
			for p, err := range kv.Pairs(tx, records) {
				var d search.Doc
				if err == nil {
					d, err = read(p)
				}
				if !yield(d, err) {
					return
				}
			}
		}
	}
}
