package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// TestJournalGoneUnderReader removes the journal while a reader has it open. The
// next read fails.
func TestJournalGoneUnderReader(t *testing.T) {
	dir := t.TempDir()
	mustPut(t, openStore(t, dir), "k", "v")
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	wantAll(t, l, model{"k": "v"})
	if err := os.Remove(filepath.Join(dir, disk.JournalName)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := everything(l); !isCorrupt(err) {
			t.Errorf("read %v, %v", got, err)
		}
	}
}

// TestLockRemoved removes the lock file while a writer works, and lets another
// writer in. The writes that were acknowledged to the other one are kept.
func TestLockRemoved(t *testing.T) {
	for name, write := range map[string]func(l *Engine, between func()) error{
		"update": func(l *Engine, between func()) error {
			return l.Update(context.Background(), func(tx kv.Tx) error {
				between()
				return tx.Put([]byte("a"), []byte("late"))
			})
		},
		"group": func(l *Engine, between func()) error {
			return l.Group(context.Background(), func(ctx context.Context) error {
				err := l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("a"), []byte("late")) })
				between()
				return err
			})
		},
		"compaction": func(l *Engine, between func()) error {
			l.mergeTables = func(old *sst.Tables, add sst.Layer, all bool, verify func() error) (sst.Manifest, error) {
				between()
				return sst.Merge(old, add, all, verify)
			}
			return l.Compact(context.Background())
		},
	} {
		for _, other := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				dir := t.TempDir()
				a, b := openStore(t, dir), openStore(t, dir)
				mustPut(t, a, "k", "v")
				want := model{"k": "v"}
				err := write(a, func() {
					if err := os.Remove(filepath.Join(dir, disk.LockName)); err != nil {
						t.Fatal(err)
					}
					if other {
						within(t, func() error { return put(b, "b", "kept") })
						want["b"] = "kept"
					}
				})
				if !errors.Is(err, kv.ErrGone) {
					t.Errorf("got %v", err)
				}
				a.mergeTables = sst.Merge
				wantAll(t, openStore(t, dir), want)
				mustPut(t, a, "later", "v")
				want["later"] = "v"
				wantAll(t, b, want)
			})
		}
	}
}

// TestUnlockedWriter appends while another writer has the lock, as may happen
// where locks do nothing: the first who wrote wins.
func TestUnlockedWriter(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	err := l.Update(t.Context(), func(tx kv.Tx) error {
		b := readJournal(t, dir)
		writeFile(t, filepath.Join(dir, disk.JournalName),
			string(append(b, sealed(1, 1, journal.AppendPut(nil, []byte("b"), []byte("kept")))...)))
		return tx.Put([]byte("a"), []byte("late"))
	})
	if !errors.Is(err, kv.ErrGone) {
		t.Errorf("got %v", err)
	}
	wantAll(t, l, model{"k": "v", "b": "kept"})
	wantAll(t, openStore(t, dir), model{"k": "v", "b": "kept"})
}

// TestReadBesideFailedRead checks that a failed read does not affect another read
// of the same handle.
func TestReadBesideFailedRead(t *testing.T) {
	dir := t.TempDir()
	mustMergeInto(t, dir, "merged", "v")
	l := openStore(t, dir)
	mustPut(t, l, "late", "v")
	sound := readJournal(t, dir)
	err := l.View(t.Context(), func(tx kv.Tx) error {
		bad := append([]byte{}, sound...)
		bad[3] ^= 1
		writeJournal(t, dir, bad)
		if _, err := everything(l); !isCorrupt(err) {
			t.Errorf("the other read: %v", err)
		}
		writeJournal(t, dir, sound)
		for _, key := range []string{"merged", "late"} {
			if v, err := tx.Get([]byte(key)); err != nil || string(v) != "v" {
				t.Errorf("%s: %q, %v", key, v, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func mustMergeInto(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	l := openStore(t, dir)
	mustPut(t, l, pairs...)
	mustMerge(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// mappedTables returns the number of tables of a store that this process has
// mapped.
func mappedTables(t *testing.T, dir string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		testenv.Missing(t, "a list of the mapped files")
	}
	return strings.Count(string(maps), filepath.Join(dir, disk.TablesName))
}

// TestTablesAreUnmapped checks that tables are unmapped after their last use.
func TestTablesAreUnmapped(t *testing.T) {
	dir := t.TempDir()
	mustMergeInto(t, dir, "k", "v")
	reader, writer := openStore(t, dir), openStore(t, dir)
	var snapshots func(n int) error
	snapshots = func(n int) error {
		return reader.Snapshot(t.Context(), func(tx kv.Tx) error {
			if n == 0 {
				return nil
			}
			if err := errors.Join(put(writer, "k", "v"), writer.Compact(t.Context())); err != nil {
				return err
			}
			if _, err := getValue(reader, "k"); err != nil {
				return err
			}
			if err := snapshots(n - 1); err != nil {
				return err
			}
			_, err := tx.Get([]byte("k"))
			return err
		})
	}
	if err := snapshots(5); err != nil {
		t.Fatal(err)
	}
	if n := mappedTables(t, dir); n > 2 { // each handle's newest
		t.Errorf("%d tables are mapped", n)
	}
	if err := errors.Join(reader.Close(), writer.Close()); err != nil {
		t.Fatal(err)
	}
	if n := mappedTables(t, dir); n > 0 {
		t.Errorf("%d tables are mapped after Close", n)
	}
}

// TestWithinGroup checks that calls with a Group's context do not wait for its
// lock.
func TestWithinGroup(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "k", "v")
	var after context.Context
	within(t, func() error {
		return l.Group(t.Context(), func(ctx context.Context) error {
			after = ctx
			if err := l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("g"), nil) }); err != nil {
				return err
			}
			for _, read := range []func(context.Context, func(kv.Tx) error) error{l.View, l.Snapshot} {
				if err := read(ctx, func(tx kv.Tx) error { _, err := tx.Get([]byte("g")); return err }); err != nil {
					t.Error(err)
				}
			}
			if i, err := l.Info(ctx); err != nil || i.JournalTxns != 1 {
				t.Errorf("info: %v, %v", i, err)
			}
			if err := l.Compact(ctx); !errors.Is(err, errInGroup) {
				t.Errorf("compact: %v", err)
			}
			return nil
		})
	})
	// The context outlives the group, and is then one like any other.
	release := holding(t, openStore(t, l.dir), true)
	refused(t, "after the group", func(ctx context.Context, fn func(kv.Tx) error) error {
		ctx, stop := context.WithCancelCause(context.WithValue(ctx, groupKey{}, after.Value(groupKey{})))
		defer stop(nil)
		return l.Update(ctx, fn)
	})
	release()
}
