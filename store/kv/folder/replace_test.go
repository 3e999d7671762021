package folder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"techo/internal/private"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
	"techo/store/kv/rescue"
	"techo/store/kv/sst"
)

func freshStore(t *testing.T, records model) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "fresh")
	l := openStore(t, dir)
	for k, v := range records {
		mustPut(t, l, k, v)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// replaced replaces the records of a store by these.
func replaced(t *testing.T, dir, why string, want model) (aside string, err error) {
	t.Helper()
	fresh := freshStore(t, want)
	h, err := lock.Acquire(context.Background(), dir, false, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	return replaceRecords(context.Background(), dir, fresh, why, h)
}

// TestReplace replaces the records of a store that another process has open and
// reads, and keeps the old ones beside it.
func TestReplace(t *testing.T) {
	for name, want := range map[string]model{"full": {"new": "v", "later": "v"}, "empty": {}} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			id, old := mustID(t, dir), model{"old": "v", "older": "v"}
			before := entriesWith(t, dir)
			err := openStore(t, dir).Snapshot(t.Context(), func(tx kv.Tx) error {
				aside, err := replaced(t, dir, "before", want)
				if err != nil || aside != dir+".before-1" {
					t.Fatalf("%q, %v", aside, err)
				}
				_, err = tx.Get([]byte("old"))
				return err
			})
			if err != nil {
				t.Errorf("a snapshot from before: %v", err)
			}
			if got := entriesWith(t, dir); !slices.Equal(got, before) {
				t.Errorf("files %q, before %q", got, before)
			}
			wantAll(t, openStore(t, dir), want)
			wantAll(t, l, want)
			wantBadger(t, dir, want)
			if got := mustID(t, dir); got != id {
				t.Errorf("id %s, not %s", got, id)
			}
			aside := openStore(t, dir+".before-1")
			wantAll(t, aside, old)
			mustPut(t, aside, "written", "v") // the links to its tables are no harm
			if err := aside.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			mustPut(t, l, "written", "w")
			want["written"] = "w"
			mustMerge(t, l)
			wantAll(t, openStore(t, dir), want)
			if names := namesIn(t, parent); len(names) != 2 {
				t.Errorf("left over: %v", names)
			}
		})
	}
}

// entriesWith returns the names in a store's folder except the journal's keys.
func entriesWith(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(namesIn(t, dir), func(name string) bool { return name == disk.JournalKeysName })
}

// stopAt is a disk that fails from the renaming of a file on, as if the process had
// been killed there.
type stopAt struct {
	disk.SystemDisk
	name    string
	before  int  // renamings of the name that succeed
	after   bool // the next one succeeds as well
	stopped bool
}

var errStopped = errors.New("stopped")

func (d *stopAt) Open(how int, dir string, names ...string) (disk.File, error) {
	f, err := d.SystemDisk.Open(how, dir, names...)
	return stoppedFile{f, d}, err
}

type stoppedFile struct {
	disk.File
	disk *stopAt
}

func (f stoppedFile) WriteAt(b []byte, at int64) (int, error) {
	if f.disk.stopped {
		return 0, errStopped
	}
	return f.File.WriteAt(b, at)
}

func (d *stopAt) CreateTemp(in *private.Folder, name string) (disk.TempFile, error) {
	f, err := d.SystemDisk.CreateTemp(in, name)
	return stoppedTemp{f, d, name}, err
}

type stoppedTemp struct {
	disk.TempFile
	disk *stopAt
	name string
}

func (f stoppedTemp) Replace() error {
	d := f.disk
	if f.name == d.name {
		d.before--
	}
	d.stopped = d.stopped || d.before < 0 && !d.after
	if d.stopped {
		return errStopped
	}
	d.stopped = d.before < 0
	return f.TempFile.Replace()
}

func (d *stopAt) Remove(in *private.Folder, name string) error {
	if d.stopped {
		return errStopped
	}
	return d.SystemDisk.Remove(in, name)
}

// stoppedAt replaces the records of a store, and stops there.
func stoppedAt(t *testing.T, dir string, at *stopAt, next model) {
	t.Helper()
	disk.Current = at
	_, err := replaced(t, dir, "", next)
	disk.Current = disk.SystemDisk{}
	if !errors.Is(err, errStopped) {
		t.Fatalf("got %v", err)
	}
}

