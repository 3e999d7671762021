package folder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/confine"
	"techo/internal/testenv"
	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/journal"
)

// faultyDisk stands between a journal and its file. A sync that fails may have
// kept everything or nothing, and the system takes it for written either way.
type faultyDisk struct {
	disk.File
	disk  []byte         // what a power loss leaves
	dirty map[int64]bool // sectors that were written since the last sync
	size  int64
	fail  []bool // of the next syncs; true keeps what was written nevertheless
	syncs int    // that succeeded

	wrote func(at int64) error // unless nil, decides after each write what becomes of it
}

const sector = 512

// onFaultyDisk puts a faulty disk under a store that has its journal open.
func onFaultyDisk(t *testing.T, l *Engine) *faultyDisk {
	t.Helper()
	b := readJournal(t, l.dir)
	d := &faultyDisk{File: l.journal.File, disk: b, dirty: map[int64]bool{}, size: int64(len(b))}
	l.journal.File = d
	return d
}

func (d *faultyDisk) WriteAt(b []byte, at int64) (int, error) {
	n, err := d.File.WriteAt(b, at)
	for s := at / sector; s*sector < at+int64(n); s++ {
		d.dirty[s] = true
	}
	d.size = max(d.size, at+int64(n))
	if err == nil && d.wrote != nil {
		err = d.wrote(at)
	}
	return n, err
}

func (d *faultyDisk) Truncate(size int64) error {
	d.size = size
	return d.File.Truncate(size)
}

var errFaulty = errors.New("the disk failed")

func (d *faultyDisk) Sync() error {
	keep, failed := true, len(d.fail) > 0
	if failed {
		keep, d.fail = d.fail[0], d.fail[1:]
	} else {
		d.syncs++
	}
	if keep {
		disk := make([]byte, d.size)
		copy(disk, d.disk)
		for s := range d.dirty {
			if s*sector < d.size {
				_, _ = d.ReadAt(disk[s*sector:min(s*sector+sector, d.size)], s*sector)
			}
		}
		d.disk = disk
	}
	clear(d.dirty)
	if failed {
		return errFaulty
	}
	return nil
}

// afterPowerLoss returns the records of a store with the journal that the disk has.
func (d *faultyDisk) afterPowerLoss(t *testing.T, l *Engine) model {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "after")
	if err := os.CopyFS(dir, os.DirFS(l.dir)); err != nil {
		t.Fatal(err)
	}
	writeJournal(t, dir, d.disk)
	got, err := recordsIn(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestOldFramesStay fails the sync of the header in a compaction, and lets the next write
// begin. Whatever it overwrites reaches the disk at once, but nothing of the header does before
// a sync: at no moment does a power failure lose the old frames.
func TestOldFramesStay(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "k", "old")
	d := onFaultyDisk(t, l)
	d.fail = []bool{false}
	if err := l.Compact(t.Context()); !errors.Is(err, errFaulty) {
		t.Fatalf("compact: %v", err)
	}
	overwritten := 0
	d.wrote = func(at int64) error {
		if at >= journal.FramesAt {
			overwritten++
			d.disk = append(d.disk, make([]byte, max(0, d.size-int64(len(d.disk))))...)
			_, _ = d.ReadAt(d.disk[at:min(at+sector, d.size)], at)
			if got := d.afterPowerLoss(t, l); got["k"] != "old" {
				t.Errorf("write %d: %v", overwritten, got)
			}
		}
		return nil
	}
	mustPut(t, l, "next", "v")
	if overwritten == 0 {
		t.Error("nothing was overwritten")
	}
}

// TestWatermarkFails fails the write of a watermark that has effect all the same, and perhaps
// what takes it back. The write that was refused is complete or absent, and the store sound.
func TestWatermarkFails(t *testing.T) {
	for faults := 1; faults <= 2; faults++ {
		l := openStore(t, t.TempDir())
		mustPut(t, l, "k", "v")
		d := onFaultyDisk(t, l)
		left := faults
		d.wrote = func(at int64) error {
			if left > 0 && at >= journal.WatermarkAt && at < journal.FramesAt {
				left--
				return errFaulty
			}
			return nil
		}
		if err := put(l, "refused", "v"); !errors.Is(err, errFaulty) {
			t.Fatalf("put: %v", err)
		}
		want := model{"k": "v"}
		if faults > 1 {
			want["refused"] = "v"
		}
		wantAll(t, l, want)
		wantAll(t, openStore(t, l.dir), want)
		mustPut(t, l, "next", "v")
		want["next"] = "v"
		if got := d.afterPowerLoss(t, l); !maps.Equal(got, want) {
			t.Errorf("%d faults, after a power failure: %v", faults, got)
		}
	}
}

// TestKeepsOwnFolder checks that the mark of a created store is not written into
// another folder that has taken its path.
func TestKeepsOwnFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	if err := errors.Join(os.Rename(dir, dir+".away"), os.Mkdir(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := l.journal.SyncNewStore(); !errors.Is(err, kv.ErrGone) {
		t.Errorf("got %v", err)
	}
	wantAll(t, openStore(t, dir), model{})
}

// TestSparseJournal reads a journal whose end was moved far away without the memory
// for its size. The next write cuts it off.
func TestSparseJournal(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	name := filepath.Join(dir, disk.JournalName)
	if err := os.Truncate(name, 400<<30); err != nil {
		testenv.Missing(t, "sparse files: "+err.Error())
	}
	wantAll(t, openStore(t, dir), model{"k": "v"})
	mustPut(t, l, "next", "v")
	wantAll(t, openStore(t, dir), model{"k": "v", "next": "v"})
	if st, err := os.Stat(name); err != nil || st.Size() > 1<<20 {
		t.Errorf("%d bytes, %v", st.Size(), err)
	}
}

// TestRestoreIntoEmptied restores into a store whose last record was removed,
// before and after a compaction. It counts as empty.
func TestRestoreIntoEmptied(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup")
	f, err := os.Create(backup)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	from := openStore(t, t.TempDir())
	mustPut(t, from, "restored", "v")
	if _, err := WriteBackup(t.Context(), from, f); err != nil {
		t.Fatal(err)
	}
	for _, compacted := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "store")
		l := openStore(t, dir)
		mustPut(t, l, "k", "v")
		if err := l.Update(t.Context(), func(tx kv.Tx) error { return tx.Delete([]byte("k")) }); err != nil {
			t.Fatal(err)
		}
		if compacted {
			if err := l.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := Restore(t.Context(), dir, confine.Place{Path: backup}, false, ""); err != nil {
			t.Errorf("compacted %v: %v", compacted, err)
			continue
		}
		wantAll(t, openStore(t, dir), model{"restored": "v"})
	}
}
