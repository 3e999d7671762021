package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"techo/store/memo"
)

// damage changes the bytes of a file.
func damage(t *testing.T, path string, do func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, do(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// rentStore has a memo that was edited from 900 to 1200, and one that was
// removed, before another was added.
func rentStore(t *testing.T, merged bool) (where string) {
	t.Helper()
	where = filepath.Join(t.TempDir(), "store")
	s := openAt(t, where)
	rent, gone := mustAdd(t, s, "rent"), mustAdd(t, s, "gone")
	if merged {
		if err := s.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	text := "rent is 1200"
	if _, err := s.EditMemo(t.Context(), rent.Name, memo.Change{Content: &text}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RemoveMemo(t.Context(), gone.Name); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, s, "later")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return where
}

// TestNoEmptyRepair: an unreadable store is not replaced.
func TestNoEmptyRepair(t *testing.T) {
	where := rentStore(t, false)
	damage(t, filepath.Join(where, "journal"), func(b []byte) []byte { return b[:100] })
	before, err := os.ReadFile(filepath.Join(where, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := Doctor(t.Context(), where, DoctorOptions{Options: Options{Now: newStore(t).Now}, Repair: true})
	if err != nil || d.Repaired || !d.Empty || d.Complete() || len(d.Changes) == 0 {
		t.Errorf("%+v, %v", d, err)
	}
	if after, err := os.ReadFile(filepath.Join(where, "journal")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the journal was changed: %v", err)
	}
	if beside, _ := filepath.Glob(where + ".*"); len(beside) > 0 {
		t.Errorf("left over: %q", beside)
	}
}
