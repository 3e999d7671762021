package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// soon is longer than any step of these tests takes on a busy machine.
const soon = 8 * time.Second

// holdStore takes the store's lock and keeps it until stdin ends.
func holdStore(dir string, alone bool) error {
	l, err := Open(dir, Options{Write: true, Holder: "the holder"})
	if err != nil {
		return err
	}
	hold := func(Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	if alone {
		return l.Update(context.Background(), hold)
	}
	return l.View(context.Background(), hold)
}

// within fails when fn does not come back.
func within(t *testing.T, fn func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(soon):
		t.Fatal("does not come back")
	}
}

// holding takes the lock in this process, and lets it go at release.
func holding(t *testing.T, l *Local, alone bool) (release func()) {
	t.Helper()
	do := l.View
	if alone {
		do = l.Update
	}
	held, end, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- do(context.Background(), func(Tx) error { close(held); <-end; return nil })
	}()
	select {
	case <-held:
	case err := <-done:
		t.Fatal(err)
	}
	var once sync.Once
	release = func() { once.Do(func() { close(end); <-done }) }
	t.Cleanup(release)
	return release
}

// refused fails unless a transaction is kept waiting.
func refused(t *testing.T, what string, do func(context.Context, func(Tx) error) error) {
	t.Helper()
	mine := errors.New("waited enough")
	ctx, stop := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, mine)
	defer stop()
	ran := false
	err := do(ctx, func(Tx) error { ran = true; return nil })
	if !errors.Is(err, mine) || ran {
		t.Fatalf("%s: ran %v, %v", what, ran, err)
	}
}

func TestReadersShare(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	mustPut(t, a, "k", "v")
	defer holding(t, a, false)()
	c := startChild(t, "read", dir)
	c.wantLine(t, "held")
	for _, l := range []*Local{a, b} {
		within(t, func() error { return l.View(context.Background(), func(Tx) error { return nil }) })
	}
}

func TestWriterExcludes(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	for _, l := range []*Local{a, b} { // goroutines of one handle exclude each other too
		release := holding(t, a, true)
		refused(t, "reader beside a writer", l.View)
		refused(t, "writer beside a writer", l.Update)
		release()
		release = holding(t, a, false)
		refused(t, "writer beside a reader", l.Update)
		release()
		within(t, func() error { return put(l, "k", "v") })
	}
	c := startChild(t, "write", dir)
	c.wantLine(t, "held")
	refused(t, "reader beside another process", a.View)
	refused(t, "writer beside another process", a.Update)
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within(t, func() error { return put(a, "k", "v") })
}

// TestBusy waits out the whole deadline.
func TestBusy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startChild(t, "write", dir)
	c.wantLine(t, "held")
	started := time.Now()
	err := openStore(t, dir).View(context.Background(), func(Tx) error { return nil })
	var busy *BusyError
	if !errors.As(err, &busy) {
		t.Fatalf("got %v", err)
	}
	if busy.Waited < lockWait || busy.Waited > time.Since(started) {
		t.Errorf("says that it waited %s", busy.Waited)
	}
	wantHolder(t, busy, c)
}

// wantHolder wants a child's pid, and its command as the kernel or the child
// itself names it.
func wantHolder(t *testing.T, err error, c *child) {
	t.Helper()
	var busy *BusyError
	words := filepath.Base(os.Args[0]) + " " + c.Args[1]
	if !errors.As(err, &busy) || busy.PID != c.Process.Pid || busy.Command != words && busy.Command != "the holder" {
		t.Errorf("%v, want pid %d (%s)", err, c.Process.Pid, words)
	}
}

func TestBusyNames(t *testing.T) {
	for _, does := range []string{"read", "write"} {
		t.Run(does, func(t *testing.T) {
			dir := t.TempDir()
			c := startChild(t, does, dir)
			c.wantLine(t, "held")
			if pid, _ := lockOwner(filepath.Join(dir, lockName)); pid == 0 && does == "read" {
				missing(t, "the kernel does not say who reads")
			}
			wantHolder(t, busy(errWouldBlock, dir, time.Now()), c)
		})
	}
	t.Run("by its note", func(t *testing.T) {
		dir := t.TempDir()
		l, err := Open(dir, Options{Write: true, Holder: "a holder with a long name"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		mustPut(t, l, "k", "v")
		l.opts.Holder = "techo serve"
		mustPut(t, l, "k", "v")
		defer holding(t, l, true)()
		var who *BusyError
		if err := busy(errWouldBlock, dir, time.Now()); !errors.As(err, &who) ||
			who.PID != os.Getpid() || who.Command != "techo serve" {
			t.Errorf("%v", err)
		}
	})
}

// TestGivenUp: a waiter that was given up gets the lock after all, and frees it.
func TestGivenUp(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	for _, alone := range []bool{true, false} {
		release := holding(t, a, alone)
		for range 3 {
			refused(t, "writer", b.Update)
		}
		if alone {
			refused(t, "reader", b.View)
		}
		release()
		within(t, func() error { return put(a, "k", "v") })
		within(t, func() error { return put(b, "k", "v") })
	}
}

// TestGivenUpOften: waits that were given up do not pile up in the kernel.
func TestGivenUpOften(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	release := holding(t, a, true)
	before := runtime.NumGoroutine()
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() { refused(t, "reader", b.View) })
	}
	all.Wait()
	if now := runtime.NumGoroutine(); now > before+5 {
		t.Errorf("%d goroutines, before %d", now, before)
	}
	release()
	within(t, func() error { return put(b, "k", "v") })
}

// TestDeadContext does not even ask for the lock.
func TestDeadContext(t *testing.T) {
	l := openStore(t, t.TempDir())
	mine := errors.New("enough")
	ctx, stop := context.WithCancelCause(context.Background())
	stop(mine)
	ran := func(Tx) error { t.Error("ran"); return nil }
	for _, err := range []error{l.View(ctx, ran), l.Update(ctx, ran)} {
		if !errors.Is(err, mine) {
			t.Errorf("got %v", err)
		}
	}
}

// TestNoStarving: readers that overlap without end let a writer in.
func TestNoStarving(t *testing.T) {
	dir := t.TempDir()
	mustPut(t, openStore(t, dir), "k", "v")
	var wg sync.WaitGroup
	var done atomic.Bool
	var reading atomic.Int32
	for i := range 4 {
		l := openStore(t, dir)
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 5 * time.Millisecond)
			for !done.Load() {
				err := l.View(context.Background(), func(Tx) error {
					reading.Add(1)
					time.Sleep(20 * time.Millisecond)
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for reading.Load() < 8 {
		time.Sleep(time.Millisecond)
	}
	within(t, func() error {
		for range 5 {
			if err := put(openStore(t, dir), "k", "v"); err != nil {
				return err
			}
		}
		return nil
	})
	done.Store(true)
	wg.Wait()
}

// TestClosed: what comes after Close does nothing, and says so.
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
	if names, _ := filepath.Glob(filepath.Join(dir, tablesName+"*")); len(names) > 0 {
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
	if errors.Is(err, ErrNotFound) {
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
