package store

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// restoreOutdated restores testdata/index1.backup.gz: a store with a memo, five
// memories of tanaka that wait, and 300 of suzuki in the lists. The last version
// before version 2 of the search index has written it.
func restoreOutdated(t *testing.T) *Store { return restorePacked(t, "testdata/index1.backup.gz") }

// restorePacked restores a compressed backup.
func restorePacked(t *testing.T, name string) *Store {
	t.Helper()
	packed, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	r, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	backup, where := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(backup, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Restore(t.Context(), where, backup, false, outdatedOptions); err != nil {
		t.Fatal(err)
	}
	return openOutdated(t, where)
}

var outdatedOptions = Options{
	Write: true, Now: func() time.Time { return time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC) },
}

func openOutdated(t *testing.T, where string) *Store {
	t.Helper()
	s, err := Open(where, outdatedOptions)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// asks checks the best memory for each question.
func asks(t *testing.T, s *Store, user string, want map[string]string) {
	t.Helper()
	for question, text := range want {
		found, err := s.SearchMemories(t.Context(), user, question, MemoryFilter{Limit: 5})
		if err != nil || len(found.Hits) == 0 || found.Hits[0].FullText != text {
			t.Errorf("%s: %+v, %v, want %q", question, found.Hits, err, text)
		}
	}
}

func sound(t *testing.T, s *Store) {
	t.Helper()
	if _, err := s.Verify(t.Context(), VerifyOptions{Deep: true}); err != nil {
		t.Error(err)
	}
}

// TestOutdatedIndex reads a store with outdated search indexes and then writes to it,
// which builds them again.
func TestOutdatedIndex(t *testing.T) {
	s := restoreOutdated(t)
	sound(t, s)
	asks(t, s, "tanaka", map[string]string{
		"Where is the cat?": "The cat sleeps.", "ラーメン": "田中さんはラーメンが好き。",
		"node.js": "The server runs on node.js 22.",
	})
	report := "Report number 7 about item7 and the café Straße7."
	asks(t, s, "suzuki", map[string]string{"item7": report})
	own := Sources{Own: true}
	if _, n, err := SearchMemos(t.Context(), s.Ledger, own, "ラーメン", MemoFilter{Limit: 5}); err != nil || n != 1 {
		t.Error(n, err)
	}

	for _, user := range []string{"tanaka", "suzuki"} {
		if _, _, err := s.AddMemory(t.Context(), Memory{User: user, FullText: "The fish swims."}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddMemo(t.Context(), Memo{Name: "tea", Content: "green", Priority: 2}); err != nil {
		t.Fatal(err)
	}
	sound(t, s)
	asks(t, s, "tanaka", map[string]string{
		"cat": "The cat sleeps.", "らーめん": "田中さんはラーメンが好き。",
		"nodejs":  "The server runs on node.js 22.",
		"strasse": "Lange Straße 14", "fish": "The fish swims.",
	})
	asks(t, s, "suzuki", map[string]string{"strasse7": report, "fish": "The fish swims."})
	if _, n, err := SearchMemos(t.Context(), s.Ledger, own, "らーめん", MemoFilter{Limit: 5}); err != nil || n != 1 {
		t.Error(n, err)
	}
	for user, want := range map[string]int{"tanaka": 6, "suzuki": 301} {
		if n, err := s.CountMemories(t.Context(), user); err != nil || n != want {
			t.Errorf("%s: %d memories, %v, want %d", user, n, err, want)
		}
	}
}

// TestOutdatedIndexRemove removes a memory first.
func TestOutdatedIndexRemove(t *testing.T) {
	s := restoreOutdated(t)
	found, _, err := s.FindMemories(t.Context(), "suzuki", MemoryFilter{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.RemoveMemories(t.Context(), "suzuki", []string{found[0].ID}); err != nil {
		t.Fatal(err)
	}
	sound(t, s)
}
