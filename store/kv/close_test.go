package kv

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/kv/disk"
	"techo/store/kv/fault"
)

// TestClosed checks that calls after Close do nothing and return ErrClosed.
func TestClosed(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	ran := func(Tx) error { t.Error("ran"); return nil }
	for what, err := range map[string]error{
		"view":    l.View(ctx, ran),
		"update":  l.Update(ctx, ran),
		"group":   l.Group(ctx, func(context.Context) error { t.Error("ran"); return nil }),
		"compact": l.Compact(ctx),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
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
	_ = l.View(context.Background(), func(tx Tx) error {
		first := true
		for item, err := range tx.Scan(Range{}) {
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

const (
	countProcesses = 16
	countWrites    = 20
)

// writeCounts counts up, one transaction a number, half of them in a handle
// that is opened for it alone.
func writeCounts(dir string) error {
	l, err := Open(dir, Options{Write: true})
	if err != nil {
		return err
	}
	for i := range countWrites {
		err := l.Update(context.Background(), func(tx Tx) error {
			n, err := readCount(tx)
			if err != nil {
				return err
			}
			return errors.Join(tx.Put([]byte("count"), []byte(strconv.Itoa(n+1))),
				tx.Put(fmt.Appendf(nil, "write %d %d", os.Getpid(), i), nil))
		})
		if err != nil {
			return err
		}
		if i%2 == 0 {
			continue
		}
		if i == 7 {
			err = l.forceMerge()
		}
		if e := l.Close(); !errors.Is(e, context.DeadlineExceeded) { // it did not come to tidy up
			err = errors.Join(err, e)
		}
		if err != nil {
			return err
		}
		if l, err = Open(dir, Options{Write: true}); err != nil {
			return err
		}
	}
	if err := l.Close(); !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

func readCount(tx Tx) (int, error) {
	v, err := tx.Get([]byte("count"))
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(v))
}

// checkCount compares the count with the keys that were written with it.
func checkCount(l *Local) (n int, err error) {
	err = l.View(context.Background(), func(tx Tx) (err error) {
		if n, err = readCount(tx); err != nil {
			return err
		}
		if keys, err := countKeys(tx, "write "); err != nil || keys != n {
			return fmt.Errorf("%d keys, the count is %d: %w", keys, n, err)
		}
		return nil
	})
	return n, err
}

// TestManyProcesses lets processes write at once, beside two that read.
func TestManyProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	var readers sync.WaitGroup
	var done atomic.Bool
	openStore(t, dir) // a reader that finds no store does not look again
	for _, keep := range []bool{true, false} {
		l, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			defer func() { l.Close() }()
			for last := 0; !done.Load(); {
				n, err := checkCount(l)
				if err != nil || n < last {
					t.Errorf("read %d after %d: %v", n, last, err)
					return
				}
				last = n
				if !keep {
					l.Close()
					if l, err = Open(dir, Options{}); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	children := make([]*child, countProcesses)
	for i := range children {
		children[i] = startChild(t, "count", dir)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %s", err, strings.TrimSpace(c.stderr.String()))
		}
	}
	done.Store(true)
	readers.Wait()
	if n, err := checkCount(openStore(t, dir)); err != nil || n != countProcesses*countWrites {
		t.Errorf("%d of %d writes are there: %v", n, countProcesses*countWrites, err)
	}
}
