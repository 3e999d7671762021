package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"techo/internal/confine"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// openBadger opens a database with stock Badger. A process that another test starts has the test's
// open files, and with them the lock of a database that was closed, until it becomes a program.
func openBadger(o badger.Options) (db *badger.DB, err error) {
	for range 1000 {
		db, err = badger.Open(o.WithLogger(nil))
		if err == nil || !strings.Contains(err.Error(), "Cannot acquire directory lock") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return db, err
}

// badgerRecords reads all records of the tables in a folder with stock Badger.
func badgerRecords(o badger.Options) (m model, versions map[string]uint64, err error) {
	db, err := openBadger(o)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, versions = model{}, map[string]uint64{}
	err = db.View(func(tx *badger.Txn) error {
		it := tx.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			key := string(it.Item().Key())
			value, err := it.Item().ValueCopy(nil)
			if err != nil {
				return err
			}
			m[key], versions[key] = string(value), it.Item().Version()
			item, err := tx.Get([]byte(key))
			if err != nil || item.Version() != versions[key] {
				return fmt.Errorf("key %q: %w", key, err)
			}
		}
		return nil
	})
	return m, versions, err
}

// wantBadger opens the tables of a store with stock Badger: read-only in place,
// and to write in a copy. Both have to find these records.
func wantBadger(t testing.TB, dir string, want model) {
	t.Helper()
	tables := filepath.Join(dir, disk.TablesName)
	before := namesIn(t, tables)
	got, versions, err := badgerRecords(badger.DefaultOptions(tables).WithReadOnly(true))
	if err != nil || !maps.Equal(got, want) {
		t.Fatalf("Badger reads %s, want %s: %v", got, want, err)
	}
	m, err := sst.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for key, v := range versions {
		if v == 0 || v > m.Generation {
			t.Errorf("key %q has version %d in generation %d", key, v, m.Generation)
		}
	}
	for _, name := range before { // Badger removes tables that a killed compaction has left
		if _, err := os.Stat(filepath.Join(tables, name)); err != nil && filepath.Ext(name) != ".sst" {
			t.Errorf("Badger has removed %s", name)
		}
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(tables)); err != nil {
		t.Fatal(err)
	}
	changed := maps.Clone(want)
	for range 2 { // the second time with the writes of the first
		db, err := openBadger(badger.DefaultOptions(copied))
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *badger.Txn) error { return tx.Set([]byte("zz badger"), []byte("added")) })
		if err := errors.Join(err, db.Flatten(1), db.Close()); err != nil {
			t.Fatal(err)
		}
		changed["zz badger"] = "added"
		got, _, err := badgerRecords(badger.DefaultOptions(copied))
		if err != nil || !maps.Equal(got, changed) {
			t.Fatalf("Badger reads %s from its copy, want %s: %v", got, changed, err)
		}
	}
	if err := os.RemoveAll(copied); err != nil {
		t.Fatal(err)
	}
}

// wantBadgerOpens opens the tables read-only with stock Badger, if a compaction
// has begun.
func wantBadgerOpens(t *testing.T, dir string) {
	t.Helper()
	tables := filepath.Join(dir, disk.TablesName)
	if _, err := os.Stat(manifestPath(dir)); err != nil {
		if left, _ := filepath.Glob(filepath.Join(tables, "*.sst")); len(left) > 0 {
			t.Fatalf("%q without a manifest: %v", left, err)
		}
		return
	}
	m, _, err := badgerRecords(badger.DefaultOptions(tables).WithReadOnly(true))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range m {
		if k[0] != 'h' && m["a"+k[1:]] != v {
			t.Fatalf("Badger reads %d bytes for %q, and %d for its pair", len(v), k, len(m["a"+k[1:]]))
		}
	}
}

func namesIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestBadger compares what stock Badger reads after each compaction: more runs
// than Badger has levels, deletions, and values of all sizes.
func TestBadger(t *testing.T) {
	t.Parallel()
	r := testenv.Random(t)
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	most := 0
	for i := range 2 * sst.MaxRuns {
		for range 20 {
			k := fmt.Sprintf("key%02d", r.IntN(60))
			if _, ok := want[k]; ok && r.IntN(3) == 0 {
				delete(want, k)
				mustDelete(t, l, k)
				continue
			}
			want[k] = noise(r, []int{0, 1, 100, 4095, 4096, 5000}[r.IntN(6)])
			mustPut(t, l, k, want[k])
		}
		switch i {
		case 3:
			want["large"] = noise(r, kv.MaxValue)
			mustPut(t, l, "large", want["large"])
		case sst.MaxRuns + 3:
			if err := l.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		mustMerge(t, l)
		m, err := sst.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(m.Runs))
		if i%testenv.Pick(12, 4) == 3 || i == 2*sst.MaxRuns-1 {
			wantBadger(t, dir, want)
			wantAll(t, l, want)
		}
	}
	if most < 8 {
		t.Errorf("at most %d runs", most)
	}
	if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
		t.Error(err)
	}
}

func mustDelete(t testing.TB, l *Engine, key string) {
	t.Helper()
	if err := l.Update(context.Background(), func(tx kv.Tx) error { return tx.Delete([]byte(key)) }); err != nil {
		t.Fatal(err)
	}
}

