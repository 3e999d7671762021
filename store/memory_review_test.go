package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"techo/store/memory"
)

// reviewedTexts returns the texts of what is near each other in a review.
func reviewedTexts(t *testing.T, s *Store) (all [][]string) {
	t.Helper()
	found, err := memory.Review(t.Context(), s.Ledger, "tanaka", memory.ReviewFilter{Near: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range found.Near {
		var texts []string
		for _, m := range w.Memories {
			texts = append(texts, m.FullText)
		}
		all = append(all, texts)
	}
	return all
}

// TestReviewNear lists memories with those that were near when they were added, the newest first and each set
// once, until all of a set were confirmed.
func TestReviewNear(t *testing.T) {
	s := newStore(t)
	first := mustRemember(t, s, memory.Memory{FullText: "The office is in Berlin."})
	mustRemember(t, s, memory.Memory{FullText: "Max is a golden retriever."})
	second := mustRemember(t, s, memory.Memory{FullText: "The office is in Munich."})
	if len(second.Related) != 1 || second.Related[0].ID != first.ID {
		t.Fatalf("related: %+v", second.Related)
	}
	want := [][]string{{second.FullText, first.FullText}}
	if got := reviewedTexts(t, s); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	third := mustRemember(t, s, memory.Memory{FullText: "The office is in Hamburg."})
	want = [][]string{{third.FullText, second.FullText, first.FullText}}
	if got := reviewedTexts(t, s); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q, want %q", got, want)
	}
	ids := []string{first.ID, second.ID, third.ID}
	if _, _, err := memory.Confirm(t.Context(), s.Ledger, "tanaka", ids, nil); err != nil {
		t.Fatal(err)
	}
	if got := reviewedTexts(t, s); got != nil {
		t.Errorf("confirmed: %q", got)
	}
	wantSound(t, s)
}

// TestReviewBounds finds the latest among more memories than a review reads, and says that there are more.
func TestReviewBounds(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	at := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	var drafts []memory.Draft
	for i := range memory.ReviewMost + 10 {
		at = at.Add(time.Hour)
		m := d.Draft(memory.Memory{User: "tanaka", FullText: fmt.Sprintf("Room %d is at the end of corridor %d.", i, i),
			CreatedAt: at, ExpiresAt: at.Add(time.Hour)})
		m.Near = []string{"mem_none"}
		drafts = append(drafts, m)
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	found, err := memory.Review(t.Context(), s.Ledger, "tanaka", memory.ReviewFilter{Near: true, Expired: true})
	if err != nil || !found.More || len(found.Expired) != memory.ReviewMost || found.Near != nil {
		t.Fatal(found.More, len(found.Expired), found.Near, err)
	}
	if last := found.Expired[0].Memories[0].FullText; last != drafts[len(drafts)-1].FullText {
		t.Errorf("first is %q", last)
	}
}
