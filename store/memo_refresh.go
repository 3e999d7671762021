package store

import (
	"encoding/json"

	"techo/store/kv"
	"techo/store/search"
)

// refreshMemoIndex returns search.ErrOutdated unless the search index of the memos can be written to.
func refreshMemoIndex(tx *Tx) error { return search.At(search.Memos).Ready(tx) }

// refreshMemos builds the index of the memos again.
func refreshMemos(tx *Tx) (bool, error) {
	texts := textsOf(tx, memoKey(""), func(p kv.Pair) (search.Doc, error) {
		var r memoRecord
		err := json.Unmarshal(p.Value, &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
	return search.At(search.Memos).Rebuild(tx, refreshBatch, texts)
}
