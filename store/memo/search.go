package memo

import (
	"context"
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

func memoTexts(tx *ledger.Tx) search.TextsAfter {
	return ledger.TextsOf(tx, Records.All(), func(p kv.Pair) (search.Doc, error) {
		m, err := Decode(p.Key, p.Value)
		return memoDoc(&m), err
	})
}

// refreshMemos builds the index of the memos again.
func refreshMemos(tx *ledger.Tx) (bool, error) {
	return search.At(search.Memos).Rebuild(tx, ledger.RefreshBatch, memoTexts(tx))
}

func checkMemoIndex(tx *ledger.Tx) error { return search.At(search.Memos).Verify(tx, memoTexts(tx)) }

// memosAlike is the likeness of a memo that shares no word with a question, at least.
const memosAlike = 0.45

// Found is a memo that a search has found.
type Found struct {
	Memo
	Space string // the shared space that it is in, "" for the user's own
}

// Search returns the memos of several sources that match a question, the best first,
// and their number without offset and limit. It reads those of the page only.
func Search(ctx context.Context, s *ledger.Ledger, in space.Sources, question string, f Filter) (found []Found,
	total int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		q := search.Query{Text: question, Alike: memosAlike, Counted: true, Limit: max(f.Offset, 0) + max(f.Limit, 0)}
		if f.Tag != "" {
			q.Counted, q.Limit = false, math.MaxInt32
		}
		var parts []search.Part
		var txs []*ledger.Tx
		sources, err := in.Open(tx, s, func(_ *space.Source, tx *ledger.Tx) error {
			parts, txs = append(parts, search.Part{Index: search.At(search.Memos), Tx: tx, Query: q}), append(txs, tx)
			return nil
		})
		if err != nil {
			return err
		}
		all, err := search.Find(parts)
		if err == nil && f.Tag != "" && len(all.Hits) > 0 {
			err = withTag(txs, f.Tag, &all)
		}
		if err != nil {
			return err
		}
		total = all.Total
		hits := all.Hits[min(max(f.Offset, 0), len(all.Hits)):]
		hits = hits[:min(max(f.Limit, 0), len(hits))]
		found = make([]Found, len(hits))
		for part, at := range sources {
			if err := loadFound(txs[part], at, part, hits, found); err != nil {
				return err
			}
		}
		return nil
	})
	return found, total, err
}

// loadFound sets the found memos of one source.
func loadFound(tx *ledger.Tx, at *space.Source, part int, hits []search.Hit, found []Found) error {
	var ids []string
	var places []int
	for i, h := range hits {
		if h.Part == part {
			ids, places = append(ids, h.ID), append(places, i)
		}
	}
	memos, err := indexedMemos(tx, ids)
	for i, m := range memos {
		found[places[i]] = Found{m, at.Space}
	}
	return err
}

// withTag leaves the memos with a tag.
func withTag(txs []*ledger.Tx, tag string, all *search.Found) error {
	tagged := make([]map[string]bool, len(txs))
	for i, tx := range txs {
		ids, err := scanIDs(tx, memoTagPrefix(norm.NFC.String(tag)), 0, math.MaxInt)
		if err != nil {
			return err
		}
		tagged[i] = map[string]bool{}
		for _, id := range ids {
			tagged[i][id] = true
		}
	}
	all.Hits = slices.DeleteFunc(all.Hits, func(h search.Hit) bool { return !tagged[h.Part][h.ID] })
	all.Total = len(all.Hits)
	return nil
}
