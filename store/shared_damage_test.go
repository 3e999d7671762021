package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"techo/store/kv/rescue"
	"techo/store/ledger"
	"techo/store/memo"
	"techo/store/space"
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

// TestSpaceDamageIsNamed damages transactions of a space and of the store. The doctor names
// the records of both, and the space of the first.
func TestSpaceDamageIsNamed(t *testing.T) {
	for _, keys := range []bool{true, false} {
		where := filepath.Join(t.TempDir(), "store")
		s := openStore(t, where, true)
		newSpaces(t, s, "blue", "red")
		for _, to := range []*Store{s, In(s, "red", "alice")} {
			mustAdd(t, to, "rent")
			mustAdd(t, to, "kept")
			text := "rent is 1200"
			if _, err := to.EditMemo(t.Context(), "rent", memo.Change{Content: &text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		damage(t, filepath.Join(where, "journal"), func(b []byte) []byte {
			b[bytes.LastIndex(b, []byte("rent is 1200"))] ^= 1 // in the space
			return b
		})
		if !keys {
			if err := os.Remove(filepath.Join(where, "journal.keys")); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Doctor(t.Context(), where, DoctorOptions{Options: Options{Now: time.Now}, Repair: true})
		if err != nil || !d.Repaired || len(d.Changes) != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		c := d.Changes[0]
		if c.Kind != ledger.KindMemo || c.Name != "rent" || c.Space != "red" || c.State != rescue.RolledBack ||
			c.Certain != keys {
			t.Errorf("%+v", c)
		}
		s = openStore(t, where, true)
		wantMemos(t, In(s, "red", "bob"), "kept", "rent")
		wantSound(t, s)
		s.Close()
	}
}

// TestSpaceFindings: a check, and the repair of a copy, name the space of a record.
func TestSpaceFindings(t *testing.T) {
	where := filepath.Join(t.TempDir(), "store")
	s, ctx := openStore(t, where, true), t.Context()
	newSpaces(t, s, "blue", "red")
	mustAdd(t, s, "own")
	red := mustAdd(t, In(s, "red", "alice"), "ramen")
	err := s.Update(ledger.WithoutHistory(ctx), func(tx *ledger.Tx) error {
		m, err := space.MembershipsOf(tx, "alice")
		if err != nil {
			return err
		}
		return m[1].Within(tx, "alice").Put(memo.Key(red.ID), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	found := new(ledger.FindingError)
	_, err = s.Verify(ctx, VerifyOptions{})
	if !errors.As(err, &found) || found.Space != "red" || found.ID != red.ID {
		t.Errorf("%v, %+v", err, found)
	}
	s.Close()
	d, err := Doctor(ctx, where, DoctorOptions{Options: Options{Now: time.Now}, Repair: true})
	if err != nil || !d.Repaired || len(d.Repairs) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	if r := d.Repairs[0]; r.Space != "red" || r.Record != red.ID {
		t.Errorf("%+v", r)
	}
	s = openStore(t, where, true)
	wantMemos(t, s, "own")
	wantMemos(t, In(s, "red", "alice"))
	wantSound(t, s)
}
