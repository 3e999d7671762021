package store

import (
	"context"
	"errors"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/question"
	"techo/store/webcache"
)

// Usage counts questions and cached pages.
type Usage struct {
	Questions int // ever asked
	Pending   int // waiting for an answer
	WebPages  int // cached
	WebBytes  int64
}

// Usage counts questions and cached pages.
func (s *Store) Usage(ctx context.Context) (h Usage, err error) {
	err = s.View(ctx, func(tx *ledger.Tx) error {
		questions, err := question.LoadCounts(tx)
		if err != nil {
			return err
		}
		var pages webcache.Counts
		if err := ledger.Load(tx, webcache.CountKey.All(), &pages); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		h = Usage{int(questions.Last), questions.Pending, pages.Pages, pages.Bytes}
		return nil
	})
	return h, err
}
