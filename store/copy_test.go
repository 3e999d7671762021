package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/folder"
	"techo/store/memo"
)

// TestCopyAndBack copies a store from a folder into a database and back. All records
// are the same.
func TestCopyAndBack(t *testing.T) {
	database := newDatabase(t)
	stores := []*Store{openStore(t, t.TempDir()+"/a", true), nil, openStore(t, t.TempDir()+"/b", true)}
	stores[1] = openStore(t, database, true)
	mustAdd(t, stores[0], "memo", "a")
	if err := addNumbered(stores[0], 0, 400); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if _, err := Copy(t.Context(), stores[i], stores[i+1]); err != nil {
			t.Fatal(err)
		}
		wantSound(t, stores[i+1])
	}
	var backups [3]string
	for i, s := range stores {
		var b testenv.Buffer
		if _, err := s.Backup(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		backups[i] = b.String()
	}
	if backups[0] != backups[1] || backups[0] != backups[2] {
		t.Error("the backups differ")
	}
	if _, err := Copy(t.Context(), stores[0], stores[1]); !errors.As(err, new(*folder.NotEmptyError)) {
		t.Errorf("a copy into a store with records: %v", err)
	}
}

func openTarget(t *testing.T, where string) *Store {
	t.Helper()
	return open(t, where, Options{Write: true, Unfinished: true, Now: time.Now})
}

// beginCopy begins a copy into a database, and writes a batch.
func beginCopy(t *testing.T, to *Store, owner string) *databaseCopy {
	t.Helper()
	c := &databaseCopy{to: to, owner: []byte(owner)}
	if err := c.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.batch = []kv.Pair{{Key: []byte("zz" + owner), Value: []byte("x")}}
	if err := c.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCopyUnfinished: a database with an unfinished copy is refused, except by another copy.
func TestCopyUnfinished(t *testing.T) {
	from, address := newStore(t), newDatabase(t)
	mustAdd(t, from, "memo", "a")
	beginCopy(t, openTarget(t, address), "a")
	unfinished := new(kv.UnfinishedError)
	s := openStore(t, address, true)
	if _, err := s.AddMemo(t.Context(), memo.Memo{Name: "z", Content: "z", Priority: 1}); !errors.As(err, &unfinished) {
		t.Errorf("add: %v", err)
	}
	if _, _, err := s.FindMemos(t.Context(), memo.Filter{Limit: 1}); !errors.As(err, &unfinished) {
		t.Errorf("list: %v", err)
	}
	if _, err := s.Verify(t.Context(), VerifyOptions{}); !errors.As(err, &unfinished) {
		t.Errorf("verify: %v", err)
	}
	if _, err := s.Backup(t.Context(), new(testenv.Buffer)); !errors.As(err, &unfinished) {
		t.Errorf("backup: %v", err)
	}
	if _, err := Copy(t.Context(), s, openTarget(t, t.TempDir()+"/to")); !errors.As(err, &unfinished) {
		t.Errorf("copy from it: %v", err)
	}
	if _, err := Copy(t.Context(), from, openTarget(t, address)); err != nil {
		t.Fatal(err)
	}
	wantSound(t, s)
	wantMemos(t, s, "memo")
}

// TestCopyTakenOver: of two copies into one database the later one succeeds, the earlier one
// fails.
func TestCopyTakenOver(t *testing.T) {
	address := newDatabase(t)
	from, contested := newStore(t), new(ContestedError)
	mustAdd(t, from, "memo", "a")
	first := beginCopy(t, openTarget(t, address), "first")
	second := beginCopy(t, openTarget(t, address), "second")
	if err := first.flush(t.Context()); !errors.As(err, &contested) {
		t.Errorf("a batch: %v", err)
	}
	if err := first.finish(t.Context()); !errors.As(err, &contested) {
		t.Errorf("the end: %v", err)
	}
	if _, err := Copy(t.Context(), from, openTarget(t, address)); err != nil {
		t.Fatal(err)
	}
	if err := second.flush(t.Context()); !errors.As(err, &contested) {
		t.Errorf("a batch after the end of another copy: %v", err)
	}
	s := openStore(t, address, false)
	wantSound(t, s)
	wantMemos(t, s, "memo")
}

// TestCopyWrittenTo: a copy fails if a process that had looked at the store before writes to it.
func TestCopyWrittenTo(t *testing.T) {
	address := newDatabase(t)
	before := openStore(t, address, true)
	wantMemos(t, before)
	c := beginCopy(t, openTarget(t, address), "a")
	mustAdd(t, before, "other")
	if err := c.finish(t.Context()); !errors.As(err, new(*ContestedError)) {
		t.Error(err)
	}
	from := newStore(t)
	mustAdd(t, from, "memo")
	if _, err := Copy(t.Context(), from, openTarget(t, address)); err != nil {
		t.Fatal(err)
	}
	wantMemos(t, openStore(t, address, false), "memo")
}

// TestCopyToFolder: the records of a copy into a folder appear all at once, and only in an
// empty store.
func TestCopyToFolder(t *testing.T) {
	testenv.InFolder(t)
	parent := t.TempDir()
	path := filepath.Join(parent, "to")
	to, stop := openTarget(t, path), errors.New("stop")
	put := func(name string, during func() error) error {
		return folder.Fill(t.Context(), path, "test", func(put func(key, value []byte) error) error {
			return errors.Join(put([]byte(name), []byte("x")), during())
		})
	}
	wantKeys := func(what string, want ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(keysOf(t, to))); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		if all, err := os.ReadDir(parent); err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v", what, all, err)
		}
	}
	if err := put("a", func() error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	wantKeys("after an error")
	err := put("a", func() error {
		if early := keysOf(t, to); len(early) > 0 {
			t.Errorf("during the copy: %v", early)
		}
		return put("b", func() error { return nil })
	})
	if !errors.As(err, new(*folder.NotEmptyError)) {
		t.Errorf("the slower copy: %v", err)
	}
	wantKeys("after two copies", "b")
	from := newStore(t)
	if _, err := Copy(t.Context(), from, to); !errors.As(err, new(*folder.NotEmptyError)) {
		t.Errorf("a copy into it: %v", err)
	}
}
