package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"techo/internal/confine"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
	"techo/store/kv/rescue"
)

func mustID(t *testing.T, dir string) string {
	t.Helper()
	id, err := ReadID(dir)
	if err != nil || len(id) != 2*idBytes {
		t.Fatalf("id %q %v", id, err)
	}
	return id
}

// TestID gives each store an id of its own, which readers do not make.
func TestID(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := everything(l); err != nil {
		t.Fatal(err)
	}
	if id, err := ReadID(dir); id != "" || err != nil {
		t.Errorf("made by a reader: %q %v", id, err)
	}
	l = openStore(t, dir)
	id := mustID(t, dir)
	mustPut(t, l, "k", "v")
	if again, err := MakeID(dir); again != id || err != nil {
		t.Errorf("%q, then %q %v", id, again, err)
	}
	if i, err := l.Info(context.Background()); i.ID != id || err != nil {
		t.Errorf("info says %q %v", i.ID, err)
	}
	other := t.TempDir()
	openStore(t, other)
	if mustID(t, other) == id {
		t.Error("two stores have one id")
	}
}

// TestIDAtOnce lets many make the id: all get the same one.
func TestIDAtOnce(t *testing.T) {
	dir := t.TempDir()
	ids := make([]string, 16)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() {
			var err error
			if ids[i], err = MakeID(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, id := range ids {
		if id != mustID(t, dir) {
			t.Errorf("ids %q", ids)
			break
		}
	}
}

// TestIDDamaged replaces an unreadable id by a new one.
func TestIDDamaged(t *testing.T) {
	for _, text := range []string{"", "\x00\x00", "0123456789abcdef\n", "../../etc/passwd",
		"0123456789abcdef0123456789ABCDEF\n",
		"0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef\nmore"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, disk.IDName), text)
		if id, err := ReadID(dir); id != "" || err != nil {
			t.Errorf("%q: %q %v", text, id, err)
		}
		if id, err := MakeID(dir); err != nil || id != mustID(t, dir) {
			t.Errorf("%q: %q %v", text, id, err)
		}
	}
}

// TestIDLocked opens a store while another process holds the lock of the id. The
// call neither waits nor fails; one that needs the id waits for a limited time.
func TestIDLocked(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, disk.IDName))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock.Try(f); err != nil {
		t.Fatal(err)
	}
	mustPut(t, openStore(t, dir), "k", "v")
	if id, err := makeID(dir, true, time.Millisecond); !errors.As(err, new(*kv.BusyError)) {
		t.Errorf("%q, %v", id, err)
	}
}

// TestIDStays keeps a store's id when another one takes its place.
func TestIDStays(t *testing.T) {
	dir, _ := mergedStore(t)
	id := mustID(t, dir)
	backup := filepath.Join(t.TempDir(), "backup")
	l := openStore(t, dir)
	f, err := os.Create(backup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := WriteBackup(context.Background(), l, f); err != nil {
		t.Fatal(err)
	}
	f.Close()
	l.Close()
	if _, err := Restore(context.Background(), dir, confine.Place{Path: backup}, true, ""); err != nil {
		t.Fatal(err)
	}
	if got := mustID(t, dir); got != id {
		t.Errorf("restored: %s, not %s", got, id)
	}
	if _, err := Rescue(context.Background(), dir, true, "", func(string, rescue.Rescued) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got := mustID(t, dir); got != id {
		t.Errorf("rescued: %s, not %s", got, id)
	}
	other := filepath.Join(t.TempDir(), "store")
	if _, err := Restore(context.Background(), other, confine.Place{Path: backup}, false, ""); err != nil {
		t.Fatal(err)
	}
	if got := mustID(t, other); got == id {
		t.Error("a copy has the id of the store that was backed up")
	}
}
