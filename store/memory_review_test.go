package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/store/memory"
)

// reviewedTexts returns what a review of all pairs finds, as texts.
func reviewedTexts(t *testing.T, s *Store) (contradictions, repetitions [][]string) {
	t.Helper()
	found, err := memory.Review(t.Context(), s.Ledger, "tanaka", memory.ReviewFilter{Pairs: true})
	if err != nil {
		t.Fatal(err)
	}
	texts := func(all []memory.Waiting) (lists [][]string) {
		for _, w := range all {
			var list []string
			for _, m := range w.Memories {
				list = append(list, m.FullText)
			}
			lists = append(lists, list)
		}
		return lists
	}
	return texts(found.Contradictions), texts(found.Repetitions)
}

// TestReviewOfImport finds what the memories of one import say about each other and about what was
// there, joins three repetitions, and takes none of it from the turns of a conversation.
func TestReviewOfImport(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	at := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	var drafts []memory.Draft
	for _, text := range []string{
		"The office is in Berlin.", "Tanaka's dog is called Max.", "The office moved to Munich.",
		"The name of Tanaka's dog is Max.", "Max is the name of the dog of Tanaka.",
		"Kato: The shop is in Berlin.", "Kato: The shop moved to Munich.",
	} {
		at = at.Add(time.Hour)
		m := memory.Memory{User: "tanaka", FullText: text, CreatedAt: at}
		if strings.HasPrefix(text, "Kato:") {
			m.Session = "chat"
		}
		drafts = append(drafts, d.Draft(m))
	}
	if _, _, left, err := memory.Import(t.Context(), s.Ledger, "tanaka", drafts, 100); err != nil || left != 95 {
		t.Fatal(left, err)
	}
	contradictions, repetitions := reviewedTexts(t, s)
	if want := [][]string{{"The office moved to Munich.", "The office is in Berlin."}}; !slices.EqualFunc(
		contradictions, want, slices.Equal) {
		t.Errorf("contradictions %q, want %q", contradictions, want)
	}
	if len(repetitions) != 1 || len(repetitions[0]) != 3 {
		t.Errorf("repetitions %q", repetitions)
	}
	if _, like, _, err := memory.Import(t.Context(), s.Ledger, "tanaka", drafts, 100); err != nil ||
		slices.ContainsFunc(like, func(l memory.Alike) bool { return l.Similar != nil || l.Contradicts != nil }) {
		t.Errorf("imported again: %v, %v", like, err)
	}
}

// TestReviewBounds finds the latest contradictions among more memories than a review reads, and says
// that there are more.
func TestReviewBounds(t *testing.T) {
	s := newStore(t)
	d := memory.NewDrafter()
	at := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	var drafts []memory.Draft
	for i := range memory.ReviewMost + 10 {
		at = at.Add(time.Hour)
		m := d.Draft(memory.Memory{User: "tanaka", FullText: fmt.Sprintf("Room %d is at the end of corridor %d.", i, i),
			CreatedAt: at, ExpiresAt: at.Add(time.Hour)})
		m.Alike = []string{"mem_none"}
		drafts = append(drafts, m)
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	found, err := memory.Review(t.Context(), s.Ledger, "tanaka", memory.ReviewFilter{Pairs: true, Expired: true})
	if err != nil || !found.More || len(found.Expired) != memory.ReviewMost || found.Contradictions != nil {
		t.Fatal(found.More, len(found.Expired), found.Contradictions, err)
	}
	if last := found.Expired[0].Memories[0].FullText; last != drafts[len(drafts)-1].FullText {
		t.Errorf("first is %q", last)
	}
}