// TestReplaceKilled kills replacements before and after each renaming of a
// manifest: the store has the old records or, after the last one, the new ones.
func TestReplaceKilled(t *testing.T) {
	old, next := model{"old": "v", "older": "v"}, model{"new": "v"}
	for i, c := range []struct {
		stopAt
		merged bool
		want   model
	}{
		{stopAt{name: disk.ManifestCopy}, false, old},
		{stopAt{name: disk.ManifestName}, false, old},
		{stopAt{name: disk.ManifestName, after: true}, false, old},
		{stopAt{name: disk.ManifestCopy, before: 1}, false, old},
		{stopAt{name: disk.ManifestName, before: 1}, false, old},
		{stopAt{name: disk.ManifestName, before: 1, after: true}, false, next},
		{stopAt{name: disk.ManifestName, before: 1, after: true}, true, next},
	} {
		if i%testenv.Pick(3, 1) != 0 {
			continue
		}
		t.Run(fmt.Sprint(c.name, " ", c.before, " ", c.after, " ", c.merged), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			if c.merged {
				mustMerge(t, l)
			}
			wantAll(t, l, old) // which keeps the tables open
			stoppedAt(t, dir, &c.stopAt, next)
			want := maps.Clone(c.want)
			for _, l := range []*Engine{l, openStore(t, dir)} {
				wantAll(t, l, want)
				if _, err := l.Check(t.Context(), func(int64) {}); err != nil {
					t.Error(err)
				}
			}
			if r, err := Rescue(t.Context(), dir, false, "", func(string, rescue.Rescued) error { return nil }); err != nil ||
				len(r.Findings) > 0 {
				t.Errorf("found %v, %v", r.Findings, err)
			}
			tables := badger.DefaultOptions(filepath.Join(dir, disk.TablesName)).WithReadOnly(true)
			if _, _, err := badgerRecords(tables); err != nil {
				t.Error(err)
			}
			mustPut(t, l, "written", "v")
			want["written"] = "v"
			mustMerge(t, l)
			wantAll(t, openStore(t, dir), want)
			if err := l.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantBadger(t, dir, want)
			if n := unnamed(t, dir); n > 0 {
				t.Errorf("%d files left", n)
			}
		})
	}
}

// TestReplaceKilledDamaged kills replacements of a damaged store. It stays damaged,
// and another one succeeds.
func TestReplaceKilledDamaged(t *testing.T) {
	next := model{"new": "v"}
	for _, at := range []stopAt{{name: disk.JournalName}, {name: disk.ManifestName}} {
		t.Run(at.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			damaged := readJournal(t, dir)
			damaged[3]++
			writeJournal(t, dir, damaged)
			stoppedAt(t, dir, &at, next)
			if _, err := recordsIn(t, dir); !isCorrupt(err) {
				t.Errorf("got %v", err)
			}
			if _, err := replaced(t, dir, "damaged", next); err != nil {
				t.Fatal(err)
			}
			wantAll(t, openStore(t, dir), next)
			wantAll(t, l, next)
			wantBadger(t, dir, next)
			if n := unnamed(t, dir); n > 0 {
				t.Errorf("%d files left", n)
			}
		})
	}
}

// TestReplaceMisplaced repairs a store with a folder in the place of its journal,
// and one with a file in the place of its tables.
func TestReplaceMisplaced(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		disk.JournalName: func(path string) error { return os.Mkdir(path, 0o700) },
		disk.TablesName:  func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			l := openStore(t, dir)
			mustPut(t, l, "merged", "v")
			mustMerge(t, l)
			mustPut(t, l, "late", "v")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := errors.Join(os.RemoveAll(path), damage(path)); err != nil {
				t.Fatal(err)
			}
			kept, r := rescued(t, dir)
			if len(kept) != 1 || len(r.Findings) == 0 {
				t.Errorf("kept %s, found %v", kept, r.Findings)
			}
			if _, err := os.Lstat(filepath.Join(r.Aside, name)); err != nil {
				t.Error(err)
			}
			mustPut(t, openStore(t, dir), "next", "v")
		})
	}
}

// TestReplaceKeepsAside repairs a damaged store in which a killed compaction left a
// key file without its table. The copy of the store shares that file by a link, and
// keeps it as it was.
func TestReplaceKeepsAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	mustPut(t, l, "old", "v")
	mustMerge(t, l)
	mustPut(t, l, "older", "v")
	for id := range uint64(9) {
		path := filepath.Join(dir, disk.TablesName, sst.KeysName(id+1))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			writeFile(t, path, "left")
		}
	}
	damaged := readJournal(t, dir)
	damaged[3]++
	writeJournal(t, dir, damaged)
	read := func(id uint64, dir string) string {
		b, err := os.ReadFile(filepath.Join(dir, disk.TablesName, sst.KeysName(id)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	first := read(1, dir)
	aside, err := replaced(t, dir, "damaged", model{"new": "v"})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(1, aside); got != first {
		t.Errorf("the key file of the table: %q, want %q", got, first)
	}
	for id := range uint64(8) {
		if got := read(id+2, aside); got != "left" {
			t.Errorf("key file %d: %q", id+2, got)
		}
	}
}
