package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/sst"
)

// TestLeftovers merges beside files that no merge of this store has written. For what a killed merge leaves,
// see TestBadgerAfterKills.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	want := model{}
	for i := range 3 {
		k := fmt.Sprintf("key%d", i)
		mustPut(t, l, k, "value", "same", k)
		want[k], want["same"] = "value", k
		for _, name := range []string{".MANIFEST.techo-12", fmt.Sprintf("%06d.sst", i+2), "000099.sst"} {
			writeFile(t, filepath.Join(dir, disk.TablesName, name), "garbage")
		}
		wantAll(t, openStore(t, dir), want)
		l = openStore(t, dir)
		mustMerge(t, l)
		wantAll(t, l, want)
		wantAll(t, openStore(t, dir), want)
	}
	if n := unnamed(t, dir); n > 0 {
		t.Errorf("left over: %d files", n)
	}
}

// leaveMerge leaves a merge as if it was killed before it wrote the journal's
// header or, with early, before it installed the manifest.
func leaveMerge(t *testing.T, l *Engine, all, early bool) {
	t.Helper()
	old, err := sst.Open(l.dir, l.journal.Generation)
	if err != nil {
		t.Fatal(err)
	}
	killed := errors.New("killed")
	defer func() {
		if r := recover(); r != nil && r != killed {
			panic(r)
		}
	}()
	_, err = sst.Merge(old, &l.memtable, all, func() error {
		if early {
			panic(killed) // without the removal of the new files
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// blockMerge makes the merges of a handle fail when they have done all that
// comes before the journal's head, until allow is called.
func blockMerge(l *Engine) (allow func()) {
	set := func(how func(*sst.Tables, sst.Layer, bool, func() error) (sst.Manifest, error)) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.mergeTables = how
	}
	set(func(old *sst.Tables, add sst.Layer, all bool, verify func() error) (sst.Manifest, error) {
		m, err := sst.Merge(old, add, all, verify)
		return m, errors.Join(err, errors.New("blocked"))
	})
	return func() { set(sst.Merge) }
}

// TestFailedMerge makes a merge fail half way: nothing is lost, in this handle
// or in others, and the next one makes up for it.
func TestFailedMerge(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key0", "value", "same", "0")
	mustMerge(t, l)
	mustPut(t, l, "key1", "value", "same", "1")
	want := model{"key0": "value", "key1": "value", "same": "1"}
	allow := blockMerge(l)
	for range 2 {
		if err := l.forceMerge(); err == nil {
			t.Fatal("the merge did not fail")
		}
		wantAll(t, l, want)
		wantAll(t, openStore(t, dir), want)
	}
	mustPut(t, l, "key2", "value", "same", "2")
	want["key2"], want["same"] = "value", "2"
	wantAll(t, l, want)
	allow()
	// The new tables are whole now, and the journal's head cannot be written.
	writable := l.journal.File
	readable, err := os.Open(l.journal.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer readable.Close()
	l.journal.File = readable
	if err := l.forceMerge(); err == nil {
		t.Fatal("the merge did not fail")
	}
	wantAll(t, l, want)
	l.journal.File = writable
	wantAll(t, openStore(t, dir), want)
	mustMerge(t, l)
	wantAll(t, l, want)
	wantAll(t, openStore(t, dir), want)
}

// TestGroupFailedMerge checks that an error of Group means that none of its writes
// was kept.
func TestGroupFailedMerge(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	mustMerge(t, l)
	allow := blockMerge(l)
	want := model{"key": "value"}
	err := l.Group(context.Background(), func(ctx context.Context) error {
		for i := range stayBytes/kv.MaxValue + 1 {
			k, v := fmt.Sprint("large", i), bytes.Repeat([]byte{'v'}, kv.MaxValue)
			if err := l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte(k), v) }); err != nil {
				return err
			}
			want[k] = string(v)
		}
		return nil
	})
	if err != nil {
		t.Logf("group: %v", err)
		want = model{"key": "value"}
	}
	wantAll(t, openStore(t, dir), want)
	allow()
	wantAll(t, l, want)
}

// TestDamagedTableLeavesNoFiles opens a damaged table again and again, as a
// process does that serves for long.
func TestDamagedTableLeavesNoFiles(t *testing.T) {
	dir, want := mergedStore(t)
	name := sstOf(t, dir)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := sst.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	for block, at := range map[string]int{"first": bytes.Index(whole, []byte(want["key7"])),
		"last": int(m.Runs[0][0].Tail) - 1} {
		bad := bytes.Clone(whole)
		bad[at]++
		writeFile(t, name, string(bad))
		l := openStore(t, dir)
		before := testenv.OpenFiles(t)
		for range 100 {
			if _, err := everything(l); !isCorrupt(err) {
				t.Fatalf("%s block: %v", block, err)
			}
		}
		if after := testenv.OpenFiles(t); after > before+20 {
			t.Errorf("%s block: %d files open, before %d", block, after, before)
		}
	}
}
