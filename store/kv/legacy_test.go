package kv

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// legacyStore copies a store that the last version with format 1 has written:
// four runs with replaced and deleted records, and a journal.
func legacyStore(t *testing.T) (dir string, want model) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "format1"))); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(dir, func(path string, st os.FileInfo, err error) error {
		if err != nil || st.IsDir() {
			return err
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join("testdata", "format1.want"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want = model{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var key, value string
		if _, err := fmt.Sscanf(lines.Text(), "%q %q", &key, &value); err != nil {
			t.Fatal(err)
		}
		want[key] = value
	}
	if len(want) != 28 {
		t.Fatalf("%d records", len(want))
	}
	return dir, want
}

// TestLegacyRead reads a store of format 1 without changing it.
func TestLegacyRead(t *testing.T) {
	dir, want := legacyStore(t)
	before := namesIn(t, filepath.Join(dir, tablesName))
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	wantAll(t, l, want)
	if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
		t.Error(err)
	}
	if i, err := l.Info(t.Context()); err != nil || i.Format != 1 || i.Tables != 4 {
		t.Errorf("%+v, %v", i, err)
	}
	if after := namesIn(t, filepath.Join(dir, tablesName)); len(after) != len(before) {
		t.Errorf("files %q, before %q", after, before)
	}
}

// TestLegacyMigration writes one record. Closing the store migrates it.
func TestLegacyMigration(t *testing.T) {
	dir, want := legacyStore(t)
	l := openStore(t, dir)
	mustPut(t, l, "new", "value")
	want["new"] = "value"
	wantAll(t, openStore(t, dir), want)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	wantBadger(t, dir, want)
	l = openStore(t, dir)
	wantAll(t, l, want)
	if i, err := l.Info(t.Context()); err != nil || i.Format != formatVersion || i.JournalTxns != 0 {
		t.Errorf("%+v, %v", i, err)
	}
	if n := unnamed(t, dir); n > 0 {
		t.Errorf("%d files left: %q", n, namesIn(t, filepath.Join(dir, tablesName)))
	}
}

// TestLegacyMigrationKilled kills migrations at each step, and a later one
// finishes.
func TestLegacyMigrationKilled(t *testing.T) {
	for _, early := range []bool{true, false} {
		dir, want := legacyStore(t)
		for i := range 3 {
			l := openStore(t, dir)
			mustPut(t, l, fmt.Sprint("new", i), "value", "key05", fmt.Sprint(i))
			mustDelete(t, l, "key06")
			want[fmt.Sprint("new", i)], want["key05"] = "value", fmt.Sprint(i)
			delete(want, "key06")
			leaveMerge(t, l, false, early)
			stopCompaction(l) // Badger would find its lock taken
			wantAll(t, openStore(t, dir), want)
			if !early {
				wantBadger(t, dir, want) // which removes the tables of format 1
				wantAll(t, openStore(t, dir), want)
			}
		}
		mustMerge(t, openStore(t, dir))
		wantAll(t, openStore(t, dir), want)
		wantBadger(t, dir, want)
	}
}

// stopCompaction stops a scheduled compaction.
func stopCompaction(l *Local) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.timer.Stop()
}

// TestLegacyRescue rescues a store of format 1, whole and without its lists.
func TestLegacyRescue(t *testing.T) {
	for _, missing := range [][]string{nil, {"list.5"}, {"list.5", "list.5.copy"}} {
		dir, want := legacyStore(t)
		for _, name := range missing {
			if err := os.Remove(filepath.Join(dir, tablesName, name)); err != nil {
				t.Fatal(err)
			}
		}
		kept, r := rescued(t, dir)
		if !maps.Equal(kept, want) || len(missing) == 0 && len(r.Findings) > 0 {
			t.Errorf("without %q: kept %s, found %v", missing, kept, r.Findings)
		}
		if err := openStore(t, dir).Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantBadger(t, dir, want)
	}
}
