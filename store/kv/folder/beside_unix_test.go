//go:build unix

package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// Elsewhere compactions hold the lock (lock.DatabaseExcludes). largeStore returns a store with several runs, which are too many bytes to merge them while writers wait.
func largeStore(t *testing.T, dir string) (*Engine, model) {
	t.Helper()
	l, want, r := openStore(t, dir), model{}, rand.New(rand.NewPCG(1, 2))
	for i := range 3 {
		for k := range 3 {
			key := fmt.Sprint("large", i, k)
			want[key] = noise(r, 1<<20)
			mustPut(t, l, key, want[key], "same", fmt.Sprint(i))
		}
		mustMerge(t, l)
	}
	want["same"] = "2"
	return l, want
}

// TestCompactionBeside writes, removes and compacts while a compaction merges the tables: nobody waits, and nothing is
// lost.
func TestCompactionBeside(t *testing.T) {
	dir := t.TempDir()
	l, want := largeStore(t, dir)
	mustPut(t, l, "gone", "for good")
	mustDelete(t, l, "gone")
	mustDelete(t, l, "large00")
	delete(want, "large00")
	other := openStore(t, dir)
	l.beside = func() {
		within(t, func() error { return put(other, "large11", "new") })
		mustDelete(t, other, "large22")
		want["large11"] = "new"
		delete(want, "large22")
		wantAll(t, l, want)
		if err := other.forceMerge(); err != nil {
			t.Errorf("a compaction beside another: %v", err)
		}
		wantAll(t, openStore(t, dir), want)
	}
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Engine{l, other, openStore(t, dir)} {
		wantAll(t, s, want)
	}
	m, err := sst.ReadManifest(dir)
	if n := unnamed(t, dir); err != nil || len(m.Runs) != 2 || n > 0 {
		t.Errorf("%d runs, %d files too many, %v", len(m.Runs), n, err)
	}
	l.beside = nil
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantAll(t, openStore(t, dir), want)
	if m, err = sst.ReadManifest(dir); err != nil || len(m.Runs) != 1 {
		t.Errorf("%d runs, %v", len(m.Runs), err)
	}
}

// TestCompactionBesideEnds ends a compaction that lets others write, by a kill, a lost lock or another store at its
// path: nothing is lost, and what it wrote goes.
func TestCompactionBesideEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, dir string, l *Engine){
		"killed": func(*testing.T, string, *Engine) { panic("killed") },
		"closed": func(_ *testing.T, _ string, l *Engine) {
			l.mu.Lock()
			l.closed = true
			l.mu.Unlock()
		},
		"another store": func(t *testing.T, dir string, _ *Engine) {
			moved := dir + "-moved"
			if err := os.Rename(dir, moved); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(dir, os.DirFS(moved)); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			l, want := largeStore(t, dir)
			mustPut(t, l, "last", "value")
			want["last"] = "value"
			l.beside = func() { end(t, dir, l) }
			func() {
				defer func() { _ = recover() }()
				if err := l.Compact(t.Context()); name == "closed" && err != kv.ErrClosed {
					t.Errorf("got %v", err)
				}
			}()
			fresh := openStore(t, dir)
			wantAll(t, fresh, want)
			mustPut(t, fresh, "later", "value")
			want["later"] = "value"
			mustMerge(t, fresh)
			wantAll(t, openStore(t, dir), want)
			if n := unnamed(t, dir); n > 0 {
				t.Errorf("left over: %d files in %s", n, disk.TablesName)
			}
		})
	}
}
