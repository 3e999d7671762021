package store

import "techo/store/search"

// refreshMemoIndex is refreshMemoryIndex for the memos.
func refreshMemoIndex(tx *Tx) error { return refreshIndex(tx, refreshMemos) }

func refreshMemos(tx *Tx) (bool, error) {
	return search.At(search.Memos).Rebuild(tx, refreshBatch, func(id string) (search.Doc, error) {
		var r memoRecord
		err := load(tx, memoKey(id), &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
}
