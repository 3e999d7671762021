package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"techo/store/kv"
)

// MemoFilter selects memos of a list.
type MemoFilter struct {
	Tag    string // "" selects all
	Offset int
	Limit  int
}

// FindMemos returns memos by priority, then the latest first, and their total
// number without offset and limit.
func (s *Store) FindMemos(ctx context.Context, f MemoFilter) (memos []Memo, total int, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		memos = nil
		prefix, tag := memoOrder.all(), norm.NFC.String(f.Tag)
		if tag != "" {
			prefix = memoTagPrefix(tag)
		}
		if err := tx.Prefetch(func() kv.Reads { return listedMemos(prefix, f.Offset, f.Limit) }); err != nil {
			return err
		}
		counts, err := loadCounts(tx)
		if err != nil {
			return err
		}
		if total = counts.Memos; tag != "" {
			total = counts.Tags[tag]
		}
		memos, err = scanMemos(tx, prefix, f.Offset, f.Limit, nil)
		return err
	})
	return memos, total, err
}

// MemoChoice has the memos of a source for a prompt.
type MemoChoice struct {
	Space   string // the shared space, "" for the user's own memos
	Top     []Memo // of priority 4 and 5, in the order of lists
	Latest  []Memo // of the others
	Omitted int    // further memos of priority 4 and 5
}

// ImportantMemos returns, for each of several sources, up to important memos of priority 4
// and 5, and up to recent of the latest other memos.
func ImportantMemos(ctx context.Context, s *Store, in Sources, important, recent int) (all []MemoChoice, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		all = nil
		_, err := in.open(tx, s, func(at *source, tx kv.Tx) error {
			choice, err := importantMemos(tx, important, recent)
			choice.Space = at.space
			all = append(all, choice)
			return err
		})
		return err
	})
	return all, err
}

func importantMemos(tx kv.Tx, important, recent int) (choice MemoChoice, err error) {
	err = tx.Prefetch(func() kv.Reads {
		reads := listedMemos(memoOrder.all(), 0, important)
		latest := kv.Range{Prefix: memosByTime.all(), Limit: listEnd(important, recent)}
		if latest.Limit > 0 {
			reads.Linked = append(reads.Linked, kv.Linked{Range: latest, Prefix: memoKey("")})
		}
		return reads
	})
	if err != nil {
		return choice, err
	}
	shown := map[string]bool{}
	high := func(m Memo) bool { return m.Priority >= TopPriority-1 }
	if choice.Top, err = scanMemos(tx, memoOrder.all(), 0, important, high); err != nil {
		return choice, err
	}
	for _, m := range choice.Top {
		shown[m.ID] = true
	}
	counts, err := loadCounts(tx)
	if err != nil {
		return choice, err
	}
	choice.Omitted = counts.Ranks[0] + counts.Ranks[1] - len(choice.Top)
	choice.Latest, err = scanLatest(tx, important, recent, shown)
	return choice, err
}

// scanLatest reads up to most of the latest memos that are not shown.
func scanLatest(tx kv.Tx, most, limit int, shown map[string]bool) (latest []Memo, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: memosByTime.all(), Limit: listEnd(most, limit)}) {
		if err != nil {
			return nil, err
		}
		if len(latest) >= limit {
			break
		}
		id, err := item.Value()
		if err != nil {
			return nil, err
		}
		if shown[string(id)] {
			continue
		}
		m, err := indexedMemo(tx, string(id))
		if err != nil {
			return nil, err
		}
		latest = append(latest, m)
	}
	return latest, nil
}

// scanMemos reads the memos that an index lists until one is not wanted. A nil
// wanted accepts all.
func scanMemos(tx kv.Tx, prefix []byte, offset, limit int, wanted func(Memo) bool) (memos []Memo, err error) {
	for item, err := range tx.Scan(kv.Range{Prefix: prefix, Limit: listEnd(offset, limit)}) {
		if err != nil {
			return nil, err
		}
		if offset > 0 {
			offset--
			continue
		}
		if len(memos) >= limit {
			break
		}
		id, err := item.Value()
		if err != nil {
			return nil, err
		}
		m, err := indexedMemo(tx, string(id))
		if err != nil {
			return nil, err
		}
		if wanted != nil && !wanted(m) {
			break
		}
		memos = append(memos, m)
	}
	return memos, nil
}

// MemoTags returns the tags in use: by count, then by the latest change, then by
// name.
func (s *Store) MemoTags(ctx context.Context) (tags []TagCount, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		tags = nil
		counts, err := loadCounts(tx)
		if err == nil {
			err = tx.Prefetch(func() kv.Reads { return firstsOfTags(counts.Tags) })
		}
		if err != nil {
			return err
		}
		for tag, n := range counts.Tags {
			latest, err := latestOfTag(tx, tag)
			if err != nil {
				return err
			}
			tags = append(tags, TagCount{tag, n, latest})
		}
		return nil
	})
	slices.SortFunc(tags, func(a, b TagCount) int {
		if a.Count != b.Count {
			return b.Count - a.Count
		}
		if c := b.LatestUpdatedAt.Compare(a.LatestUpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Tag, b.Tag)
	})
	return tags, err
}

// latestOfTag returns the time of the last change to a memo with a tag. It reads
// one entry of each priority.
func latestOfTag(tx kv.Tx, tag string) (latest time.Time, err error) {
	for rank := range byte(TopPriority) {
		p := memoRankPrefix(tag, rank)
		for item, err := range tx.Scan(kv.Range{Prefix: p, Limit: 1}) {
			if err != nil {
				return latest, err
			}
			if t := readTime(item.Key[len(p):]); t.After(latest) {
				latest = t
			}
		}
	}
	return latest, nil
}
