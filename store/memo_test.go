package store

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"techo/store/ledger"
	"techo/store/memo"
)

// TestMemoLimits takes the limits one by one.
func TestMemoLimits(t *testing.T) {
	s := newStore(t)
	add := func(name string, tags ...string) error {
		_, err := s.AddMemo(t.Context(), memo.Memo{Name: name, Content: "content", Priority: 3, Tags: tags})
		return err
	}
	var limit *ledger.LimitError
	if err := add("four", "a", "b", "c", "d"); !errors.As(err, &limit) ||
		*limit != (ledger.LimitError{What: "tags", Max: 3, Got: 4}) {
		t.Errorf("4th tag: %v", err)
	}
	if err := add("three", "a", "b", "é", "e\u0301", "a"); err != nil {
		t.Errorf("three tags, two of them twice: %v", err)
	}
	for i := range 17 {
		mustAdd(t, s, fmt.Sprint("memo", i), fmt.Sprint("tag", i))
	}
	if err := add("full", "tag17"); !errors.As(err, &limit) || *limit != (ledger.LimitError{What: "different tags",
		Max: 20, Got: 21}) {
		t.Errorf("21st kind: %v", err)
	}
	if _, err := s.EditMemo(t.Context(), "memo3", memo.Change{Tags: []string{"tag3", "tag17"}}); !errors.As(err,
		&limit) {
		t.Errorf("21st kind by an edit: %v", err)
	}
	if _, err := s.EditMemo(t.Context(), "memo3", memo.Change{Tags: []string{"tag17"}}); err != nil {
		t.Errorf("one kind for another: %v", err)
	}
	if err := add("used", "tag17", "e\u0301"); err != nil {
		t.Errorf("kinds that are used: %v", err)
	}
	wantSound(t, s)
}

// TestMemoNames: a name is one text however it is written, and never another
// memo's id.
func TestMemoNames(t *testing.T) {
	s := newStore(t)
	m := mustAdd(t, s, "か\u3099く")
	if m.Name != "がく" {
		t.Errorf("kept as %q", m.Name)
	}
	for _, name := range []string{"がく", "か\u3099く", m.ID} {
		if got, err := s.GetMemo(t.Context(), name); err != nil || got.ID != m.ID {
			t.Errorf("%q: %v, %v", name, got, err)
		}
		_, err := s.AddMemo(t.Context(), memo.Memo{Name: name, Content: "content", Priority: 3})
		if !errors.As(err, new(*ledger.TakenError)) {
			t.Errorf("%q is taken: %v", name, err)
		}
	}
	other := mustAdd(t, s, "other")
	for _, name := range []string{"がく", m.ID} {
		if _, err := s.EditMemo(t.Context(), "other", memo.Change{Name: &name}); !errors.As(err,
			new(*ledger.TakenError)) {
			t.Errorf("renamed to %q: %v", name, err)
		}
	}
	if _, err := s.EditMemo(t.Context(), "other", memo.Change{Name: &other.ID}); err != nil {
		t.Errorf("renamed to its own id: %v", err)
	}
	wantMemos(t, s, "がく", other.ID)
	var none *ledger.NotFoundError
	if _, err := s.GetMemo(t.Context(), "がが"); !errors.As(err, &none) || !slices.Contains(none.Near, "がく") {
		t.Errorf("a misspelt name: %v", none)
	}
	wantSound(t, s)
}

func sameMemo(a, b memo.Memo) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Content == b.Content && a.Priority == b.Priority &&
		a.Detail == b.Detail &&
		slices.Equal(a.Tags, b.Tags) && a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt)
}

func sameTag(a, b memo.TagCount) bool {
	return a.Tag == b.Tag && a.Count == b.Count && a.LatestUpdatedAt.Equal(b.LatestUpdatedAt)
}
