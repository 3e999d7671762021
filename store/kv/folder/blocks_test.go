package folder

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// tablesOf makes tables of all shapes: many small blocks, values of 8 MiB,
// values of zeros, deleted keys.
func tablesOf(t *testing.T, r *rand.Rand) (paths []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	for n := range 3000 {
		mustSet(t, l, n, fmt.Sprintf("small%04d", n), noise(r, r.IntN(300)))
	}
	mustSet(t, l, -1, "large1", noise(r, kv.MaxValue))
	mustSet(t, l, -1, "large2", string(make([]byte, kv.MaxValue)))
	mustSet(t, l, -1, "large3", string(bytes.Repeat([]byte{0, 0, 0, 32, 0, 0, 0, 6, 0x10}, kv.MaxValue/9)))
	mustMerge(t, l)
	for n := 0; n < 3000; n += 7 {
		if err := l.Update(t.Context(),
			func(tx kv.Tx) error { return tx.Delete(fmt.Appendf(nil, "small%04d", n)) }); err != nil {
			t.Fatal(err)
		}
	}
	mustMerge(t, l)
	mustPut(t, l, "one", "value")
	mustMerge(t, l)
	paths, err := filepath.Glob(filepath.Join(dir, disk.TablesName, "*.sst"))
	if err != nil || len(paths) < 4 {
		t.Fatal(paths, err)
	}
	return paths
}

// mustSet puts a value into memory, as if it had been read from the journal: all
// but the first, to spare the test the syncs.
func mustSet(t *testing.T, l *Engine, n int, key, value string) {
	t.Helper()
	l.mu.Lock()
	l.memtable.apply(journal.OpPut, []byte(key), []byte(value))
	l.mu.Unlock()
	if n == 0 || n < 0 && key == "large1" {
		mustPut(t, l, key, value)
	}
}

// TestScanFindsBlocks compares a scan without footer and index with the index:
// it finds the same blocks, whether the index is cut off, zeroed or garbage, and
// each block but the damaged one when one is damaged.
func TestScanFindsBlocks(t *testing.T) {
	t.Parallel()
	r := testenv.Random(t)
	total := 0
	for _, path := range tablesOf(t, r) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at, err := sst.TailOf(data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := sst.IndexedBlocks(data[:at], data[at:])
		if err != nil {
			t.Fatal(err)
		}
		total += len(want)
		garbage := bytes.Clone(data)
		for i := range garbage[at:] {
			garbage[int(at)+i] = byte(r.Uint32())
		}
		for name, bad := range map[string][]byte{"cut": data[:at], "garbage": garbage,
			"appended": append(bytes.Clone(data), 'x')} {
			wantBlocks(t, path+" "+name, bad, want, -1)
		}
		for range testenv.Pick(1, 6) {
			bad, n := bytes.Clone(data[:at]), r.IntN(len(want))
			s := want[n]
			bad[s.Start+r.IntN(s.End-s.Start)] ^= 1 << r.IntN(8)
			wantBlocks(t, fmt.Sprint(path, " block ", n), bad, want, n)
		}
	}
	if total < 100 {
		t.Errorf("only %d blocks", total)
	}
	t.Logf("%d blocks", total)
}

// wantBlocks scans for blocks; all but one are intact.
func wantBlocks(t *testing.T, what string, data []byte, want []sst.Span, damaged int) {
	t.Helper()
	found := map[sst.Span]bool{}
	for _, s := range sst.ScanBlocks(data, sst.ScanBudget) {
		found[s] = s.Sound
	}
	for n, s := range want {
		if s.Sound = true; found[s] == (n == damaged) {
			t.Errorf("%s: block %d of %d, %v: found %v", what, n, len(want), s, found[s])
		}
		delete(found, s)
	}
	for s, sound := range found {
		if sound {
			t.Errorf("%s: %v is no block", what, s)
		}
	}
}
