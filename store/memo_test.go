package store

import (
	"slices"

	"techo/store/memo"
)

func sameMemo(a, b memo.Memo) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Content == b.Content && a.Priority == b.Priority &&
		a.Detail == b.Detail &&
		slices.Equal(a.Tags, b.Tags) && a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt)
}

func sameTag(a, b memo.TagCount) bool {
	return a.Tag == b.Tag && a.Count == b.Count && a.LatestUpdatedAt.Equal(b.LatestUpdatedAt)
}
