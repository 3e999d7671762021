package folder

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// TestPlanned lets a store grow by merges of many sizes: its runs stay few, a
// merge stays bounded, and what is written stays a small multiple of what came.
func TestPlanned(t *testing.T) {
	for _, c := range []struct {
		name   string
		merges int
		size   func(i int) int64
		times  int64 // what may be written, as a multiple of what came
	}{
		{"single calls", 100_000, func(int) int64 { return 100 << 10 }, 12},
		{"a long import", 500, func(int) int64 { return 20 << 20 }, 8},
		{"an import, then single calls", 20_000, func(i int) int64 {
			if i < 200 {
				return 20 << 20
			}
			return 100 << 10
		}, 8},
		{"now and then a large one", 20_000, func(i int) int64 {
			if i%100 == 0 {
				return 16 << 20
			}
			return 100 << 10
		}, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []int64 // the newest first
			var came, written int64
			for i := range c.merges {
				size := c.size(i)
				came += size
				n := sst.PlanCompaction(runs, size, false)
				for _, s := range runs[:n] {
					size += s
				}
				if size > sst.MaxCompaction {
					t.Fatalf("merge %d writes %d bytes", i, size)
				}
				written += size
				runs = append([]int64{size}, runs[n:]...)
				small := 0
				for small < len(runs) && runs[small] < sst.MaxCompaction/2 {
					small++
				}
				if large := len(runs) - small; small > sst.MaxRuns+2 || int64(large) > came/(sst.MaxCompaction/4)+1 {
					t.Fatalf("merge %d leaves %d small runs and %d large ones, of %d bytes", i, small, large, came)
				}
			}
			t.Logf("%d MB came, %d MB written, runs %v", came>>20, written>>20, runs)
			if written > c.times*came {
				t.Errorf("%d bytes came, %d were written", came, written)
			}
		})
	}
}

// TestMergeLeavesOldTables merges again and again, and wants the tables merged
// from to stay as they were until the journal names the new ones.
func TestMergeLeavesOldTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := openStore(t, dir)
	r := rand.New(rand.NewPCG(1, 2))
	want := model{}
	for i := range 20 { // three tables
		k := fmt.Sprint("large", i)
		want[k] = noise(r, 1<<20)
		mustPut(t, l, k, want[k])
	}
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	plans := map[bool]int{}
	for i := range 2*sst.MaxRuns + 4 {
		k := fmt.Sprint("key", i)
		want[k] = "value"
		mustPut(t, l, k, "value", "large0", fmt.Sprint(i))
		want["large0"] = fmt.Sprint(i)
		g := l.journal.Generation
		before := filesOf(t, dir)
		m, err := sst.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		plans[sst.PlanCompaction(sst.RunSizes(m.Runs), 100, false) > 0]++
		leaveMerge(t, l, i == 20, false)
		for name, st := range before {
			after, err := os.Stat(filepath.Join(dir, disk.TablesName, name))
			if err != nil || !os.SameFile(st, after) || st.ModTime() != after.ModTime() || st.Size() != after.Size() {
				t.Fatalf("merge %d: %s was changed: %v", i, name, err)
			}
		}
		if err := l.journal.Begin(g + 1); err != nil {
			t.Fatal(err)
		}
		l = openStore(t, dir)
		if i%testenv.Pick(5, 1) == 0 {
			wantAll(t, l, want)
		}
	}
	if plans[false] == 0 || plans[true] == 0 {
		t.Errorf("plans %v: not all were tried", plans)
	}
}

// filesOf returns the files among a store's tables that its manifest lists.
func filesOf(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	m, err := sst.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]os.FileInfo{}
	for _, i := range slices.Concat(m.Runs...) {
		if files[i.Name()], err = os.Stat(filepath.Join(dir, disk.TablesName, i.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func openedGeneration(t *testing.T, dir string) uint64 {
	t.Helper()
	l := openStore(t, dir)
	defer l.Close()
	if err := l.View(t.Context(), func(kv.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return l.journal.Generation
}

// TestCompactForgets checks that a compaction removes deleted and replaced records
// from the disk.
func TestCompactForgets(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 10 {
		mustPut(t, l, "same", noise(r, 1<<20), fmt.Sprint("key", i), noise(r, 1<<20))
		mustMerge(t, l)
	}
	if err := l.Update(t.Context(), func(tx kv.Tx) error {
		for i := range 10 {
			if err := tx.Delete(fmt.Append(nil, "key", i)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := l.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.Tables != 1 || info.Bytes > 3<<19 {
		t.Errorf("%+v", info)
	}
}
