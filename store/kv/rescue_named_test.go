package kv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/rescue"
	"techo/store/kv/sst"
)

// TestRescueNames damages files of a store at random: every key that is lost,
// old or back afterwards is named as that, and no other is.
func TestRescueNames(t *testing.T) {
	r := testenv.Random(t)
	tries := testenv.Pick(10, 200)
	if testenv.Long() {
		tries = 1000
	}
	dir, history := layeredStore(t)
	var files []string
	for _, pattern := range []string{disk.JournalName, "tables/*", disk.JournalKeysName} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	counts := map[rescue.State]int{}
	damages := testenv.Damages()
	for try := range tries {
		file, damage := files[r.IntN(len(files))], damages[r.IntN(len(damages))]
		rel, _ := filepath.Rel(dir, file)
		bad := filepath.Join(t.TempDir(), "store")
		if err := os.CopyFS(bad, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		after := damage.Apply(r, bytes.Clone(b))
		writeFile(t, filepath.Join(bad, rel), string(after))
		kept, rescue := rescued(t, bad)
		what := fmt.Sprintf("try %d, %s of %s", try, damage.Name, rel)
		within := keysWithin(t, rel, b, after)
		for _, c := range rescue.Changes {
			if !within[string(c.Key)] {
				t.Errorf("%s: %q was in no damaged place", what, c.Key)
			}
		}
		for state, n := range wantNamed(t, what, kept, history, rescue) {
			counts[state] += n
		}
		if err := os.RemoveAll(filepath.Dir(bad)); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d damages: %v", tries, counts)
}

// keysWithin returns the keys in the blocks or transactions of a file that a
// damage has met.
func keysWithin(t *testing.T, rel string, before, after []byte) map[string]bool {
	t.Helper()
	from, to := len(before), 0
	for i := range before {
		if i >= len(after) || before[i] != after[i] {
			from, to = min(from, i), i+1
		}
	}
	keys := map[string]bool{}
	switch {
	case filepath.Ext(rel) == ".sst":
		at, err := sst.TailOf(before)
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := sst.IndexedBlocks(before[:at], before[at:])
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range blocks {
			for _, e := range sst.EntriesOf(before, s) {
				if s.Start < to && s.End > from {
					keys[string(e.Key)] = true
				}
			}
		}
	case rel == disk.JournalName:
		for _, f := range journal.FramesIn(before, journal.FramesAt) {
			journal.Operations(f.Payload, func(_ byte, key, _ []byte) {
				if f.At < to && f.End() > from {
					keys[string(key)] = true
				}
			})
		}
	}
	return keys
}

// wantNamed compares a rescued store with its changes.
func wantNamed(t *testing.T, what string, kept model, history map[string][]string,
	r rescue.Rescued) map[rescue.State]int {
	t.Helper()
	wantFromHistory(t, what, kept, history)
	named, counts := map[string]rescue.State{}, map[rescue.State]int{}
	for _, c := range r.Changes {
		named[string(c.Key)] = c.State
		counts[c.State]++
		if !c.Certain {
			t.Errorf("%s: %q is not certain", what, c.Key)
		}
	}
	for k, had := range history {
		var want rescue.State
		last := had[len(had)-1]
		got, there := kept[k]
		switch {
		case got == last:
		case last == "":
			want = rescue.Resurrected
		case there:
			want = rescue.RolledBack
		default:
			want = rescue.Lost
		}
		if named[k] != want {
			t.Errorf("%s: %q is %q, named %q; findings %v", what, k, want, named[k], r.Findings)
		}
		delete(named, k)
	}
	for k := range named {
		t.Errorf("%s: %q was never there", what, k)
	}
	return counts
}
