package store

import (
	"fmt"
	"strings"
	"testing"

	"techo/store/memo"
	"techo/store/space"
)

// TestLargeFirstMemo adds a memo to an empty store that is too large to wait for the
// lists of the search index. It is found, can be changed, and the index is right.
func TestLargeFirstMemo(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var detail strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&detail, "word%d ", i)
	}
	m, err := s.AddMemo(t.Context(), memo.Memo{Name: "large", Content: "x", Detail: detail.String(), Priority: 1})
	if err != nil {
		t.Fatal(err)
	}
	found, _, err := memo.Search(t.Context(), s.Ledger, space.Sources{Own: true}, "word31415", memo.Filter{Limit: 1})
	if err != nil || len(found) != 1 {
		t.Errorf("found %d memos, %v", len(found), err)
	}
	if _, err := s.Verify(t.Context(), VerifyOptions{Deep: true}); err != nil {
		t.Error(err)
	}
	if _, err := s.RemoveMemo(t.Context(), m.Name); err != nil {
		t.Error(err)
	}
}
