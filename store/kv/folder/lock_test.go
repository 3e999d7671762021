package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"techo/store/kv"
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
	hold := func(kv.Tx) error {
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
func holding(t *testing.T, l *Engine, exclusive bool) (release func()) {
	t.Helper()
	do := l.View
	if exclusive {
		do = l.Update
	}
	fileLock, end, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- do(context.Background(), func(kv.Tx) error { close(fileLock); <-end; return nil })
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
func refused(t *testing.T, what string, do func(context.Context, func(kv.Tx) error) error) {
	t.Helper()
	mine := errors.New("waited enough")
	ctx, stop := context.WithTimeoutCause(context.Background(), 50*time.Millisecond, mine)
	defer stop()
	ran := false
	err := do(ctx, func(kv.Tx) error { ran = true; return nil })
	if !errors.Is(err, mine) || ran {
		t.Fatalf("%s: ran %v, %v", what, ran, err)
	}
}

// TestReadersWaitForNobody reads beside a writer and writes beside a reader, in this process
// and in another one.
func TestReadersWaitForNobody(t *testing.T) {
	dir := t.TempDir()
	a, b := openStore(t, dir), openStore(t, dir)
	mustPut(t, a, "k", "v")
	for _, l := range []*Engine{a, b} { // also the goroutines of one handle
		release := holding(t, a, true)
		within(t, func() error { return wantRead(l, model{"k": "v"}) })
		refused(t, "writer beside a writer", l.Update)
		release()
		defer holding(t, a, false)()
		within(t, func() error { return put(l, "k", "v") })
	}
	c := startChild(t, "read", dir)
	c.wantLine(t, "held")
	within(t, func() error { return put(a, "k", "v") })
	c = startChild(t, "write", dir)
	c.wantLine(t, "held")
	for _, l := range []*Engine{a, openStore(t, dir)} {
		within(t, func() error { return wantRead(l, model{"k": "v"}) })
		refused(t, "writer beside another process", l.Update)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	within(t, func() error { return put(a, "k", "v") })
}

// wantRead fails unless a store has these records.
func wantRead(l *Engine, want model) error {
	got, err := everything(l)
	if err == nil && !maps.Equal(got, want) {
		err = fmt.Errorf("read %s, want %s", got, want)
	}
	return err
}

// wantHolder wants a child's pid, and its command as the kernel or the child
// itself names it.
func wantHolder(t *testing.T, err error, c *child) {
	t.Helper()
	var busy *kv.BusyError
	words := filepath.Base(os.Args[0]) + " " + c.Args[1]
	if !errors.As(err, &busy) || busy.PID != c.Process.Pid || busy.Command != words && busy.Command != "the holder" {
		t.Errorf("%v, want pid %d (%s)", err, c.Process.Pid, words)
	}
}

func TestBusyNames(t *testing.T) {
	t.Run("another", func(t *testing.T) {
		dir := t.TempDir()
		c := startChild(t, "write", dir)
		c.wantLine(t, "held")
		wantHolder(t, lock.Busy(lock.ErrHeld, dir, lock.Limit), c)
	})
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
		var who *kv.BusyError
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
	for range 2 {
		release := holding(t, a, true)
		for range 3 {
			refused(t, "writer", b.Update)
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
		all.Go(func() { refused(t, "writer", b.Update) })
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
	ran := func(kv.Tx) error { t.Error("ran"); return nil }
	for _, err := range []error{l.View(ctx, ran), l.Update(ctx, ran)} {
		if !errors.Is(err, mine) {
			t.Errorf("got %v", err)
		}
	}
}
