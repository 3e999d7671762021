package export

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"techo/store"
)

// Memos updates a folder of memos, one file each, in the order of lists.
func Memos(ctx context.Context, st *store.Store, dir string, when func(time.Time) string) (Mirrored, error) {
	return update(ctx, dir, "Memo Index", func(m *mirror) error {
		memos, _, err := st.FindMemos(ctx, store.MemoFilter{Limit: math.MaxInt})
		if err != nil {
			return err
		}
		for _, memo := range memos {
			if err := m.add(memoDocument(memo, when)); err != nil {
				return err
			}
		}
		return nil
	})
}

// memoDocument returns the document of a memo.
func memoDocument(memo store.Memo, when func(time.Time) string) Document {
	text := "**Priority:** " + strconv.Itoa(memo.Priority) + "\n**Tags:** " + strings.Join(memo.Tags, ", ") +
		"\n**Updated:** " + when(memo.UpdatedAt) + "\n\n" + memo.Content
	if memo.Detail != "" {
		text += "\n\n" + memo.Detail
	}
	return Document{ID: memo.ID, Caption: memo.Name, Created: when(memo.CreatedAt), Text: text}
}
