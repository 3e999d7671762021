package memo

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/space"
)

// memoDoc returns the document of a memo for the search index.
func memoDoc(m *Memo) search.Doc {
	texts := []string{m.Name, m.Content, strings.Join(m.Tags, " "), m.Detail}
	return search.Doc{Num: m.text, ID: m.ID, At: m.UpdatedAt.UnixMilli(),
		Bag: search.NewAnalyzer().Bag(texts...), Vec: search.MeaningOf(texts...)}
}

// followInSearch replaces a memo in the search index. The new one gets its number there.
func followInSearch(tx *ledger.Tx, before, after *Memo) error {
	x := search.At(search.Memos)
	if before != nil {
		if err := x.Remove(tx, memoDoc(before)); err != nil {
			return err
		}
	}
	if after == nil {
		return nil
	}
	docs := []search.Doc{memoDoc(after)}
	err := x.Add(tx, docs)
	after.text = docs[0].Num
	return err
}

// refreshMemos builds the index of the memos again.
func refreshMemos(tx *ledger.Tx) (bool, error) {
	texts := ledger.TextsOf(tx, Key(""), func(p kv.Pair) (search.Doc, error) {
		m, err := Decode(p.Key, p.Value)
		return memoDoc(&m), err
	})
	return search.At(search.Memos).Rebuild(tx, ledger.RefreshBatch, texts)
}

// memosAlike is the likeness of a memo that shares no word with a question, at least.
const memosAlike = 0.45

// Found is a memo that a search has found.
type Found struct {
	Memo
	Space string // the shared space that it is in, "" for the user's own
	score float64
}

// Search returns the memos of several sources that match a question, the best first,
// and their number without offset and limit.
func Search(ctx context.Context, s *ledger.Ledger, in space.Sources, question string, f Filter) (found []Found,
	total int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		found = nil
		q := search.Query{Text: question, Alike: memosAlike, Together: &search.Together{}}
		sources, err := in.Open(tx, s, func(_ *space.Source, tx *ledger.Tx) error {
			return q.Together.Add(search.At(search.Memos), tx, q)
		})
		if err != nil {
			return err
		}
		return space.EachSource(tx, sources, func(at *space.Source, tx *ledger.Tx) error {
			all, err := foundMemos(tx, q, f.Tag)
			for i := range all {
				all[i].Space = at.Space
			}
			found = append(found, all...)
			return err
		})
	})
	sorting.By(found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.UpdatedAt.Compare(a.UpdatedAt))
	})
	total = len(found)
	found = found[min(max(f.Offset, 0), total):]
	return found[:min(max(f.Limit, 0), len(found))], total, err
}

// foundMemos returns the memos of one source that match a query, and have a tag unless it
// is "".
func foundMemos(tx *ledger.Tx, q search.Query, tag string) (all []Found, err error) {
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
			all = append(all, Found{Memo: m, score: hits.Hits[i].Score})
		}
	}
	return all, err
}

// checkMemoIndex checks the search index of the memos.
func checkMemoIndex(tx *ledger.Tx) error {
	if err := search.At(search.Memos).Ready(tx); errors.Is(err, search.ErrOutdated) {
		return nil // it has to be built again
	} else if err != nil {
		return err
	}
	c := search.At(search.Memos).NewCheck()
	for p, err := range kv.Pairs(tx, kv.Range{Prefix: Records.All()}) {
		if err != nil {
			return err
		}
		m, err := Decode(p.Key, p.Value)
		if err != nil {
			return err
		}
		if err := c.Add(tx, memoDoc(&m)); err != nil {
			return err
		}
	}
	return c.Done(tx)
}
