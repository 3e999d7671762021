package store

import (
	"errors"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/ledger"
	"techo/store/memory"
)

func mustRemember(t *testing.T, s *Store, m memory.Memory) memory.Added {
	t.Helper()
	m.User = "tanaka"
	added, err := s.AddMemory(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

// TestSupersedeExpired supersedes a memory that has expired: the new one has no expiry.
func TestSupersedeExpired(t *testing.T) {
	s := newStore(t)
	past := mustRemember(t, s, memory.Memory{FullText: "The sale ends soon.", ExpiresAt: s.Time().Add(-time.Hour)})
	if m, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{past.ID}, "The sale goes on.", nil); err != nil ||
		!m.ExpiresAt.IsZero() {
		t.Errorf("it expires at %v, %v", m.ExpiresAt, err)
	}
}

// TestSupersedeByExisting supersedes a memory by the text of another one, and by
// its own.
func TestSupersedeByExisting(t *testing.T) {
	s := newStore(t)
	old := mustRemember(t, s, memory.Memory{FullText: "Sarah lives in Berlin.", Topic: "home"})
	there := mustRemember(t, s, memory.Memory{FullText: "Sarah lives in Lisbon."})
	m, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{old.ID}, "Sarah lives in Lisbon.", nil)
	if err != nil || m.ID != there.ID || m.Topic != "home" || len(m.Supersedes) != 1 {
		t.Fatalf("%+v %v", m, err)
	}
	_, err = memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{m.ID}, m.FullText, nil)
	if !errors.As(err, new(*memory.SameTextError)) {
		t.Errorf("superseded by itself: %v", err)
	}
	// The old fact is true again: it does not supersede itself.
	again, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{m.ID}, "Sarah lives in Berlin.", nil)
	if err != nil || again.ID != old.ID || len(again.Supersedes) != 1 || again.Supersedes[0].ID != there.ID {
		t.Fatalf("%+v %v", again, err)
	}
	found, err := s.SearchMemories(t.Context(), "tanaka", "Lisbon", memory.Filter{Limit: 10})
	if err != nil || found.Total != 1 || len(found.Hits) != 1 || found.Hits[0].ID != again.ID {
		t.Errorf("found %+v, %v", found, err)
	}
	wantSound(t, s)
	if _, _, err := s.RemoveMemories(t.Context(), "tanaka", []string{again.ID}); err != nil {
		t.Fatal(err)
	}
	if m, err := s.GetMemory(t.Context(), "tanaka", there.ID); err == nil {
		t.Errorf("a superseded memory remains: %+v", m)
	}
	wantSound(t, s)
}

// TestPurgeSuperseded removes a memory for good: the texts that it superseded go too,
// with their changes.
func TestPurgeSuperseded(t *testing.T) {
	testenv.InFolder(t)
	const secret = "hunter2-correct-horse"
	s := newStore(t)
	first := mustRemember(t, s, memory.Memory{FullText: "The password is " + secret})
	edited := "The password was " + secret
	if _, _, err := memory.Edit(t.Context(), s.Ledger, "tanaka", first.ID, memory.Change{FullText: &edited}); err != nil {
		t.Fatal(err)
	}
	next, err := memory.Supersede(t.Context(), s.Ledger, "tanaka", []string{first.ID}, "The password is in the vault.", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.RemoveMemories(ledger.WithPurge(t.Context()), "tanaka", []string{next.ID}); err != nil {
		t.Fatal(err)
	}
	if err := s.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantNowhere(t, s.Where, secret)
	wantSound(t, s)
}
