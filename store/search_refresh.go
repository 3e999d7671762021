package store

import (
	"cmp"
	"encoding/json"
	"slices"

	"techo/store/kv"
	"techo/store/search"
)

// refreshBatch is the number of texts that enter an index together when it is built
// again.
const refreshBatch = 4096

// numbered is a record and the number of its text in the search index.
type numbered struct {
	text uint32
	key  string
}

// refreshMemoryIndex builds the search index of a user again if an earlier version of
// techo has written it. The records and the numbers of their texts stay.
func refreshMemoryIndex(tx kv.Tx, user uint32) error {
	drafter := NewDrafter()
	return refreshIndex(tx, search.At(user), memoryKey(user, ""), func(value []byte) (search.Doc, error) {
		var r memoryRecord
		err := json.Unmarshal(value, &r)
		return r.doc(drafter.Draft(r.memory()).bag), err
	})
}

// refreshMemoIndex is refreshMemoryIndex for the memos.
func refreshMemoIndex(tx kv.Tx) error {
	return refreshIndex(tx, search.At(memoSearch), memoKey(""), func(value []byte) (search.Doc, error) {
		var r memoRecord
		err := json.Unmarshal(value, &r)
		m := r.memo()
		return memoDoc(&m, r.Text), err
	})
}

// refreshIndex builds an outdated index again from the records under a prefix.
func refreshIndex(tx kv.Tx, x search.Index, prefix []byte, read func([]byte) (search.Doc, error)) error {
	if outdated, err := x.Outdated(tx); err != nil || !outdated {
		return err
	}
	var all []numbered
	for item, err := range tx.Scan(kv.Range{Prefix: prefix}) {
		if err != nil {
			return err
		}
		value, err := item.Value()
		if err != nil {
			return err
		}
		var r struct{ Text uint32 }
		if err := json.Unmarshal(value, &r); err != nil {
			return &kv.CorruptError{Path: string(item.Key), Reason: kv.ReasonOf(err)}
		}
		all = append(all, numbered{r.Text, string(item.Key)})
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.text, b.text) })
	if err := x.Clear(tx); err != nil {
		return err
	}
	for part := range slices.Chunk(all, refreshBatch) {
		var docs []search.Doc
		for _, n := range part {
			value, err := tx.Get([]byte(n.key))
			if err != nil {
				return err
			}
			d, err := read(value)
			if err != nil {
				return &kv.CorruptError{Path: n.key, Reason: kv.ReasonOf(err)}
			}
			docs = append(docs, d)
		}
		if err := x.Restore(tx, docs); err != nil {
			return err
		}
	}
	return nil
}
