package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// TestClosed closes a store twice, and compacts it then. See kvtest for the other calls.
func TestClosed(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Compact(t.Context()); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("compact: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, disk.TablesName+"*")); len(names) > 0 {
		t.Errorf("merged without a lock: %q", names)
	}
	wantAll(t, openStore(t, dir), model{"k": "v"})
}

// TestCloseUnderRead closes a store while it is being read: an error may come
// of it, but no end of the process, which is why another one does it.
func TestCloseUnderRead(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	for i := range 200 {
		mustPut(t, l, fmt.Sprintf("key%04d", i), strings.Repeat("v", 500))
	}
	mustMerge(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	c := startChild(t, "close", dir)
	if err := c.Wait(); err != nil {
		text, _, _ := strings.Cut(c.stderr.String(), "\n\n")
		t.Errorf("%v: %s", err, text)
	}
}

func closeUnderRead(dir string) error {
	l, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	closed := make(chan error, 1)
	_ = l.View(context.Background(), func(tx kv.Tx) error {
		first := true
		for item, err := range tx.Scan(kv.Range{}) {
			if err != nil {
				return err
			}
			if _, err := item.Value(); err != nil {
				return err
			}
			if first {
				go func() { closed <- l.Close() }()
				// Close may wait for this transaction, or end it.
				time.Sleep(100 * time.Millisecond)
				first = false
			}
		}
		_, err := tx.Get([]byte("key0100"))
		return err
	})
	return <-closed
}
