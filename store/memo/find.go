package memo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"techo/internal/sorting"
	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/space"
)

// Filter selects memos of a list.
type Filter struct {
	Tag    string // "" selects all
	Offset int
	Limit  int
}

// FindMemos returns memos by priority, then the latest first, and their total
// number without offset and limit.
func (s Memos) FindMemos(ctx context.Context, f Filter) (memos []Memo, total int, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		memos = nil
		prefix, tag := byRank.All(), norm.NFC.String(f.Tag)
		if tag != "" {
			prefix = memoTagPrefix(tag)
		}
		counts, err := LoadCounts(tx)
		if err != nil {
			return err
		}
		if total = counts.Memos; tag != "" {
			total = counts.Tags[tag]
		}
		memos, err = scanMemos(tx, prefix, f.Offset, f.Limit)
		return err
	})
	return memos, total, err
}

// EachMemo calls use for each memo in the order of lists. It reads a snapshot: others may write meanwhile.
func (s Memos) EachMemo(ctx context.Context, use func(Memo) error) error {
	return s.Stream(ctx, func(tx *ledger.Tx) error {
		var ids []string
		for p, err := range kv.Pairs(tx, kv.Range{Prefix: byRank.All()}) {
			if err != nil {
				return err
			}
			if ids = append(ids, string(p.Value)); len(ids) < memosAtOnce {
				continue
			}
			if err := useMemos(ctx, tx, ids, use); err != nil {
				return err
			}
			ids = ids[:0]
		}
		return useMemos(ctx, tx, ids, use)
	})
}

// EachMemoAfter calls use for each memo behind a place, the oldest first, with its place. "" is before all.
// It reads a snapshot: others may write meanwhile.
func (s Memos) EachMemoAfter(ctx context.Context, after string, use func(place string, m Memo) error) error {
	return s.Stream(ctx, func(tx *ledger.Tx) error {
		var places []string
		for m, err := range table.Scan(tx, kv.Range{Prefix: Records.All()}) {
			if err != nil {
				return err
			}
			if place := placeOf(&m); place > after {
				places = append(places, place)
			}
		}
		slices.Sort(places)
		for some := range slices.Chunk(places, memosAtOnce) {
			ids := make([]string, len(some))
			for i, place := range some {
				ids[i] = place[len(placeTime):]
			}
			err := useMemos(ctx, tx, ids, func(m Memo) error { return use(placeOf(&m), m) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// placeTime is the layout of the time before the id in a place.
const placeTime = "2006-01-02T15:04:05.000 "

func placeOf(m *Memo) string { return m.CreatedAt.UTC().Format(placeTime) + m.ID }

// memosAtOnce is the number of memos that a long scan reads together.
const memosAtOnce = 256

// useMemos calls use for memos that an index names.
func useMemos(ctx context.Context, tx *ledger.Tx, ids []string, use func(Memo) error) error {
	memos, err := indexedMemos(tx, ids)
	if err != nil {
		return err
	}
	for _, m := range memos {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := use(m); err != nil {
			return err
		}
	}
	return nil
}

// Choice has the memos of a source for a prompt.
type Choice struct {
	Space   string // the shared space, "" for the user's own memos
	Top     []Memo // of priority 4 and 5, in the order of lists
	Latest  []Memo // of the others
	Omitted int    // further memos of priority 4 and 5
}

// Important returns, for each of several sources, up to important memos of priority 4
// and 5, and up to recent of the latest other memos.
func Important(ctx context.Context, s *ledger.Ledger, in space.Sources, important, recent int) (all []Choice,
	err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		all = nil
		_, err := in.Open(tx, s, func(at *space.Source, tx *ledger.Tx) error {
			choice, err := importantMemos(tx, important, recent)
			choice.Space = at.Space
			all = append(all, choice)
			return err
		})
		return err
	})
	return all, err
}

func importantMemos(tx *ledger.Tx, important, recent int) (choice Choice, err error) {
	shown := map[string]bool{}
	if choice.Top, err = scanMemos(tx, byRank.All(), 0, important); err != nil {
		return choice, err
	}
	if i := slices.IndexFunc(choice.Top, func(m Memo) bool { return m.Priority < TopPriority-1 }); i >= 0 {
		choice.Top = choice.Top[:i]
	}
	for _, m := range choice.Top {
		shown[m.ID] = true
	}
	counts, err := LoadCounts(tx)
	if err != nil {
		return choice, err
	}
	choice.Omitted = counts.Ranks[0] + counts.Ranks[1] - len(choice.Top)
	choice.Latest, err = scanLatest(tx, important, recent, shown)
	return choice, err
}

// scanLatest reads up to limit of the latest memos that are not among the shown ones, which are at
// most the given number.
func scanLatest(tx *ledger.Tx, most, limit int, shown map[string]bool) (latest []Memo, err error) {
	ids, err := scanIDs(tx, ByTime.All(), 0, most+limit)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return shown[id] })
	return indexedMemos(tx, ids[:min(limit, len(ids))])
}

// scanMemos reads a page of the memos that an index lists.
func scanMemos(tx *ledger.Tx, prefix []byte, offset, limit int) ([]Memo, error) {
	ids, err := scanIDs(tx, prefix, offset, limit)
	if err != nil {
		return nil, err
	}
	return indexedMemos(tx, ids)
}

// scanIDs returns a page of the ids that an index lists.
func scanIDs(tx *ledger.Tx, prefix []byte, offset, limit int) (ids []string, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, Limit: listEnd(offset, limit)}) {
		if err != nil {
			return nil, err
		}
		if offset > 0 {
			offset--
			continue
		}
		if len(ids) >= limit {
			break
		}
		id, err := item.Value()
		if err != nil {
			return nil, err
		}
		ids = append(ids, string(id))
	}
	return ids, nil
}

// listEnd returns the limit of a scan that reads a page of a list, 0 for a long scan.
func listEnd(offset, limit int) int {
	const long = 4096
	if offset < 0 || limit < 0 || offset > long || limit > long {
		return 0
	}
	return offset + limit
}

// MemoTags returns the tags in use: by count, then by the latest change, then by
// name.
func (s Memos) MemoTags(ctx context.Context) (tags []TagCount, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		tags = nil
		counts, err := LoadCounts(tx)
		if err != nil {
			return err
		}
		for tag, n := range counts.Tags {
			tags = append(tags, TagCount{Tag: tag, Count: n})
		}
		return setLatest(tx, tags)
	})
	sorting.By(tags, func(a, b TagCount) int {
		return cmp.Or(b.Count-a.Count, b.LatestUpdatedAt.Compare(a.LatestUpdatedAt), strings.Compare(a.Tag, b.Tag))
	})
	return tags, err
}

// setLatest sets the times of the last changes to memos with tags. It reads one entry of each
// priority, all together.
func setLatest(tx *ledger.Tx, tags []TagCount) error {
	var firsts []kv.Range
	for _, t := range tags {
		for rank := range byte(TopPriority) {
			firsts = append(firsts, kv.Range{Prefix: memoRankPrefix(t.Tag, rank), Limit: 1, KeysOnly: true})
		}
	}
	_, found, err := tx.ReadMany(nil, firsts)
	if err != nil {
		return err
	}
	for i, of := range found {
		for _, p := range of {
			t := &tags[i/TopPriority]
			if at := ReadTime(p.Key[len(firsts[i].Prefix):]); at.After(t.LatestUpdatedAt) {
				t.LatestUpdatedAt = at
			}
		}
	}
	return nil
}
