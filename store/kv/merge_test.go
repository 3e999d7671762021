package kv

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestMergeLeavesOldTables merges again and again, and wants the tables merged
// from to stay as they were until the journal names the new ones: Badger cuts
// off what it compacts away, and a link would be cut with it. Once with a last
// level so small that it is compacted into, once with a large one.
func TestMergeLeavesOldTables(t *testing.T) {
	for _, megabytes := range []int{1, 40} {
		t.Run(fmt.Sprint(megabytes, " MB"), func(t *testing.T) {
			dir := t.TempDir()
			l := openStore(t, dir)
			r := rand.New(rand.NewPCG(1, 2))
			want := model{}
			for i := range megabytes {
				k := fmt.Sprint("large", i)
				want[k] = noise(r, 1<<20)
				mustPut(t, l, k, want[k])
			}
			if err := l.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			plans, linked := map[plan]int{}, 0
			for i := range 2*smallTables + 4 {
				k := fmt.Sprint("key", i)
				want[k] = "value"
				mustPut(t, l, k, "value", "large0", fmt.Sprint(i))
				want["large0"] = fmt.Sprint(i)
				g := l.journal.generation
				old, err := takeable(dir, g)
				if err != nil {
					t.Fatal(err)
				}
				plans[planned(old.list(), false)]++
				if err := mergeTables(dir, g, &l.over, false); err != nil {
					t.Fatal(err)
				}
				if planned(old.list(), false) == upperOnes {
					linked += shared(t, tablesPath(dir, g), tablesPath(dir, g+1))
				}
				if _, err := takeable(dir, g); err != nil {
					t.Fatalf("the tables merged from: %v", err)
				}
				if err := l.journal.begin(g + 1); err != nil {
					t.Fatal(err)
				}
				l = openStore(t, dir)
				wantAll(t, l, want)
			}
			if plans[addOne] == 0 || plans[upperOnes] == 0 {
				t.Errorf("plans %v: not all were tried", plans)
			}
			if large := megabytes > 32; large != (linked > 0) {
				t.Errorf("%d tables of the last level were linked through a compaction", linked)
			}
		})
	}
}

// shared counts the files of two folders that are one file.
func shared(t *testing.T, a, b string) (n int) {
	t.Helper()
	names, err := os.ReadDir(a)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		x, err := os.Stat(filepath.Join(a, name.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if y, err := os.Stat(filepath.Join(b, name.Name())); err == nil && os.SameFile(x, y) {
			n++
		}
	}
	return n
}
