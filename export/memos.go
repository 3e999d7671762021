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
	root, err := openRoot(dir)
	if err != nil {
		return Mirrored{}, err
	}
	m, err := openMirror(ctx, root)
	if err != nil {
		return Mirrored{}, err
	}
	defer m.close()
	memos, _, err := st.FindMemos(ctx, store.MemoFilter{Limit: math.MaxInt})
	if err != nil {
		return m.done, err
	}
	for _, memo := range memos {
		if err := m.add(memoDocument(memo, when)); err != nil {
			return m.done, err
		}
	}
	return m.done, m.finish(ctx, "Memo Index")
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
