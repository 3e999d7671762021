package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// TestZeroedHead loses a sector of the journal's headers, in the first
// generation and after: never an empty store, never an older one.
func TestZeroedHead(t *testing.T) {
	for merges := range 3 {
		dir := t.TempDir()
		l := openStore(t, dir)
		mustPut(t, l, "key", "value")
		for range merges {
			mustMerge(t, l)
		}
		mustPut(t, l, "later", "value")
		name := filepath.Join(dir, disk.JournalName)
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{journal.HeaderAt, journal.HeaderAt + journal.SlotStride} {
			bad := append([]byte{}, whole...)
			clear(bad[at : at+journal.SlotStride])
			writeFile(t, name, string(bad))
			if _, err := recordsIn(t, dir); !isCorrupt(err) {
				t.Errorf("%d merges, sector at %d: %v", merges, at, err)
			}
		}
	}
}

// TestRotBeforeCompaction flips a bit in a block that the next merge would
// rewrite: it leaves the run alone, so that the journal does not grow without
// end, and nothing else is lost. What rewrites all refuses.
func TestRotBeforeCompaction(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	for i := range sst.MaxRuns {
		mustPut(t, l, fmt.Sprint("key", i), "value")
		mustMerge(t, l)
	}
	tables, err := l.openedTables()
	if err != nil {
		t.Fatal(err)
	}
	if sst.PlanCompaction(sst.RunSizes(tables.List()), 100, false) == 0 {
		t.Fatal("the next merge would not rewrite")
	}
	name := filepath.Join(tables.Path, tables.Runs[0][0].Name())
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	whole[10] ^= 4
	writeFile(t, name, string(whole))
	l = openStore(t, dir)
	for i := range 2 {
		mustPut(t, l, "after", fmt.Sprint(i))
		mustMerge(t, l)
		if err := l.Compact(t.Context()); !isCorrupt(err) {
			t.Fatalf("compact: %v", err)
		}
	}
	if v, err := getValue(openStore(t, dir), "after"); err != nil || v != "1" {
		t.Errorf("after: %q, %v", v, err)
	}
	if _, err := everything(l); !isCorrupt(err) {
		t.Errorf("scan: %v", err)
	}
}

// TestFolderGone takes the folder, or what it is in, or its files, away from under a handle that writes.
func TestFolderGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "around", "store")
	l := openStore(t, dir)
	mustPut(t, l, "old", "value")
	for what, remove := range map[string]func() error{
		"folder": func() error { return os.RemoveAll(dir) },
		"parent": func() error { return os.RemoveAll(filepath.Dir(dir)) },
		"files": func() error {
			return errors.Join(os.Remove(filepath.Join(dir, disk.JournalName)), os.Remove(filepath.Join(dir, disk.LockName)),
				os.Remove(filepath.Join(dir, disk.QueueName)))
		},
	} {
		for _, read := range []bool{true, false} {
			if err := remove(); err != nil {
				t.Fatal(what, err)
			}
			if read {
				if _, err := getValue(l, "old"); !errors.Is(err, kv.ErrNotFound) {
					t.Errorf("%s, read: %v", what, err)
				}
			}
			k := fmt.Sprint("new", read)
			mustPut(t, l, k, "value")
			wantAll(t, openStore(t, dir), model{k: "value"})
		}
	}
}

// TestUnsyncedIsSettled finds a transaction that another process wrote and,
// killed, never marked as durable: the next writer marks it.
func TestUnsyncedIsSettled(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "a", "1")
	mustPut(t, l, "b", "2")
	f, err := os.OpenFile(filepath.Join(dir, disk.JournalName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(make([]byte, 2*journal.SlotStride), journal.WatermarkAt); err != nil { // no marks
		t.Fatal(err)
	}
	other := openStore(t, dir)
	if err := other.Update(t.Context(), func(kv.Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	slots := make([]byte, journal.FramesAt)
	if _, err := f.ReadAt(slots, 0); err != nil {
		t.Fatal(err)
	}
	if n, _ := other.journal.ReadWatermark(slots); n != 2 {
		t.Errorf("%d transactions marked, want 2", n)
	}
}

// TestStayingTidies: a process that stays keeps the journal short for others,
// without being asked.
func TestStayingTidies(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	for i := range leaveTxns + 2 {
		mustPut(t, l, fmt.Sprint("key", i), "value")
	}
	for end := time.Now().Add(time.Minute); openedGeneration(t, dir) == 1; time.Sleep(compactionDelay / 10) {
		if time.Now().After(end) {
			t.Fatal("not merged")
		}
	}
}
