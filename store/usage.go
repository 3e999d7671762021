package store

import (
	"context"
	"errors"

	"techo/store/kv"
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
	err = s.view(ctx, func(tx *Tx) error {
		questions, err := loadQuestionCounts(tx)
		if err != nil {
			return err
		}
		var pages webCounts
		if err := load(tx, webCountKey.all(), &pages); err != nil && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		h = Usage{int(questions.Last), questions.Pending, pages.Pages, pages.Bytes}
		return nil
	})
	return h, err
}
