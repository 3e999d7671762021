package memo

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/search"
	"techo/store/space"
)

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
}

// hit is a memo that a search has found, without what it says.
type hit struct {
	search.Hit
	source *space.Source
}

// Search returns the memos of several sources that match a question, the best first,
// and their number without offset and limit. It reads those of the page only.
func Search(ctx context.Context, s *ledger.Ledger, in space.Sources, question string, f Filter) (found []Found,
	total int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		var hits []hit
		total = 0
		q := search.Query{Text: question, Alike: memosAlike, Together: &search.Together{}}
		sources, err := in.Open(tx, s, func(_ *space.Source, tx *ledger.Tx) error {
			return q.Together.Add(search.At(search.Memos), tx, q)
		})
		if err != nil {
			return err
		}
		err = space.EachSource(tx, sources, func(at *space.Source, tx *ledger.Tx) error {
			found, err := foundMemos(tx, q, f)
			for _, h := range found.Hits {
				hits = append(hits, hit{Hit: h, source: at})
			}
			total += found.Total
			return err
		})
		if err != nil {
			return err
		}
		slices.SortStableFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.At, a.At))
		})
		hits = hits[min(max(f.Offset, 0), len(hits)):]
		hits = hits[:min(max(f.Limit, 0), len(hits))]
		found = make([]Found, len(hits))
		return space.EachSource(tx, sources, func(at *space.Source, tx *ledger.Tx) error {
			return loadFound(tx, at, hits, found)
		})
	})
	return found, total, err
}

// loadFound sets the found memos of one source.
func loadFound(tx *ledger.Tx, at *space.Source, hits []hit, found []Found) error {
	var ids []string
	var places []int
	for i, h := range hits {
		if h.source == at {
			ids, places = append(ids, h.ID), append(places, i)
		}
	}
	memos, err := indexedMemos(tx, ids)
	for i, m := range memos {
		found[places[i]] = Found{m, at.Space}
	}
	return err
}

// foundMemos returns the hits of one source that match a query, and have the tag of a filter unless it is "". Without
// a tag it ranks those of the page only.
func foundMemos(tx *ledger.Tx, q search.Query, f Filter) (search.Found, error) {
	if q.Counted = f.Tag == ""; q.Counted {
		q.Limit = max(f.Offset, 0) + max(f.Limit, 0)
		return search.At(search.Memos).Find(tx, q)
	}
	q.Limit = math.MaxInt32
	found, err := search.At(search.Memos).Find(tx, q)
	if err != nil || len(found.Hits) == 0 {
		return found, err
	}
	ids, err := scanIDs(tx, memoTagPrefix(norm.NFC.String(f.Tag)), 0, math.MaxInt)
	if err != nil {
		return found, err
	}
	tagged := map[string]bool{}
	for _, id := range ids {
		tagged[id] = true
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(h search.Hit) bool { return !tagged[h.ID] })
	found.Total = len(found.Hits)
	return found, nil
}

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
