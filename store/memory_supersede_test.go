package store

import (
	"errors"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/history"
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

// foundIDs returns the ids of the memories that a question finds.
func foundIDs(t *testing.T, s *Store, question string, f memory.Filter) (ids []string) {
	t.Helper()
	f.Limit = 10
	found, err := s.SearchMemories(t.Context(), "tanaka", question, f)
	if err != nil {
		t.Fatal(err)
	}
	if found.Total != len(found.Hits) {
		t.Errorf("%q: total %d, %d hits", question, found.Total, len(found.Hits))
	}
	for _, h := range found.Hits {
		ids = append(ids, h.ID)
	}
	return ids
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
	if got := foundIDs(t, s, "Lisbon", memory.Filter{}); !slices.Equal(got, []string{again.ID}) {
		t.Errorf("found %q", got)
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

// TestTopics replaces the text under a topic, separately for each scope.
func TestTopics(t *testing.T) {
	s := newStore(t)
	first := mustRemember(t, s, memory.Memory{FullText: "The release is red.", Topic: "status",
		Scope: memory.ProjectScope})
	own := mustRemember(t, s, memory.Memory{FullText: "Tanaka is on holiday.", Topic: "status"})
	next := mustRemember(t, s, memory.Memory{FullText: "The release is green.", Topic: "status",
		Scope: memory.ProjectScope})
	if next.ID != first.ID || next.Created || !next.Replaced || next.Caption != "The release is green." ||
		!next.CreatedAt.After(first.CreatedAt) || own.ID == first.ID {
		t.Fatalf("%+v", next)
	}
	if got := foundIDs(t, s, "red", memory.Filter{}); len(got) > 0 {
		t.Errorf("the old text is found: %q", got)
	}
	list := func(f memory.Filter) (ids []string) {
		f.Limit = 9
		found, total, err := s.FindMemories(t.Context(), "tanaka", f)
		if err != nil || total != len(found) {
			t.Fatal(total, err)
		}
		for _, m := range found {
			ids = append(ids, m.ID)
		}
		return ids
	}
	if got := list(memory.Filter{Topic: "status"}); !slices.Equal(got, []string{next.ID, own.ID}) {
		t.Errorf("topic: %q", got)
	}
	if got := list(memory.Filter{Scope: memory.PersonScope}); !slices.Equal(got, []string{own.ID}) {
		t.Errorf("scope: %q", got)
	}
	project := memory.Filter{Scope: memory.ProjectScope}
	if got := foundIDs(t, s, "release holiday", project); !slices.Equal(got, []string{next.ID}) {
		t.Errorf("scope: found %q", got)
	}
	other := mustRemember(t, s, memory.Memory{FullText: "Another."})
	topic := "status"
	_, err := s.EditMemory(t.Context(), "tanaka", other.ID, memory.Change{Topic: &topic})
	if taken := new(memory.TakenTopicError); !errors.As(err, &taken) || taken.ID != own.ID {
		t.Errorf("a topic twice: %v", err)
	}
	wantSound(t, s)
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: "tanaka"}); err != nil { // Another.
		t.Fatal(err)
	}
	if _, err := history.Of(s.Ledger).Undo(t.Context(), "", history.Filter{Owner: "tanaka"}); err != nil {
		t.Fatal(err)
	}
	if got := foundIDs(t, s, "red", memory.Filter{}); !slices.Equal(got, []string{first.ID}) {
		t.Errorf("undone: %q", got)
	}
	wantSound(t, s)
}

// TestExpiry checks that an expired memory is only found by its id.
func TestExpiry(t *testing.T) {
	s := newStore(t)
	soon := s.Time().Add(time.Minute)
	brief := mustRemember(t, s, memory.Memory{FullText: "The guest code is 4711.", ExpiresAt: soon, Session: "s"})
	kept := mustRemember(t, s, memory.Memory{FullText: "The guest room is upstairs.", Session: "s"})
	if got := foundIDs(t, s, "guest code", memory.Filter{}); len(got) != 2 {
		t.Errorf("found %q", got)
	}
	now := s.Now
	s.Now = func() time.Time { return now().Add(time.Hour) }
	if got := foundIDs(t, s, "guest code", memory.Filter{}); !slices.Equal(got, []string{kept.ID}) {
		t.Errorf("found %q", got)
	}
	for _, f := range []memory.Filter{{Limit: 9}, {Limit: 9, Session: "s"}, {Limit: 1, Scope: memory.PersonScope}} {
		list, total, err := s.FindMemories(t.Context(), "tanaka", f)
		if err != nil || total != 1 || list[0].ID != kept.ID {
			t.Errorf("%+v: %v %d %v", f, list, total, err)
		}
	}
	if m, err := s.GetMemory(t.Context(), "tanaka", brief.ID); err != nil || !m.ExpiresAt.Equal(soon) {
		t.Errorf("%+v %v", m, err)
	}
	never := time.Time{}
	if _, err := s.EditMemory(t.Context(), "tanaka", brief.ID, memory.Change{ExpiresAt: &never}); err != nil {
		t.Fatal(err)
	}
	if got := foundIDs(t, s, "guest code", memory.Filter{}); len(got) != 2 {
		t.Errorf("found %q", got)
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
	if _, err := s.EditMemory(t.Context(), "tanaka", first.ID, memory.Change{FullText: &edited}); err != nil {
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
