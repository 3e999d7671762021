package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/internal/testenv"
	"techo/store/kv/disk"
	"techo/store/kv/fault"
	"techo/store/kv/lock"
)

// soon is longer than any step of these tests takes on a busy machine.
const soon = 8 * time.Second

// holdStore takes the store's lock and keeps it until stdin ends.
func holdStore(dir string, exclusive bool) error {
	l, err := Open(dir, Options{Write: true, Holder: "the holder"})
	if err != nil {
		return err
	}
	hold := func(Tx) error {
		fmt.Println("held")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	if exclusive {
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
func holding(t *testing.T, l *Local, exclusive bool) (release func()) {
	t.Helper()
	do := l.View
	if exclusive {
		do = l.Update
	}
	fileLock, end, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- do(context.Background(), func(Tx) error { close(fileLock); <-end; return nil })
	}()
	select {
	case <-fileLock:
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

// wantHolder wants a child's pid, and its command as the kernel or the child
// itself names it.
func wantHolder(t *testing.T, err error, c *child) {
	t.Helper()
	var busy *fault.BusyError
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
			if pid, _ := lock.LockOwner(filepath.Join(dir, disk.LockName)); pid == 0 && does == "read" {
				testenv.Missing(t, "a list of blocked readers")
			}
			wantHolder(t, lock.Busy(lock.ErrHeld, dir, lock.Limit), c)
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
		var who *fault.BusyError
		if err := lock.Busy(lock.ErrHeld, dir, lock.Limit); !errors.As(err, &who) ||
			who.PID != os.Getpid() || who.Command != "techo serve" {
			t.Errorf("%v", err)
		}
	})
}

// TestGivenUp checks that an abandoned wait frees the lock when it gets it after
// all.
func TestGivenUp(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	for _, exclusive := range []bool{true, false} {
		release := holding(t, a, exclusive)
		for range 3 {
			refused(t, "writer", b.Update)
		}
		if exclusive {
			refused(t, "reader", b.View)
		}
		release()
		within(t, func() error { return put(a, "k", "v") })
		within(t, func() error { return put(b, "k", "v") })
	}
}

// TestGivenUpOften checks that abandoned waits do not pile up in the kernel.
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
	within(t, func() error {
		for runtime.NumGoroutine() > before+5 { // the last ones are about to end
			time.Sleep(time.Millisecond)
		}
		return nil
	})
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

// TestNoStarving checks that readers that overlap without end let a writer in.
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
