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
	err = s.view(ctx, func(tx *Tx) error {
		memos = nil
		prefix, tag := memoOrder.all(), norm.NFC.String(f.Tag)
		if tag != "" {
			prefix = memoTagPrefix(tag)
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
	err = s.view(ctx, func(tx *Tx) error {
		all = nil
		_, err := in.open(tx, s, func(at *source, tx *Tx) error {
			choice, err := importantMemos(tx, important, recent)
			choice.Space = at.space
			all = append(all, choice)
			return err
		})
		return err
	})
	return all, err
}

func importantMemos(tx *Tx, important, recent int) (choice MemoChoice, err error) {
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

// scanLatest reads up to limit of the latest memos that are not among the shown ones, which are at
// most the given number.
func scanLatest(tx *Tx, most, limit int, shown map[string]bool) (latest []Memo, err error) {
	ids, err := scanIDs(tx, memosByTime.all(), 0, most+limit)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool { return shown[id] })
	return indexedMemos(tx, ids[:min(limit, len(ids))])
}

// scanMemos reads the memos that an index lists until one is not wanted. A nil
// wanted accepts all.
func scanMemos(tx *Tx, prefix []byte, offset, limit int, wanted func(Memo) bool) ([]Memo, error) {
	ids, err := scanIDs(tx, prefix, offset, limit)
	if err != nil {
		return nil, err
	}
	memos, err := indexedMemos(tx, ids)
	if wanted == nil {
		return memos, err
	}
	if i := slices.IndexFunc(memos, func(m Memo) bool { return !wanted(m) }); i >= 0 {
		memos = memos[:i]
	}
	return memos, err
}

// scanIDs returns a page of the ids that an index lists.
func scanIDs(tx *Tx, prefix []byte, offset, limit int) (ids []string, err error) {
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
func (s *Store) MemoTags(ctx context.Context) (tags []TagCount, err error) {
	err = s.view(ctx, func(tx *Tx) error {
		tags = nil
		counts, err := loadCounts(tx)
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
func latestOfTag(tx *Tx, tag string) (latest time.Time, err error) {
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
