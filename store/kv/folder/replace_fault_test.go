package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"techo/internal/private"
	"techo/internal/testenv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// failOnce is a disk on which one operation fails.
type failOnce struct {
	disk.SystemDisk
	left   int    // operations that succeed before it
	failed string // the operation that failed, "" before
	dead   bool   // all later operations fail as well, as if the process had been killed
	pause  func() // runs before that operation, a change, which then succeeds; nil lets it fail
}

func (d *failOnce) fails(what, path string) bool {
	if d.dead && d.failed != "" {
		return true
	}
	if d.pause != nil && (what == "read" || what == "stat") {
		return false
	}
	d.left--
	if d.left != -1 {
		return false
	}
	d.failed = what + " " + filepath.Base(path)
	if d.pause != nil {
		d.pause()
	}
	return d.pause == nil
}

func (d *failOnce) Open(how int, dir string, names ...string) (disk.File, error) {
	path := filepath.Join(names...)
	if d.fails("open", path) {
		return nil, errFaulty
	}
	f, err := d.SystemDisk.Open(how, dir, names...)
	return failingFile{f, d, path}, err
}

type failingFile struct {
	disk.File
	disk *failOnce
	path string
}

func (f failingFile) ReadAt(b []byte, at int64) (int, error) {
	if f.disk.fails("read", f.path) {
		return 0, errFaulty
	}
	return f.File.ReadAt(b, at)
}

func (f failingFile) Write(b []byte) (int, error) {
	if f.disk.fails("write", f.path) {
		return 0, errFaulty
	}
	return f.File.Write(b)
}

func (f failingFile) WriteAt(b []byte, at int64) (int, error) {
	if f.disk.fails("write", f.path) {
		return 0, errFaulty
	}
	return f.File.WriteAt(b, at)
}

func (f failingFile) Stat() (os.FileInfo, error) {
	if f.disk.fails("stat", f.path) {
		return nil, errFaulty
	}
	return f.File.Stat()
}

func (f failingFile) Sync() error {
	if f.disk.fails("sync", f.path) {
		return errFaulty
	}
	return f.File.Sync()
}

func (f failingFile) Truncate(size int64) error {
	if f.disk.fails("truncate", f.path) {
		return errFaulty
	}
	return f.File.Truncate(size)
}

func (d *failOnce) CreateTemp(in *private.Folder, name string) (disk.TempFile, error) {
	if d.fails("create", name) {
		return nil, errFaulty
	}
	f, err := d.SystemDisk.CreateTemp(in, name)
	return failingTemp{f, d, name}, err
}

type failingTemp struct {
	disk.TempFile
	disk *failOnce
	name string
}

func (f failingTemp) Sync() error {
	if f.disk.fails("sync", f.name) {
		return errFaulty
	}
	return f.TempFile.Sync()
}

func (f failingTemp) Replace() error {
	if f.disk.fails("rename", f.name) {
		return errFaulty
	}
	return f.TempFile.Replace()
}

// Remove fails only in a process that was killed.
func (d *failOnce) Remove(in *private.Folder, name string) error {
	if d.dead && d.failed != "" {
		return errFaulty
	}
	return d.SystemDisk.Remove(in, name)
}

func (d *failOnce) SyncFolder(path string) error {
	if d.fails("sync folder of", path) {
		return errFaulty
	}
	return d.SystemDisk.SyncFolder(path)
}

// TestReplaceFails fails each operation of a replacement in turn. After an error the
// store has its old records and nothing is left beside it. After a success the copy has
// them, even if the journal could not be read and the copy is a link.
func TestReplaceFails(t *testing.T) {
	old, next := model{"old": "v", "older": "v"}, model{"new": "v"}
	r, step := testenv.Random(t), testenv.Pick(8, 1)
	for _, merged := range []bool{false, true} {
		if merged && !testenv.Long() {
			continue
		}
		failures := 0
		for n, came := r.IntN(step), true; came; n += step {
			parent := t.TempDir()
			dir := filepath.Join(parent, "store")
			l := openStore(t, dir)
			mustPut(t, l, "old", "v")
			mustMerge(t, l)
			mustPut(t, l, "older", "v")
			if merged {
				mustMerge(t, l)
			}
			d := &failOnce{left: n}
			want, beside := old, 1
			aside, err := replacedOn(t, d, dir, next)
			if err == nil {
				want, beside = next, 2
			} else {
				failures++
			}
			came = d.failed != ""
			t.Run(fmt.Sprint(merged, " ", n, " ", d.failed), func(t *testing.T) {
				if (err == nil) != (aside != "") {
					t.Errorf("aside %q, error %v", aside, err)
				}
				for _, l := range []*Engine{l, openStore(t, dir)} {
					wantAll(t, l, want)
				}
				if aside != "" {
					wantAll(t, openStore(t, aside), old)
				}
				if names := namesIn(t, parent); len(names) != beside {
					t.Errorf("beside the store: %v", names)
				}
				mustPut(t, l, "written", "v")
				if err := l.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
				if n := unnamed(t, dir); n > 0 {
					t.Errorf("%d files left", n)
				}
				if aside != "" {
					wantAll(t, openStore(t, aside), old)
				}
			})
		}
		if failures < 20/step {
			t.Errorf("%d replacements failed", failures)
		}
	}
}

// replacedOn is replaced on a disk that fails.
func replacedOn(t *testing.T, d disk.Disk, dir string, next model) (aside string, err error) {
	t.Helper()
	fresh := freshStore(t, next)
	disk.Current = d
	defer func() { disk.Current = disk.SystemDisk{} }()
	h, err := lock.Acquire(t.Context(), dir, false, "", nil)
	if err != nil {
		return "", err
	}
	defer h.Release()
	return replaceRecords(t.Context(), dir, fresh, "before", h)
}
