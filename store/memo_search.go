package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// memoDoc returns the document of a memo for the search index.
func memoDoc(m *Memo, text uint32) search.Doc {
	bag := search.NewAnalyzer().Bag(m.Name, m.Content, strings.Join(m.Tags, " "), m.Detail)
	return search.Doc{Num: text, ID: m.ID, At: m.UpdatedAt.UnixMilli(), Bag: bag}
}

// indexMemo adds a memo to the search index, and returns the number of its text.
func indexMemo(tx *Tx, m *Memo) (text uint32, err error) {
	if err := refreshMemoIndex(tx); err != nil {
		return 0, err
	}
	docs := []search.Doc{memoDoc(m, 0)}
	err = search.At(search.Memos).Add(tx, docs)
	return docs[0].Num, err
}

// unindexMemo removes a memo, as it was before a change, from the search index.
func unindexMemo(tx *Tx, m *Memo) error {
	if err := refreshMemoIndex(tx); err != nil {
		return err
	}
	var r memoRecord
	if err := load(tx, memoKey(m.ID), &r); err != nil {
		return err
	}
	return search.At(search.Memos).Remove(tx, memoDoc(m, r.Text))
}

// FoundMemo is a memo that a search has found.
type FoundMemo struct {
	Memo
	Space string // the shared space that it is in, "" for the user's own
	score float64
}

// SearchMemos returns the memos of several sources that match a question, the best first,
// and their number without offset and limit.
func SearchMemos(ctx context.Context, s *Ledger, in Sources, question string, f MemoFilter) (found []FoundMemo,
	total int, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		found = nil
		q := search.Query{Text: question, Together: &search.Together{}}
		sources, err := in.open(tx, s, func(_ *source, tx *Tx) error {
			return q.Together.Add(search.At(search.Memos), tx, q)
		})
		if err != nil {
			return err
		}
		return eachSource(tx, sources, func(at *source, tx *Tx) error {
			all, err := foundMemos(tx, q, f.Tag)
			for i := range all {
				all[i].Space = at.space
			}
			found = append(found, all...)
			return err
		})
	})
	slices.SortStableFunc(found, func(a, b FoundMemo) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.UpdatedAt.Compare(a.UpdatedAt))
	})
	total = len(found)
	found = found[min(max(f.Offset, 0), total):]
	return found[:min(max(f.Limit, 0), len(found))], total, err
}

// foundMemos returns the memos of one source that match a query, and have a tag unless it
// is "".
func foundMemos(tx *Tx, q search.Query, tag string) (all []FoundMemo, err error) {
	q.Limit = math.MaxInt32
	hits, err := search.At(search.Memos).Find(tx, q)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(hits.Hits))
	for i, h := range hits.Hits {
		ids[i] = h.ID
	}
	memos, err := indexedMemos(tx, ids)
	tag = norm.NFC.String(tag)
	for i, m := range memos {
		if tag == "" || slices.Contains(m.Tags, tag) {
			all = append(all, FoundMemo{Memo: m, score: hits.Hits[i].Score})
		}
	}
	return all, err
}

// checkMemoIndex checks the search index of the memos.
func checkMemoIndex(tx *Tx) error {
	if err := search.At(search.Memos).Ready(tx); errors.Is(err, search.ErrOutdated) {
		return nil // it has to be built again
	} else if err != nil {
		return err
	}
	c := search.At(search.Memos).NewCheck()
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: memoKey("")}) {
		if err != nil {
			return err
		}
		var r memoRecord
		if err := json.Unmarshal(p.Value, &r); err != nil {
			return finding(Unreadable, KindMemo, string(rest(p.Key)), err)
		}
		m := r.memo()
		if err := c.Add(tx, memoDoc(&m, r.Text)); err != nil {
			return err
		}
	}
	return c.Done(tx)
}
