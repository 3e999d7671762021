package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/search"
)

// memoSearch is the number of the memos in the search index; users have numbers
// from 1.
const memoSearch = 0

// memoDoc returns the document of a memo for the search index.
func memoDoc(m *Memo, text uint32) search.Doc {
	bag := search.NewAnalyzer().Bag(m.Name, m.Content, strings.Join(m.Tags, " "), m.Detail)
	return search.Doc{Num: text, ID: m.ID, At: m.UpdatedAt.UnixMilli(), Bag: bag}
}

// indexMemo adds a memo to the search index, and returns the number of its text.
func indexMemo(tx kv.Tx, m *Memo) (text uint32, err error) {
	if err := refreshMemoIndex(tx); err != nil {
		return 0, err
	}
	docs := []search.Doc{memoDoc(m, 0)}
	err = search.At(memoSearch).Add(tx, docs)
	return docs[0].Num, err
}

// unindexMemo removes a memo, as it was before a change, from the search index.
func unindexMemo(tx kv.Tx, m *Memo) error {
	if err := refreshMemoIndex(tx); err != nil {
		return err
	}
	var r memoRecord
	if err := load(tx, memoKey(m.ID), &r); err != nil {
		return err
	}
	return search.At(memoSearch).Remove(tx, memoDoc(m, r.Text))
}

// FoundMemos is the result of a search.
type FoundMemos struct {
	Memos  []Memo // the best first
	Total  int    // without offset and limit
	Spaces bool   // the store has, or had, shared spaces
}

// SearchMemos returns the memos that match a question.
func (s *Store) SearchMemos(ctx context.Context, question string, f MemoFilter) (all FoundMemos, err error) {
	tag := norm.NFC.String(f.Tag)
	err = s.view(ctx, func(tx kv.Tx) error {
		all = FoundMemos{}
		counts, err := loadCounts(tx)
		if err != nil {
			return err
		}
		all.Spaces = counts.Spaces
		found, err := search.At(memoSearch).Find(tx, search.Query{Text: question, Limit: counts.Memos})
		if err != nil {
			return err
		}
		for _, h := range found.Hits {
			m, err := indexedMemo(tx, h.ID)
			if err != nil {
				return err
			}
			if tag != "" && !slices.Contains(m.Tags, tag) {
				continue
			}
			if all.Total++; all.Total > f.Offset && len(all.Memos) < f.Limit {
				all.Memos = append(all.Memos, m)
			}
		}
		return nil
	})
	return all, err
}

// checkMemoIndex checks the search index of the memos.
func checkMemoIndex(tx kv.Tx) error {
	if outdated, err := search.At(memoSearch).Outdated(tx); outdated || err != nil {
		return err // it is built again at the first write
	}
	c := search.At(memoSearch).NewCheck()
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
