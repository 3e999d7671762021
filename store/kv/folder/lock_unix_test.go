//go:build unix

package folder

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

// TestForkedLock shares the file of a lock with a forked child, which does not keep it.
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
	for range 2 {
		h, err := lock.Acquire(context.Background(), dir, false, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		h.Settle(dir)
		share(h.File)
		h.Release()
		if lock.Settled(dir) {
			t.Error("still settled")
		}
		within(t, func() error { return put(l, "k", "v") })
	}
}

// TestPipes puts a pipe in the place of a file of the store. Calls that need it fail at once.
func TestPipes(t *testing.T) {
	for _, name := range []string{disk.JournalName, disk.LockName} {
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
					if needed := write || name == disk.JournalName; isCorrupt(err) != needed {
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
