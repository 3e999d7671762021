package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/internal/private"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/rescue"
)

// tryAll calls on a store in every way there is, and returns what failed.
func tryAll(dir string) (errs []error) {
	ctx := context.Background()
	for _, write := range []bool{false, true} {
		l, err := Open(dir, Options{Write: write})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		_, err = everything(l)
		errs = append(errs, err)
		if write {
			errs = append(errs, l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("v")) }),
				l.Compact(ctx))
		}
		_, err = l.Check(ctx, func(int64) {})
		errs = append(errs, err, l.Close())
	}
	_, err := Rescue(ctx, dir, true, "", func(string, rescue.Rescued) error { return nil })
	return append(errs, err)
}

// TestPlantedLinks puts links, to what is there and to what is not, in the
// place of every entry of a store. Nothing is read or changed through them.
func TestPlantedLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{disk.LockName, disk.QueueName, disk.JournalName, disk.JournalKeysName,
		disk.IDName, disk.TablesName, disk.CacheName,
		disk.IgnoreName} {
		for _, kind := range []string{"file", "folder", "dangling"} {
			t.Run(name+" to "+kind, func(t *testing.T) {
				dir, _ := mergedStore(t)
				outside := t.TempDir()
				writeFile(t, filepath.Join(outside, "file"), "mine")
				writeFile(t, filepath.Join(outside, "folder", "000099.sst"), "mine")
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				testenv.Symlink(t, filepath.Join(outside, kind), filepath.Join(dir, name))
				wantRefused(t, dir, private.Link, outside)
			})
		}
	}
}

// wantRefused wants every call refused for one reason, and nothing changed.
func wantRefused(t *testing.T, dir string, reason private.Reason, folders ...string) {
	t.Helper()
	before := testenv.Snapshot(t, dir, false)
	for _, f := range folders {
		before += testenv.Snapshot(t, f, false)
	}
	for _, err := range tryAll(dir) {
		if e := new(private.Error); !errors.As(err, &e) || e.Reason != reason {
			t.Errorf("want refused for %s: %v", reason, err)
		}
	}
	after := testenv.Snapshot(t, dir, false)
	for _, f := range folders {
		after += testenv.Snapshot(t, f, false)
	}
	if before != after {
		t.Errorf("changed:\n%s\nto\n%s", before, after)
	}
}

// TestPlantedTables puts links among the tables. Reading fails, and a sweep
// leaves them and what they lead to.
func TestPlantedTables(t *testing.T) {
	dir, _ := mergedStore(t)
	outside := t.TempDir()
	writeFile(t, filepath.Join(outside, "file"), "mine")
	tables := filepath.Join(dir, disk.TablesName)
	if err := os.Remove(filepath.Join(tables, disk.ManifestCopy)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"000099.sst", "list.99", "list.x", "mine.sst", disk.ManifestCopy, "000003.sst"} {
		testenv.Symlink(t, filepath.Join(outside, "file"), filepath.Join(tables, name))
	}
	writeFile(t, filepath.Join(tables, "thesis.sst"), "mine")
	writeFile(t, filepath.Join(tables, "list.of.things"), "mine")
	before := testenv.Snapshot(t, outside, false)
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	if err := l.Compact(context.Background()); err != nil {
		t.Error(err)
	}
	if st, err := os.Lstat(filepath.Join(tables, disk.ManifestCopy)); err != nil || !st.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v", err)
	}
	for _, name := range []string{"thesis.sst", "list.of.things", "list.x", "mine.sst"} {
		if _, err := os.Lstat(filepath.Join(tables, name)); err != nil {
			t.Error(err)
		}
	}
	if after := testenv.Snapshot(t, outside, false); before != after {
		t.Errorf("changed:\n%s\nto\n%s", before, after)
	}
	if got, err := getValue(openStore(t, dir), "k"); err != nil || got != "v" {
		t.Errorf("%q %v", got, err)
	}
}

// TestLitterLink plants a link under the name of a store that a killed restore
// has left. What it leads to stays.
func TestLitterLink(t *testing.T) {
	around, other := t.TempDir(), filepath.Join(t.TempDir(), "store")
	l := openStore(t, other)
	mustPut(t, l, "k", "v")
	l.Close()
	old, long := l.journal.Path, time.Now().Add(-24*time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(around, "store")
	testenv.Symlink(t, other, dir+".new-1-1234567890123456")
	before := testenv.Snapshot(t, other, false)
	freshBeside(dir)
	disk.RemoveStore(dir + ".new-1-1234567890123456")
	if after := testenv.Snapshot(t, other, false); before != after {
		t.Errorf("changed:\n%s\nto\n%s", before, after)
	}
}

// TestRemoveStore removes what techo has made, and nothing else.
func TestRemoveStore(t *testing.T) {
	dir, _ := mergedStore(t)
	body := filepath.Join(dir, disk.CacheName, strings.Repeat("a", 32)+"-"+strings.Repeat("b", 16))
	writeFile(t, body, "page")
	mine := []string{filepath.Join(dir, disk.CacheName, "thesis.docx"),
		filepath.Join(dir, disk.TablesName, "deep", "file"),
		filepath.Join(dir, "notes")}
	for _, path := range mine {
		writeFile(t, path, "mine")
	}
	disk.RemoveStore(dir)
	for _, path := range mine {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{body, filepath.Join(dir, disk.JournalName), manifestPath(dir)} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left", path)
		}
	}
}
