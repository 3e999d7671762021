package folder

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
)

// TestFlippedTables flips a bit of some bytes of the tables' files, in a long
// run of all: each answer is right or an error, and never less than there was.
// So it is after a merge by a handle that has not read the tables.
func TestFlippedTables(t *testing.T) {
	t.Parallel()
	r := testenv.Random(t)
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	for i := range 3 { // three tables of several blocks; some keys are in all of them
		for n := range 24 {
			k := fmt.Sprintf("key%02d", n+n%3*i)
			want[k] = strings.Repeat(fmt.Sprint(i), 300+n)
			mustPut(t, l, k, want[k])
		}
		mustMerge(t, l)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(filepath.Join(dir, disk.TablesName))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		t.Run(n.Name(), func(t *testing.T) {
			most := 1
			switch {
			case testenv.Long():
			case strings.HasPrefix(n.Name(), disk.ManifestName):
				most = testenv.Pick(20, 5)
			case filepath.Ext(n.Name()) == ".sst":
				most = testenv.Pick(500, 121)
			default:
				most = testenv.Pick(60, 1)
			}
			eachFlipped(t, dir, filepath.Join(disk.TablesName, n.Name()), func() int { return 1 + r.IntN(most) },
				func(at int, bad string) {
					sound := wantNoLess(t, fmt.Sprintf("byte %d", at), bad, want)
					if at%16 > 0 {
						return
					}
					l := openStore(t, bad)
					err := l.forceMerge()
					l.Close()
					if !wantNoLess(t, fmt.Sprintf("byte %d, merged (%v)", at, err), bad, want) && sound {
						t.Fatalf("byte %d: the merge (%v) has spoiled what could be read", at, err)
					}
				})
		})
	}
}

// eachFlipped calls check with a copy of a store in which a bit of one byte of
// a file is another, going on by step.
func eachFlipped(t *testing.T, dir, name string, step func() int, check func(at int, bad string)) {
	t.Helper()
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "store")
	for at := step() - 1; at < len(whole); at += step() {
		if err := os.CopyFS(bad, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(whole)
		b[at] ^= 1 << (at % 8)
		writeFile(t, filepath.Join(bad, name), string(b))
		check(at, bad)
		if err := os.RemoveAll(bad); err != nil {
			t.Fatal(err)
		}
	}
}

// wantNoLess reads a store in every way. It returns whether all of it was there.
func wantNoLess(t *testing.T, what, dir string, want model) (sound bool) {
	t.Helper()
	l := openStore(t, dir)
	defer l.Close()
	ranges := []kv.Range{{}, {Reverse: true}}
	for n := 0; n < 50; n += 10 {
		from := fmt.Appendf(nil, "key%02d", n)
		ranges = append(ranges, kv.Range{From: from}, kv.Range{From: from, Reverse: true})
	}
	sound = true
	check := func(right bool, err error, format string, args ...any) {
		t.Helper()
		if isCorrupt(err) {
			sound = false
		} else if err != nil || !right {
			t.Fatalf(what+": "+format+": %v", append(args, err)...)
		}
	}
	err := l.View(context.Background(), func(tx kv.Tx) error {
		for k, v := range want {
			got, err := tx.Get([]byte(k))
			check(string(got) == v, err, "%q is %d bytes", k, len(got))
		}
		for _, r := range ranges {
			got, err := keysOf(tx, r, want)
			check(slices.Equal(got, want.scan(r)), err, "scan from %q, reverse %v: %q", r.From, r.Reverse, got)
		}
		return nil
	})
	check(true, err, "read")
	return sound
}

// keysOf returns the keys of a range, whose values have to be as wanted.
func keysOf(tx kv.Tx, r kv.Range, want model) (keys []string, err error) {
	for item, err := range tx.Scan(r) {
		if err != nil {
			return nil, err
		}
		v, err := item.Value()
		if err != nil {
			return nil, err
		}
		if string(v) != want[string(item.Key)] {
			return nil, fmt.Errorf("key %q has a wrong value", item.Key)
		}
		keys = append(keys, string(item.Key))
	}
	return keys, nil
}
