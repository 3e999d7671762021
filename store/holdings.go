package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// Holdings tell how much there is beside memos.
type Holdings struct {
	Questions int // asked so far
	Pending   int // that wait for an answer
	WebPages  int // in the cache
	WebBytes  int64
}

// Holdings counts what is kept beside memos.
func (s *Store) Holdings(ctx context.Context) (h Holdings, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		questions, err := loadQuestionCounts(tx)
		if err != nil {
			return err
		}
		var pages webCounts
		if err := load(tx, webCountsKey, &pages); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		h = Holdings{int(questions.Last), questions.Pending, pages.Pages, pages.Bytes}
		return nil
	})
	return h, err
}
