package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
	"techo/store/kv/rescue"
	"techo/store/kv/sst"
)

func freshStore(t *testing.T, records model) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "fresh")
	l := openStore(t, dir)
	for k, v := range records {
		mustPut(t, l, k, v)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replaced replaces the records of a store by these.
func replaced(t *testing.T, dir, why string, want model) (aside string, err error) {
	t.Helper()
	fresh := freshStore(t, want)
	h, err := lock.Acquire(context.Background(), dir, false, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	return replaceRecords(context.Background(), dir, fresh, why, h)
}

// TestReplace replaces the records of a store that another process has open and
// reads, and keeps the old ones beside it.
func TestReplace(t *testing.T) {
	for name, want := range map[string]model{"full": {"new": "v", "later": "v"}, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			id, old := mustID(t, dir), model{"old": "v", "older": "v"}
			before := entriesWith(t, dir)
			err := openStore(t, dir).Snapshot(t.Context(), func(tx kv.Tx) error {
				aside, err := replaced(t, dir, "before", want)
				if err != nil || aside != dir+".before-1" {
					t.Fatalf("%q, %v", aside, err)
				}
				_, err = tx.Get([]byte("old"))
				return err
			})
			if err != nil {
				t.Errorf("a snapshot from before: %v", err)
			}
			if got := entriesWith(t, dir); !slices.Equal(got, before) {
				t.Errorf("files %q, before %q", got, before)
			}
			wantAll(t, openStore(t, dir), want)
			wantAll(t, l, want)
			wantBadger(t, dir, want)
			if got := mustID(t, dir); got != id {
				t.Errorf("id %s, not %s", got, id)
			}
			aside := openStore(t, dir+".before-1")
			wantAll(t, aside, old)
			mustPut(t, aside, "written", "v") // the links to its tables are no harm
			if err := aside.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			mustPut(t, l, "written", "w")
			want["written"] = "w"
			mustMerge(t, l)
			wantAll(t, openStore(t, dir), want)
			if names := namesIn(t, parent); len(names) != 2 {
				t.Errorf("left over: %v", names)
			}
		})
	}
}

// entriesWith returns the names in a store's folder except the journal's keys.
func entriesWith(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(namesIn(t, dir), func(name string) bool { return name == disk.JournalKeysName })
}

// TestReplaceKilled kills replacements at each of their operations. The store has the old records or, from one of
// them on, the new ones. A damaged store stays damaged until it has the new ones, and another replacement succeeds.
func TestReplaceKilled(t *testing.T) {
	old, next := model{"old": "v", "older": "v"}, model{"new": "v"}
	r, step := testenv.Random(t), testenv.Pick(20, 1)
	for _, kind := range []string{"sound", "merged", "damaged"} {
		done := false
		for n, came := r.IntN(step), true; came; n += step {
			dir := filepath.Join(t.TempDir(), "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			if kind == "merged" {
				mustMerge(t, l)
			}
			wantAll(t, l, old) // which keeps the tables open
			if kind == "damaged" {
				damaged := readJournal(t, dir)
				damaged[3]++
				writeJournal(t, dir, damaged)
			}
			d := &failOnce{left: n, dead: true}
			_, _ = replacedOn(t, d, dir, next)
			came = d.failed != ""
			t.Run(fmt.Sprint(kind, " ", n, " ", d.failed), func(t *testing.T) {
				want := maps.Clone(old)
				got, err := recordsIn(t, dir)
				if done = done || maps.Equal(got, next); done {
					want = maps.Clone(next)
				} else if kind == "damaged" {
					if !isCorrupt(err) {
						t.Errorf("got %v, %v", got, err)
					}
					if _, err := replaced(t, dir, "damaged", next); err != nil {
						t.Fatal(err)
					}
					want = maps.Clone(next)
				}
				wantSound(t, l, want)
			})
		}
		if !done {
			t.Errorf("%s: no replacement was complete", kind)
		}
	}
}

// wantSound wants some records in a store in which a replacement was killed, and nothing wrong with it.
func wantSound(t *testing.T, l *Engine, want model) {
	t.Helper()
	for _, l := range []*Engine{l, openStore(t, l.dir)} {
		wantAll(t, l, want)
		if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
			t.Error(err)
		}
	}
	r, err := Rescue(t.Context(), l.dir, false, "", func(string, rescue.Rescued) error { return nil })
	if err != nil || len(r.Findings) > 0 {
		t.Errorf("found %v, %v", r.Findings, err)
	}
	tables := badger.DefaultOptions(filepath.Join(l.dir, disk.TablesName)).WithReadOnly(true)
	if _, _, err := badgerRecords(tables); err != nil {
		t.Error(err)
	}
	mustPut(t, l, "written", "v")
	want["written"] = "v"
	mustMerge(t, l)
	wantAll(t, openStore(t, l.dir), want)
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantBadger(t, l.dir, want)
	if n := unnamed(t, l.dir); n > 0 {
		t.Errorf("%d files left", n)
	}
}

// TestReplaceMisplaced repairs a store with a folder in the place of its journal,
// and one with a file in the place of its tables.
func TestReplaceMisplaced(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		disk.JournalName: func(path string) error { return os.Mkdir(path, 0o700) },
		disk.TablesName:  func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			l := openStore(t, dir)
			mustPut(t, l, "merged", "v")
			mustMerge(t, l)
			mustPut(t, l, "late", "v")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := errors.Join(os.RemoveAll(path), damage(path)); err != nil {
				t.Fatal(err)
			}
			kept, r := rescued(t, dir)
			if len(kept) != 1 || len(r.Findings) == 0 {
				t.Errorf("kept %s, found %v", kept, r.Findings)
			}
			if _, err := os.Lstat(filepath.Join(r.Aside, name)); err != nil {
				t.Error(err)
			}
			mustPut(t, openStore(t, dir), "next", "v")
		})
	}
}

// TestReplaceKeepsAside repairs a damaged store in which a killed compaction left a
// key file without its table. The copy of the store shares that file by a link, and
// keeps it as it was.
func TestReplaceKeepsAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	mustPut(t, l, "old", "v")
	mustMerge(t, l)
	mustPut(t, l, "older", "v")
	for id := range uint64(9) {
		path := filepath.Join(dir, disk.TablesName, sst.KeysName(id+1))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			writeFile(t, path, "left")
		}
	}
	damaged := readJournal(t, dir)
	damaged[3]++
	writeJournal(t, dir, damaged)
	read := func(id uint64, dir string) string {
		b, err := os.ReadFile(filepath.Join(dir, disk.TablesName, sst.KeysName(id)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := read(1, dir)
	aside, err := replaced(t, dir, "damaged", model{"new": "v"})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(1, aside); got != first {
		t.Errorf("the key file of the table: %q, want %q", got, first)
	}
	for id := range uint64(8) {
		if got := read(id+2, aside); got != "left" {
			t.Errorf("key file %d: %q", id+2, got)
		}
	}
}
