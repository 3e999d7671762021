package kv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layeredStore is a store with three runs and a journal. The history says
// which values each key has ever had; the last is the one that counts, "" a
// deletion.
func layeredStore(t *testing.T) (dir string, history map[string][]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	history = map[string][]string{}
	for round := range 4 {
		for n := range 60 {
			if round > 0 && n%4 != round { // each round changes another part
				continue
			}
			k := fmt.Sprintf("key%02d", n)
			v := strings.Repeat(fmt.Sprint(round), 150+n)
			if n%8 == 3 && round == 3 {
				v = ""
				if err := l.Update(t.Context(), func(tx Tx) error { return tx.Delete([]byte(k)) }); err != nil {
					t.Fatal(err)
				}
			} else {
				mustPut(t, l, k, v)
			}
			history[k] = append(history[k], v)
		}
		if round < 3 {
			mustMerge(t, l)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, history
}

// rescued repairs a store and returns what is in it then.
func rescued(t *testing.T, dir string) (kept model, r Rescued) {
	t.Helper()
	r, err := Rescue(t.Context(), dir, true, "", func(string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if kept, err = everything(openStore(t, dir)); err != nil {
		t.Fatalf("after %v: %v", r.Findings, err)
	}
	return kept, r
}

// wantFromHistory: a key has its last value, or one that it had before, or none.
func wantFromHistory(t *testing.T, what string, kept model, history map[string][]string) (lost int) {
	t.Helper()
	for k, v := range kept {
		if !slices.Contains(history[k], v) {
			t.Errorf("%s: %q has a value that it never had", what, k)
		}
	}
	for k, had := range history {
		if kept[k] != had[len(had)-1] {
			lost++
		}
	}
	return lost
}

// TestRescueFlipped flips bits all over: all but what one bad block or
// transaction held is kept, and no value is wrong.
func TestRescueFlipped(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	dir, history := layeredStore(t)
	names := []string{journalName}
	files, err := os.ReadDir(filepath.Join(dir, tablesName))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, filepath.Join(tablesName, f.Name()))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			most := 900
			if long() {
				most = 5
			}
			eachFlipped(t, dir, name, func() int { return 1 + r.IntN(most) }, func(at int, bad string) {
				what := fmt.Sprintf("%s byte %d", name, at)
				_, fault := everything(openStore(t, bad))
				kept, rescue := rescued(t, bad)
				lost := wantFromHistory(t, what, kept, history)
				if fault == nil && (lost > 0 || len(rescue.Findings) > 0) {
					t.Errorf("%s: nothing was wrong, and %d were lost: %v", what, lost, rescue.Findings)
				}
				if isCorrupt(fault) && len(rescue.Findings) == 0 {
					t.Errorf("%s: %v, and nothing was found", what, fault)
				}
				// A table's index is the worst that one bit can take.
				if lost > 60 || filepath.Ext(name) != ".sst" && lost > 1 {
					t.Errorf("%s: %d of %d lost: %v", what, lost, len(history), rescue.Findings)
				}
				if err := os.RemoveAll(rescue.Aside); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// TestRescueMissing takes whole files away.
func TestRescueMissing(t *testing.T) {
	for name, most := range map[string]int{
		journalName:                             15, // what it held
		filepath.Join(tablesName, "list.4"):     0,
		filepath.Join(tablesName, "000001.sst"): 60,
		filepath.Join(tablesName, "000003.sst"): 15,
		tablesName:                              60,
	} {
		t.Run(name, func(t *testing.T) {
			dir, history := layeredStore(t)
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			before := folderOf(t, dir)
			if _, err := Rescue(t.Context(), dir, false, "", func(string) error { return nil }); err != nil {
				t.Fatal(err)
			}
			after := folderOf(t, dir)
			for path, st := range before {
				if !st.IsDir() && filepath.Base(path) != lockName && filepath.Base(path) != queueName && (after[path] == nil || st.ModTime() != after[path].ModTime()) {
					t.Errorf("without replace %s was changed", path)
				}
			}
			kept, r := rescued(t, dir)
			if lost := wantFromHistory(t, name, kept, history); lost > most || len(r.Findings) == 0 {
				t.Errorf("%d lost: %v", lost, r.Findings)
			}
			if left, _ := filepath.Glob(dir + ".*"); !slices.Equal(left, []string{r.Aside}) || r.Aside != dir+".damaged-1" {
				t.Errorf("beside the store: %q", left)
			}
		})
	}
}

// TestRescueRefuses: a mend that fails, or a newer version, changes nothing.
func TestRescueRefuses(t *testing.T) {
	dir, _ := layeredStore(t)
	want, err := everything(openStore(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no mending")
	if _, err := Rescue(t.Context(), dir, true, "", func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("failed mend: %v", err)
	}
	wantAll(t, openStore(t, dir), want)
	writeJournal(t, dir, slots(formatVersion+1, 1))
	if _, err := Rescue(t.Context(), dir, true, "", func(string) error { return nil }); !errors.As(err, new(*VersionError)) {
		t.Errorf("newer version: %v", err)
	}
	if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}
