package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/ledger"
	"techo/store/memfile"
	"techo/store/memo"
	"techo/store/memory"
	"techo/store/search"
	"techo/store/space"
)

// outdatedStore returns a store with a memo, 2,103 memories of tanaka and one of suzuki, who also has
// a memory file. Another version has written its indexes.
func outdatedStore(t *testing.T) (where string) {
	t.Helper()
	where = filepath.Join(t.TempDir(), "store")
	s := openVersioned(t, where, true)
	drafter := memory.NewDrafter()
	var drafts []memory.Draft
	for i := range 2100 {
		drafts = append(drafts, drafter.Draft(memory.Memory{User: "tanaka",
			FullText: fmt.Sprintf("Note %d about tea", i)}))
	}
	if _, err := s.AddMemories(t.Context(), "tanaka", drafts); err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Memory{
		{User: "tanaka", FullText: "Waiting number 0 of the fish"},
		{User: "tanaka", FullText: "Waiting number 1 of the fish"},
		{User: "tanaka", FullText: "Waiting number 2 of the fish"}, {User: "suzuki", FullText: "The cat sleeps."},
	} {
		if _, err := s.AddMemory(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddMemo(t.Context(), memo.Memo{Name: "noodles", Content: "ラーメン", Priority: 2}); err != nil {
		t.Fatal(err)
	}
	err := memfile.Of(s.Ledger).Create(t.Context(), "suzuki", "/memories/pets.md", "A hedgehog.")
	if err != nil {
		t.Fatal(err)
	}
	err = s.Engine.Update(t.Context(), func(tx kv.Tx) error {
		for _, number := range []uint32{0, 1, 2, search.Files} {
			if err := tx.Put(search.NumbersKey(search.At(number)), []byte(`{"version":99,"lists":7}`)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return where
}

func openVersioned(t *testing.T, where string, write bool) *Store {
	t.Helper()
	return open(t, where, Options{Write: write, Now: time.Now})
}

// wantIndexed asks questions to which the store of outdatedStore has the answer.
func wantIndexed(t *testing.T, s *Store) {
	t.Helper()
	for _, q := range []struct {
		user, question, want string
		total                int
	}{
		{"tanaka", "1234", "Note 1234 about tea", 1}, {"tanaka", "fish", "Waiting number 2 of the fish", 3},
		{"tanaka", "note", "Note 2099 about tea", 2100}, {"suzuki", "Where is the cat?", "The cat sleeps.", 1},
	} {
		found, err := s.SearchMemories(t.Context(), q.user, q.question, memory.Filter{Limit: 5, By: search.ByWords})
		if err != nil || len(found.Hits) == 0 || found.Hits[0].FullText != q.want || found.Total != q.total {
			t.Errorf("%s: %+v, %v, want %q", q.question, found, err, q.want)
		}
	}
	files, err := memfile.Of(s.Ledger).Search(t.Context(), "suzuki", "hedgehog", search.ByWords, 3)
	if len(files) != 1 || err != nil {
		t.Error(files, err)
	}
	_, n, err := memo.Search(t.Context(), s.Ledger, space.Sources{Own: true}, "らーめん", memo.Filter{Limit: 5})
	if err != nil || n != 1 {
		t.Error(n, err)
	}
}

func sound(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Verify(t.Context(), VerifyOptions{Deep: true}); err != nil {
		t.Error(err)
	}
}

// TestOutdatedIndex uses a store whose indexes another version has written: each of these calls
// builds them again.
func TestOutdatedIndex(t *testing.T) {
	calls := map[string]func(s *Store) error{
		"search": func(s *Store) error {
			_, err := s.SearchMemories(t.Context(), "suzuki", "cat", memory.Filter{Limit: 1})
			return err
		},
		"add": func(s *Store) error {
			_, err := s.AddMemory(t.Context(), memory.Memory{User: "suzuki", FullText: "The dog barks."})
			return err
		},
		"group": func(s *Store) error {
			return s.Group(t.Context(), func(ctx context.Context) error {
				_, err := s.AddMemo(ctx, memo.Memo{Name: "tea", Content: "green", Priority: 2})
				return err
			})
		},
		"remove": func(s *Store) error {
			_, err := s.RemoveMemo(t.Context(), "noodles")
			if err == nil {
				_, err = s.AddMemo(t.Context(), memo.Memo{Name: "noodles", Content: "ラーメン", Priority: 2})
			}
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			s := openVersioned(t, outdatedStore(t), true)
			if err := call(s); err != nil {
				t.Fatal(err)
			}
			wantIndexed(t, s)
			sound(t, s)
		})
	}
}

// TestOutdatedIndexRebuilds searches without a write: the first search of memories or of files builds
// all indexes again.
func TestOutdatedIndexRebuilds(t *testing.T) {
	where := outdatedStore(t)
	s := open(t, where, Options{Rebuild: true, Now: time.Now})
	files, err := memfile.Of(s.Ledger).Search(t.Context(), "suzuki", "hedgehog", search.ByWords, 3)
	if len(files) != 1 || err != nil {
		t.Error(files, err)
	}
	wantIndexed(t, openVersioned(t, where, false))
	wantIndexed(t, s)
}

// TestOutdatedIndexRead searches without the right to write, which fails until the store is migrated.
func TestOutdatedIndexRead(t *testing.T) {
	where := outdatedStore(t)
	_, err := openVersioned(t, where, false).SearchMemories(t.Context(), "tanaka", "fish", memory.Filter{Limit: 1})
	if outdated := new(ledger.OutdatedError); !errors.As(err, &outdated) || outdated.Store != where {
		t.Error(err)
	}
	if from, to, err := Migrate(t.Context(), where, Options{Now: time.Now}); from != 1 || to != 1 || err != nil {
		t.Error(from, to, err)
	}
	wantIndexed(t, openVersioned(t, where, false))
}

// TestOutdatedIndexKilled ends the work after each transaction, as a kill would.
func TestOutdatedIndexKilled(t *testing.T) {
	s := openVersioned(t, outdatedStore(t), true)
	steps := 0
	for done := false; !done; steps++ {
		sound(t, s)
		err := s.Engine.Update(t.Context(), func(tx kv.Tx) (err error) {
			done, err = search.At(1).Rebuild(tx, 500, memory.MemoryTexts(tx, 1))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if steps < 6 {
		t.Errorf("%d transactions", steps)
	}
	wantIndexed(t, s)
	sound(t, s)
}
