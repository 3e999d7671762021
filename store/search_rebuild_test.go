package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// restoreMany restores testdata/index2.backup.gz: a store with a memo and 2,103
// memories of tanaka; three wait. The last version before version 3 of the
// search index has written it. An index of this size is built again in several
// transactions.
func restoreMany(t *testing.T) *Store { return restorePacked(t, "testdata/index2.backup.gz") }

const rebuiltTexts = 2103

// wantMany asks questions to which the store of restoreMany has the answer.
func wantMany(t *testing.T, s *Store) {
	t.Helper()
	asks(t, s, "tanaka", map[string]string{
		"1234": "Note 1234: 犬 and tea", "waiting number 2": "Waiting number 2 of the fish",
	})
	for question, total := range map[string]int{"ラーメン Kyoto": 0, "fish": 3, "note": 2100} {
		found, err := s.SearchMemories(t.Context(), "tanaka", question, MemoryFilter{Limit: 3})
		if err != nil || len(found.Hits) != 3 || total > 0 && found.Total != total {
			t.Errorf("%s: %d of %d, %v", question, len(found.Hits), found.Total, err)
		}
	}
}

// step does a part of the work of building tanaka's index again.
func step(t *testing.T, s *Store, most int) (done bool) {
	t.Helper()
	err := s.maintain(t.Context(), func(tx *Tx) (err error) {
		u, err := loadMemoryUser(tx, "tanaka", false)
		if err == nil {
			done, err = refreshMemories(u.Number, most)(tx)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// TestRebuildKilled builds an index again, and copies the store after each transaction,
// as a kill would leave it. The copy answers questions and is sound, and a write to it
// ends the work.
func TestRebuildKilled(t *testing.T) {
	s := restoreMany(t)
	steps := 0
	for done := false; !done; steps++ {
		wantMany(t, s)
		sound(t, s)
		where := filepath.Join(t.TempDir(), "killed")
		if err := os.CopyFS(where, os.DirFS(s.where)); err != nil {
			t.Fatal(err)
		}
		killed := openOutdated(t, where)
		text := fmt.Sprint("Written after the kill number ", steps)
		if _, _, err := killed.AddMemory(t.Context(), Memory{User: "tanaka", FullText: text}); err != nil {
			t.Fatal(err)
		}
		wantMany(t, killed)
		asks(t, killed, "tanaka", map[string]string{"written after the kill": text})
		wantComplete(t, killed)
		done = step(t, s, 400)
	}
	if steps < 7 {
		t.Errorf("%d transactions", steps)
	}
	wantMany(t, s)
	wantComplete(t, s)
}

// wantComplete checks that the indexes are sound and nothing of an earlier version is
// left.
func wantComplete(t *testing.T, s *Store) {
	t.Helper()
	sound(t, s)
	err := s.view(t.Context(), func(tx *Tx) error {
		u, err := loadMemoryUser(tx, "tanaka", false)
		if err != nil {
			return err
		}
		complete, err := u.index().Complete(tx)
		if err != nil || !complete {
			t.Errorf("complete: %v, %v", complete, err)
		}
		return u.index().Former(tx, func(key []byte) error {
			t.Errorf("left: %q", key)
			return errStop
		})
	})
	if err != nil && err != errStop {
		t.Fatal(err)
	}
}

// TestRebuildInGroup writes to an outdated index in a group of writes.
func TestRebuildInGroup(t *testing.T) {
	s := restoreMany(t)
	err := s.Group(t.Context(), func(ctx context.Context) error {
		_, _, err := s.AddMemory(ctx, Memory{User: "tanaka", FullText: "The group is here."})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	wantMany(t, s)
	wantComplete(t, s)
	if n, err := s.CountMemories(t.Context(), "tanaka"); err != nil || n != rebuiltTexts+1 {
		t.Errorf("%d memories, %v", n, err)
	}
}

// TestRebuildDamaged refuses to build an index again that lacks a text.
func TestRebuildDamaged(t *testing.T) {
	s := restoreMany(t)
	found, _, err := s.FindMemories(t.Context(), "tanaka", MemoryFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = s.maintain(t.Context(), func(tx *Tx) error {
		u, err := loadMemoryUser(tx, "tanaka", false)
		if err == nil {
			err = tx.Delete(memoryKey(u.Number, found[0].ID))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.AddMemory(t.Context(), Memory{User: "tanaka", FullText: "One more."}); err == nil {
		t.Error("a memory without a record was indexed")
	}
}
