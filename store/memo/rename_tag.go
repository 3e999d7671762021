package memo

import (
	"context"
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
		memos, err := scanMemos(tx, memoTagPrefix(from), 0, math.MaxInt, nil)
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
		for _, m := range memos {
			if err := retag(tx, m, from, to); err != nil {
				return err
			}
		}
		return nil
	})
	return changed, err
}

// retag replaces a tag of one memo.
func retag(tx *ledger.Tx, old Memo, from, to string) (err error) {
	m := old
	m.Tags = slices.Clone(old.Tags)
	m.Tags[slices.Index(m.Tags, from)] = to
	m.Tags = tidyTags(m.Tags)
	if m.UpdatedAt, err = changeTime(tx, tx.Ledger.Time()); err != nil {
		return err
	}
	return table.Put(tx, &old, &m)
}

func unknownTag(tx *ledger.Tx, tag string) error {
	counts, err := LoadCounts(tx)
	if err != nil {
		return err
	}
	var tags []string
	for name := range counts.Tags {
		tags = append(tags, name)
	}
	slices.Sort(tags)
	return &ledger.NotFoundError{Kind: ledger.KindTag, Name: tag, Near: nearest.Of(tag, tags)}
}