// TestBadgerMany compacts many records into several tables.
func TestBadgerMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	group, size := testenv.Pick(1_000, 10_000), testenv.Pick(7_000, 700)
	for n := 0; n < testenv.Pick(5_000, 100_000); n += group { // of two tables and more
		err := l.Update(t.Context(), func(tx kv.Tx) error {
			for i := n; i < n+group; i++ {
				k, v := fmt.Sprintf("key%06d", i), fmt.Sprintf("value %d %s", i, strings.Repeat("v", size))
				if err := tx.Put([]byte(k), []byte(v)); err != nil {
					return err
				}
				want[k] = v
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if i, err := l.Info(t.Context()); err != nil || i.JournalTxns != 0 || i.Tables < 2 {
		t.Errorf("%+v, %v", i, err)
	}
	wantBadger(t, dir, want)
}

// TestBadgerAfterKills opens the tables in the states that a compaction can
// leave when it is killed: before the manifest, before the journal's header, and
// before old files are removed.
func TestBadgerAfterKills(t *testing.T) {
	t.Parallel()
	for name, kill := range map[string]func(t *testing.T, l *Engine, all bool) (installed bool){
		"before the manifest": func(t *testing.T, l *Engine, all bool) bool {
			leaveMerge(t, l, all, true)
			return false
		},
		"before the header": func(t *testing.T, l *Engine, all bool) bool {
			leaveMerge(t, l, all, false)
			return true
		},
		"before the sweep": func(t *testing.T, l *Engine, all bool) bool {
			leaveMerge(t, l, all, false)
			if err := l.journal.Begin(sst.ManifestGeneration(l.dir)); err != nil {
				t.Fatal(err)
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			want, inTables := model{}, model{}
			for i := range testenv.Pick(4, 5) {
				l := openStore(t, dir)
				mustPut(t, l, fmt.Sprint("key", i), "value", "same", fmt.Sprint(i))
				want[fmt.Sprint("key", i)], want["same"] = "value", fmt.Sprint(i)
				if i > 0 {
					mustDelete(t, l, fmt.Sprint("key", i-1))
					delete(want, fmt.Sprint("key", i-1))
				}
				if kill(t, l, i == 3) {
					inTables = maps.Clone(want)
				}
				wantBadger(t, dir, inTables)
				wantAll(t, openStore(t, dir), want)
				if i%2 == 1 {
					mustMerge(t, openStore(t, dir))
					inTables = maps.Clone(want)
					wantBadger(t, dir, want)
					if n := unnamed(t, dir); n > 0 {
						t.Errorf("%d files left", n)
					}
				}
			}
		})
	}
}

// TestBadgerAfterRepair opens the tables of a store that was restored, and of
// one that was rescued.
func TestBadgerAfterRepair(t *testing.T) {
	dir, want := mergedStore(t)
	l := openStore(t, dir)
	backup := filepath.Join(t.TempDir(), "backup")
	var b bytes.Buffer
	if _, err := WriteBackup(t.Context(), l, &b); err != nil {
		t.Fatal(err)
	}
	writeFile(t, backup, b.String())
	to := filepath.Join(t.TempDir(), "restored")
	if _, err := Restore(t.Context(), to, confine.Place{Path: backup}, false, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifestPath(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, _ := rescued(t, dir); !maps.Equal(kept, want) {
		t.Errorf("rescued %s", kept)
	}
	for _, dir := range []string{to, dir} {
		if err := openStore(t, dir).Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantBadger(t, dir, want)
	}
}

// TestBadgerInPlace opens the tables of a store that is being written to. Badger
// removes unlisted tables when it opens a database, so a compaction and Badger
// must exclude each other.
func TestBadgerInPlace(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "a", "0", "b", "0")
	mustMerge(t, l)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		for i := 1; ctx.Err() == nil; i++ {
			err := put(l, "a", fmt.Sprint(i), "b", fmt.Sprint(i), fmt.Sprint("key", i%100), strings.Repeat("v", i%5000))
			if err == nil {
				err = l.forceMerge()
			}
			if err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	o := badger.DefaultOptions(filepath.Join(dir, disk.TablesName)).WithReadOnly(true)
	opened := 0
	for i := 0; i < 5000 && opened < 30; i++ {
		m, _, err := badgerRecords(o)
		switch {
		case err == nil && m["a"] == m["b"] && m["a"] != "":
			opened++
		case err == nil || !strings.Contains(err.Error(), "Cannot acquire directory lock"):
			t.Fatalf("%s: %v", m, err)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if opened == 0 {
		t.Error("never opened")
	}
	if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
		t.Error(err)
	}
}

// TestBadgerHeld keeps the tables open in Badger: writes go on, and compactions
// wait for a later write.
func TestBadgerHeld(t *testing.T) {
	dir, want := mergedStore(t)
	options := badger.DefaultOptions(filepath.Join(dir, disk.TablesName)).WithReadOnly(true).WithLogger(nil)
	db, err := badger.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	want["key"] = "value"
	mustMerge(t, l)
	if l.journal.Number == 0 {
		t.Error("compacted while Badger had the tables open")
	}
	if err := l.Compact(t.Context()); !errors.As(err, new(*kv.BusyError)) {
		t.Errorf("got %v", err)
	}
	wantAll(t, openStore(t, dir), want)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	mustMerge(t, l)
	wantBadger(t, dir, want)
}
