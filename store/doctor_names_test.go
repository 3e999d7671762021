package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"techo/store/kv/rescue"
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

// wantChanges repairs a store, and compares the changes that are named.
func wantChanges(t *testing.T, where string, certain bool, want map[string]rescue.State) Diagnosis {
	t.Helper()
	d, err := Doctor(t.Context(), where, DoctorOptions{Options: Options{Now: newStore(t).Now}, Repair: true})
	if err != nil || !d.Repaired {
		t.Fatalf("%+v, %v", d, err)
	}
	got := map[string]rescue.State{}
	for _, c := range d.Changes {
		got[c.Name] = c.State
		if c.Certain != certain {
			t.Errorf("%+v", c)
		}
	}
	for name, state := range want {
		if got[name] != state {
			t.Errorf("%q is %q, want %q: %+v", name, got[name], state, d)
		}
	}
	if len(got) != len(want) || d.Complete() != (len(want) == 0) {
		t.Errorf("complete %v, changes %v", d.Complete(), d.Changes)
	}
	return d
}

// TestRolledBackIsNamed flips a bit in the transaction that edited a memo: the
// older version is back, and the doctor names the memo, by the key file, and
// without it by what can be read of the transaction.
func TestRolledBackIsNamed(t *testing.T) {
	flip := func(b []byte) []byte { b[bytes.Index(b, []byte("rent is 1200"))] ^= 1; return b }
	for _, merged := range []bool{false, true} {
		for _, keys := range []bool{true, false} {
			where := rentStore(t, merged)
			damage(t, filepath.Join(where, "journal"), flip)
			if !keys {
				if err := os.Remove(filepath.Join(where, "journal.keys")); err != nil {
					t.Fatal(err)
				}
			}
			wantChanges(t, where, keys, map[string]rescue.State{"rent": rescue.RolledBack})
		}
	}
}

// TestCutJournalIsNamed cuts the journal off: what was removed stays removed.
func TestCutJournalIsNamed(t *testing.T) {
	where := rentStore(t, true)
	damage(t, filepath.Join(where, "journal"), func(b []byte) []byte { return b[:100] })
	wantChanges(t, where, true, map[string]rescue.State{"rent": rescue.RolledBack, "later": rescue.Lost})
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

// TestWholeTables appends to, cuts and changes the last bytes of a table, whose
// blocks are whole: nothing is lost.
func TestWholeTables(t *testing.T) {
	for name, do := range map[string]func([]byte) []byte{
		"appended":  func(b []byte) []byte { return append(b, 'x') },
		"last cut":  func(b []byte) []byte { return b[:len(b)-1] },
		"last byte": func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
		"last 100":  func(b []byte) []byte { clear(b[len(b)-100:]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			where := filepath.Join(t.TempDir(), "store")
			s := openAt(t, where)
			for _, n := range []string{"one", "two", "three"} {
				mustAdd(t, s, n)
			}
			if err := s.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.Close()
			damage(t, filepath.Join(where, "tables", "000001.sst"), do)
			if d := wantChanges(t, where, true, nil); d.Report.Counts["memos"] != 3 {
				t.Errorf("%+v", d)
			}
		})
	}
}
