package memo

import (
	"encoding/json"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
)

// refreshMemoIndex returns search.ErrOutdated unless the search index of the memos can be written to.
func refreshMemoIndex(tx *ledger.Tx) error { return search.At(search.Memos).Ready(tx) }

// refreshMemos builds the index of the memos again.
func refreshMemos(tx *ledger.Tx) (bool, error) {
	texts := ledger.TextsOf(tx, Key(""), func(p kv.Pair) (search.Doc, error) {
		var r record
		err := json.Unmarshal(p.Value, &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
	return search.At(search.Memos).Rebuild(tx, ledger.RefreshBatch, texts)
}
