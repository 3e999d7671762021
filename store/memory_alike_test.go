package store

import (
	"fmt"
	"slices"
	"testing"

	"techo/internal/testenv"
	"techo/store/memory"
)

// TestAlikeAmongMany finds the memory that a new one contradicts, and the one with
// nearly the same words, among thousands that share words with it.
func TestAlikeAmongMany(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	d := memory.NewDrafter()
	var drafts []memory.Draft
	for i := range testenv.Pick(2000, 6000) {
		names, places := []string{"Sarah", "Omar", "Nina"}, []string{"Paris", "Rome", "Kobe", "Oslo"}
		drafts = append(drafts, d.Draft(memory.Memory{User: "tanaka", FullText: fmt.Sprintf(
			"%s lives %d minutes from %s and met %s there %d times.",
			names[i%3], i%90, places[i%4], names[(i+1)%3], i)}))
	}
	facts := []string{
		"Sarah lives in Berlin.", "The guest wifi password is hunter2, and the router stands in the hall upstairs.",
		"佐藤さんは東京に住んでいる。",
	}
	for _, text := range facts {
		drafts = slices.Insert(drafts, len(drafts)/2, d.Draft(memory.Memory{User: "tanaka", FullText: text}))
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, other string
		similar     bool
	}{
		{"Sarah lives in Lisbon.", facts[0], false},
		{"The guest wifi password is hunter3, and the router stands in the hall upstairs.", facts[1], false},
		{"佐藤さんは大阪に住んでいる。", facts[2], false},
	} {
		_, like, err := s.AddMemory(t.Context(), memory.Memory{User: "tanaka", FullText: c.text})
		if err != nil {
			t.Fatal(err)
		}
		ids := like.Contradicts
		if c.similar {
			ids = like.Similar
		}
		var texts []string
		for _, id := range ids {
			m, err := s.GetMemory(t.Context(), "tanaka", id)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, m.FullText)
		}
		if !slices.Contains(texts, c.other) {
			t.Errorf("%s: %q, want %q", c.text, texts, c.other)
		}
	}
}
