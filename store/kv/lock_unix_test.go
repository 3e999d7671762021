//go:build unix

package kv

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"techo/internal/testenv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// TestGivenUpReads abandons a write beside another process's reader. Reads of the
// same process do not wait for it.
func TestGivenUpReads(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	c := startChild(t, "read", dir)
	c.wantLine(t, "held")
	for range lock.MaxKernelWaits + 2 {
		refused(t, "writer beside a reader", l.Update)
		within(t, func() error { return l.View(context.Background(), func(Tx) error { return nil }) })
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within(t, func() error { return put(l, "k", "w") })
}

// TestForkedLock shares the file of a lock with a forked child. The child keeps
// neither the lock nor the place in the queue.
func TestForkedLock(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	share := func(f *os.File) {
		fd, err := syscall.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { syscall.Close(fd) })
	}
	ctx, p, stop := lock.NewWaits().Watch(t.Context(), dir)
	defer stop()
	for range 2 {
		place, err := lock.Enqueue(ctx, filepath.Join(dir, disk.QueueName), false, "", p)
		if err != nil {
			t.Fatal(err)
		}
		if f := place.File; f != nil {
			share(f)
		}
		place.Release()
		h, err := lock.Acquire(context.Background(), dir, true, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		share(h.File)
		h.Release()
		within(t, func() error { return put(l, "k", "v") })
	}
}

// TestPipes puts a pipe in the place of each file of the store. Calls fail at once.
func TestPipes(t *testing.T) {
	for _, name := range []string{disk.JournalName, disk.LockName, disk.QueueName} {
		for _, merged := range []bool{false, true} {
			dir := t.TempDir()
			l := openStore(t, dir)
			mustPut(t, l, "k", "v")
			if merged {
				mustMerge(t, l)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, name)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				testenv.Missing(t, "named pipes")
			}
			within(t, func() error {
				for _, write := range []bool{true, false} {
					l, err := Open(dir, Options{Write: write})
					if err == nil {
						_, err = everything(l)
						if write {
							err = put(l, "k", "w")
						}
						l.Close()
					}
					if !isCorrupt(err) {
						t.Errorf("%s, merged %v, write %v: %v", name, merged, write, err)
					}
				}
				return nil
			})
		}
	}
}

// TestPipeAlone is TestPipes in a folder without other files.
func TestPipeAlone(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, disk.QueueName), 0o600); err != nil {
		testenv.Missing(t, "named pipes")
	}
	within(t, func() error {
		if err := put(openStore(t, dir), "k", "w"); !isCorrupt(err) {
			t.Errorf("update: %v", err)
		}
		return nil
	})
}
