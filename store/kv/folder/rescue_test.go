package folder

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/rescue"
	"techo/store/kv/sst"
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
				if err := l.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete([]byte(k)) }); err != nil {
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
func rescued(t *testing.T, dir string) (kept model, r rescue.Rescued) {
	t.Helper()
	r, err := Rescue(t.Context(), dir, true, "", func(string, rescue.Rescued) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if kept, err = recordsIn(t, dir); err != nil {
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
	names := []string{disk.JournalName}
	files, err := os.ReadDir(filepath.Join(dir, disk.TablesName))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, filepath.Join(disk.TablesName, f.Name()))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			most := testenv.Pick(9000, 900)
			if testenv.Long() {
				most = 5
			}
			eachFlipped(t, dir, name, func() int { return 1 + r.IntN(most) }, func(at int, bad string) {
				what := fmt.Sprintf("%s byte %d", name, at)
				_, fault := recordsIn(t, bad)
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
	t.Parallel()
	for name, most := range map[string]int{
		disk.JournalName: 15, // what it held
		filepath.Join(disk.TablesName, disk.ManifestName): 0,
		filepath.Join(disk.TablesName, "000001.sst"):      60,
		filepath.Join(disk.TablesName, "000003.sst"):      15,
		disk.TablesName: 60,
	} {
		t.Run(name, func(t *testing.T) {
			dir, history := layeredStore(t)
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			before := folderOf(t, dir)
			if _, err := Rescue(t.Context(), dir, false, "", func(string, rescue.Rescued) error { return nil }); err != nil {
				t.Fatal(err)
			}
			after := folderOf(t, dir)
			for path, st := range before {
				if !st.IsDir() && filepath.Base(path) != disk.LockName && filepath.Base(path) != disk.QueueName &&
					(after[path] == nil || st.ModTime() != after[path].ModTime()) {
					t.Errorf("without replace %s was changed", path)
				}
			}
			kept, r := rescued(t, dir)
			if lost := wantFromHistory(t, name, kept, history); lost > most || len(r.Findings) == 0 {
				t.Errorf("%d lost: %v", lost, r.Findings)
			}
			if left, _ := filepath.Glob(dir + ".*"); !slices.Equal(left, []string{r.Aside}) || r.Aside != dir+
				".damaged-1" {
				t.Errorf("beside the store: %q", left)
			}
		})
	}
}

// TestRescueRefuses checks that a failed repair, or a newer format, changes
// nothing.
func TestRescueRefuses(t *testing.T) {
	dir, _ := layeredStore(t)
	want, err := recordsIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no mending")
	if _, err := Rescue(t.Context(), dir, true, "", func(string, rescue.Rescued) error { return failed }); !errors.Is(err,
		failed) {
		t.Errorf("failed mend: %v", err)
	}
	wantAll(t, openStore(t, dir), want)
	writeJournal(t, dir, slots(journal.Format+1, 1))
	if _, err := Rescue(t.Context(), dir, true, "", func(string, rescue.Rescued) error { return nil }); !errors.As(err,
		new(*kv.VersionError)) {
		t.Errorf("newer version: %v", err)
	}
	if left, _ := filepath.Glob(dir + ".*"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestRescueUnfinishedMerge damages a head beside what a merge that was killed,
// or failed, has left: nothing is lost.
func TestRescueUnfinishedMerge(t *testing.T) {
	for name, unfinished := range map[string]func(t *testing.T, l *Engine){
		"killed": func(t *testing.T, l *Engine) {
			leaveMerge(t, l, false, false)
		},
		"failed": func(t *testing.T, l *Engine) {
			failed := errors.New("failed")
			old, err := sst.Open(l.dir, l.journal.Generation)
			if err != nil {
				t.Fatal(err)
			}
			_, err = sst.Merge(old, &l.memtable, false, func() error { return failed })
			if !errors.Is(err, failed) {
				t.Fatal(err)
			}
			if n := unnamed(t, l.dir); n > 0 {
				t.Errorf("a merge that failed has left %d files", n)
			}
		},
		"tables gone": listMissingTable,
	} {
		for _, head := range []int{journal.HeaderAt, journal.HeaderAt + journal.SlotStride} {
			t.Run(fmt.Sprint(name, " ", head), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "store")
				l := openStore(t, dir)
				mustPut(t, l, "a", "1", "b", "1")
				if name == "killed" {
					mustMerge(t, l)
				}
				mustPut(t, l, "b", "2", "c", "1")
				unfinished(t, l)
				mustPut(t, l, "c", "2", "d", "1")
				if err := l.Close(); err != nil {
					t.Fatal(err)
				}
				b := readJournal(t, dir)
				b[head+3] ^= 1
				writeFile(t, filepath.Join(dir, disk.JournalName), string(b))
				kept, r := rescued(t, dir)
				if want := (model{"a": "1", "b": "2", "c": "2", "d": "1"}); kept.String() != want.String() ||
					len(r.Findings) == 0 {
					t.Errorf("kept %v, found %v", kept, r.Findings)
				}
			})
		}
	}
}

// listMissingTable installs a manifest of the next generation that lists a table
// which does not exist.
func listMissingTable(t *testing.T, l *Engine) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(l.dir, disk.TablesName), 0o700); err != nil {
		t.Fatal(err)
	}
	gone := [][]sst.Info{{{ID: 99, Size: 1, Low: []byte("a"), High: []byte("b")}}}
	m := sst.Manifest{Generation: l.journal.Generation + 1, Runs: gone}
	in, err := sst.OpenFolder(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := m.Install(in, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestFreshBeside removes what a restore that was killed long ago has left, and
// no other store.
func TestFreshBeside(t *testing.T) {
	parent := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for name, stays := range map[string]bool{
		"data": true, "data.new-2025": true, "data.new-1-2": true, "data.new-12-1234567890123456789": false,
		"data.new-x-1234567890123456789": true, "other.new-12-1234567890123456789": true,
	} {
		journal := filepath.Join(parent, name, disk.JournalName)
		writeFile(t, journal, "x")
		if err := os.Chtimes(journal, old, old); err != nil {
			t.Fatal(err)
		}
		freshBeside(filepath.Join(parent, "data"))
		if _, err := os.Stat(journal); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	fresh := freshBeside(filepath.Join(parent, "data"))
	if !isFresh(beside(filepath.Join(parent, "data"), ""), filepath.Base(fresh)) {
		t.Errorf("%s is not known as fresh", fresh)
	}
}

// TestGoneWhileHeld takes the folder away while a transaction runs: it is not
// acknowledged.
func TestGoneWhileHeld(t *testing.T) {
	for _, take := range []func(dir string) error{os.RemoveAll,
		func(dir string) error { return os.Rename(dir, dir+".away") }} {
		dir := filepath.Join(t.TempDir(), "store")
		l := openStore(t, dir)
		mustPut(t, l, "old", "value")
		err := l.Update(t.Context(), func(tx kv.Tx) error {
			if err := take(dir); err != nil {
				t.Fatal(err)
			}
			return tx.Put([]byte("key"), []byte("value"))
		})
		if !errors.Is(err, kv.ErrGone) {
			t.Errorf("got %v", err)
		}
		mustPut(t, l, "new", "value")
		wantAll(t, openStore(t, dir), model{"new": "value"})
	}
}
