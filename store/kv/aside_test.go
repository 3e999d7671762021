//go:build unix

package kv

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// partDisk writes only a part of each file that it copies, and then fails.
type partDisk struct {
	systemDisk

	err error
}

type partFile struct {
	storeFile

	err error
}

func (d partDisk) open(how int, dir string, names ...string) (storeFile, error) {
	f, err := d.systemDisk.open(how, dir, names...)
	if err != nil || how&os.O_TRUNC == 0 || names[0] != journalName {
		return f, err
	}
	return &partFile{f, d.err}, nil
}

func (f *partFile) Write(b []byte) (int, error) {
	n, err := f.storeFile.Write(b[:1])
	return n, errors.Join(err, f.err)
}

// TestCopyAsideFails checks that a full disk ends the copy of a store with its own
// error, and that a journal that cannot be copied for another reason is linked.
func TestCopyAsideFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		t.Fatal(err)
	}
	put := func(tx Tx) error { return tx.Put([]byte("k"), []byte("v")) }
	if err := l.Update(context.Background(), put); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	before := disk
	t.Cleanup(func() { disk = before })
	disk = partDisk{err: syscall.ENOSPC}
	if _, err := copyAside(dir, "before"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: %v", err)
	}
	disk = partDisk{err: syscall.EIO}
	aside, err := copyAside(dir, "before")
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.Stat(filepath.Join(dir, journalName))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.Stat(filepath.Join(aside, journalName))
	if err != nil || !os.SameFile(one, two) {
		t.Errorf("the journal is not linked: %v", err)
	}
}
