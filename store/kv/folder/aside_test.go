//go:build unix

package folder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// partDisk writes only a part of each file that it copies, and then fails.
type partDisk struct {
	disk.SystemDisk

	err error
}

type partFile struct {
	disk.File

	err error
}

func (d partDisk) Open(how int, dir string, names ...string) (disk.File, error) {
	f, err := d.SystemDisk.Open(how, dir, names...)
	if err != nil || how&os.O_TRUNC == 0 || names[0] != disk.JournalName {
		return f, err
	}
	return &partFile{f, d.err}, nil
}

func (f *partFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b[:1])
	return n, errors.Join(err, f.err)
}

// TestCopyAsideFails fails a copy of a store while it is written. A link would not be a
// copy of a journal that is written again.
func TestCopyAsideFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	put := func(tx kv.Tx) error { return tx.Put([]byte("k"), []byte("v")) }
	if err := l.Update(context.Background(), put); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before := disk.Current
	t.Cleanup(func() { disk.Current = before })
	for _, want := range []error{syscall.ENOSPC, syscall.EIO} {
		disk.Current = partDisk{err: want}
		if _, _, err := copyAside(dir, "before"); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if names := namesIn(t, filepath.Dir(dir)); len(names) != 1 {
			t.Errorf("left %v", names)
		}
	}
}
