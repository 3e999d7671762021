package folder

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
	"techo/store/kv/sst"
)

// TestTornPage zeroes the page that has both headers of the journal, as a disk
// with sectors of 4,096 bytes may leave it. The damage is reported, and a rescue
// loses nothing.
func TestTornPage(t *testing.T) {
	for merges := range 3 {
		dir := t.TempDir()
		l := openStore(t, dir)
		want := model{"same": "later"}
		mustPut(t, l, "merged", "value", "same", "earlier")
		want["merged"] = "value"
		for range merges {
			mustMerge(t, l)
		}
		mustPut(t, l, "journal", "value", "same", "later")
		want["journal"] = "value"
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		torn := readJournal(t, dir)
		clear(torn[:journal.FramesAt])
		writeJournal(t, dir, torn)
		if got, err := recordsIn(t, dir); !isCorrupt(err) {
			t.Errorf("%d merges: %s, %v", merges, got, err)
		}
		kept, r := rescued(t, dir)
		if !maps.Equal(kept, want) || len(r.Changes) > 0 {
			t.Errorf("%d merges: kept %s, want %s; %v", merges, kept, want, r)
		}
	}
}

// TestReadIsDurable reads a transaction that a killed writer has not synced. A
// power failure does not take back what was read.
func TestReadIsDurable(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "key", "old")
	d := onFaultyDisk(t, l)
	frame := sealed(1, 1, journal.AppendPut(nil, []byte("key"), []byte("new")))
	if _, err := d.WriteAt(frame, l.journal.End); err != nil {
		t.Fatal(err)
	}
	wantAll(t, l, model{"key": "new"})
	if got := d.afterPowerLoss(t, l); got["key"] != "new" {
		t.Errorf("read the new value, and after a power failure %s", got)
	}
	syncs := d.syncs
	mustPut(t, l, "other", "value")
	d.syncs = syncs
	wantAll(t, l, model{"key": "new", "other": "value"})
	if d.syncs > syncs {
		t.Error("synced durable transactions again")
	}
}

// TestCutUnderReader cuts a table off after it was mapped: reading its bloom
// filter would end the process with a signal.
func TestCutUnderReader(t *testing.T) {
	dir, _ := mergedStore(t)
	l := openStore(t, dir)
	err := l.View(context.Background(), func(tx kv.Tx) error {
		if _, err := tx.Get([]byte("key1")); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(sstOf(t, dir), 0); err != nil {
			t.Fatal(err)
		}
		_, err := tx.Get([]byte("key2"))
		return err
	})
	if !isCorrupt(err) {
		t.Errorf("got %v", err)
	}
}

// vanishing is an entry of a folder whose file was removed meanwhile.
type vanishing struct{ fs.DirEntry }

func (vanishing) Info() (fs.FileInfo, error) {
	return nil, &fs.PathError{Op: "lstat", Err: fs.ErrNotExist}
}

// TestInfoVanishing counts the files of a folder from which one vanishes.
func TestInfoVanishing(t *testing.T) {
	dir, _ := mergedStore(t)
	entries, err := os.ReadDir(filepath.Join(dir, disk.TablesName))
	if err != nil {
		t.Fatal(err)
	}
	var i kv.Info
	for _, e := range entries {
		err = errors.Join(err, count(&i, e.Name(), vanishing{e}, nil), count(&i, e.Name(), e, nil))
	}
	if err != nil || i.Files != len(entries) || i.Tables != 1 {
		t.Errorf("%d of %d files, %d tables: %v", i.Files, len(entries), i.Tables, err)
	}
}

// TestReadBackFromDisk corrupts a new table before it is read back.
func TestReadBackFromDisk(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	old, err := sst.Open(dir, l.journal.Generation)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sst.NewBuilder(old)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddMerged(old, &l.memtable, 0); err != nil {
		t.Fatal(err)
	}
	name := sstOf(t, dir)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.ReadBack(w.Run[0]); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, string(bytes.Replace(whole, []byte("value"), []byte("other"), 1)))
	if err := w.ReadBack(w.Run[0]); !isCorrupt(err) {
		t.Errorf("got %v", err)
	}
	if n := cachedPages(t, name, disk.ForgetFile); n > 0 {
		t.Errorf("%d pages would be read from the cache", n)
	}
}
