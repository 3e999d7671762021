package memo

import (
	"context"
	"maps"
	"math"
	"slices"

	"golang.org/x/text/unicode/norm"

	"techo/internal/nearest"
	"techo/internal/sorting"
	"techo/store/ledger"
)

// RenameMemoTag replaces the tag from by the tag to on every memo that has it and
// returns how many memos changed. On a memo that has both tags, one remains. The
// memos get the time of the change and keep their order among themselves. A
// NotFoundError reports that no memo has the tag from.
func (s Memos) RenameMemoTag(ctx context.Context, from, to string) (changed int, err error) {
	from, to = norm.NFC.String(from), norm.NFC.String(to)
	err = s.Update(ctx, func(tx *ledger.Tx) error {
		memos, err := scanMemos(tx, memoTagPrefix(from), 0, math.MaxInt)
		if err != nil {
			return err
		}
		if len(memos) == 0 {
			return unknownTag(tx, from)
		}
		changed = len(memos)
		if from == to {
			return nil
		}
		sorting.By(memos, func(a, b Memo) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
		return table.Change(tx, func(b *ledger.Batch[Memo, Counts]) error {
			var before, after []*Memo
			latest := b.Counts
			for i := range memos {
				m := retagged(memos[i], from, to)
				m.UpdatedAt = latest.changeTime(tx.Ledger.Time())
				latest.Latest = max(latest.Latest, m.UpdatedAt.UnixMilli())
				before, after = append(before, &memos[i]), append(after, &m)
			}
			return b.PutAll(before, after)
		})
	})
	return changed, err
}

// retagged returns a memo with another tag in the place of one.
func retagged(m Memo, from, to string) Memo {
	m.Tags = slices.Clone(m.Tags)
	m.Tags[slices.Index(m.Tags, from)] = to
	m.Tags = tidyTags(m.Tags)
	return m
}

func unknownTag(tx *ledger.Tx, tag string) error {
	counts, err := LoadCounts(tx)
	if err != nil {
		return err
	}
	tags := slices.Sorted(maps.Keys(counts.Tags))
	return &ledger.NotFoundError{Kind: ledger.KindTag, Name: tag, Near: nearest.Of(tag, tags)}
}
