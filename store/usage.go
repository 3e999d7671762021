package store

import (
	"context"
	"errors"

	"techo/store/kv"
)

// Usage counts questions and cached pages.
type Usage struct {
	Questions int // ever asked; in a database, those that exist
	Pending   int // waiting for an answer
	WebPages  int // cached
	WebBytes  int64
}

// Usage counts questions and cached pages.
func (s *Store) Usage(ctx context.Context) (h Usage, err error) {
	err = s.view(ctx, func(tx kv.Tx) error {
		questions, err := questionTotals(tx)
		if err != nil {
			return err
		}
		var pages webCounts
		if err := load(tx, webCountKey.all(), &pages); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		h = Usage{questions.all, questions.pending, pages.Pages, pages.Bytes}
		return nil
	})
	return h, err
}
