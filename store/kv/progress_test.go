package kv

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fakeClock is a clock that only tests advance.
type fakeClock struct{ passed atomic.Int64 }

func (c *fakeClock) now() time.Time          { return time.Unix(0, c.passed.Load()) }
func (c *fakeClock) advance(d time.Duration) { c.passed.Add(int64(d)) }

// TestPatience checks that each kind of progress, and nothing else, starts the
// limit of a wait again.
func TestPatience(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	var clock fakeClock
	w := newWaits()
	w.now = clock.now
	ctx, p, stop := w.withPatience(t.Context(), dir)
	defer stop()
	p.start()
	p.look()
	for name, work := range map[string]func(){
		"a write":         func() { mustPut(t, l, "key", "value") },
		"a compaction":    func() { mustMerge(t, l) },
		"a table":         func() { writeFile(t, filepath.Join(dir, tablesName, "000099.sst"), "table") },
		"the lock of one": func() { holding(t, openStore(t, dir), true)() },
	} {
		clock.advance(waitLimit - time.Second)
		work()
		p.look()
		if ctx.Err() != nil || p.stalled() != 0 {
			t.Fatalf("%s was no progress: %s, %v", name, p.stalled(), ctx.Err())
		}
	}
	clock.advance(waitLimit - 1)
	wantAll(t, l, model{"key": "value"}) // a read
	p.look()
	if ctx.Err() != nil || p.stalled() != waitLimit-1 {
		t.Fatalf("after %s: %v", p.stalled(), ctx.Err())
	}
	clock.advance(1)
	p.look()
	if !errors.Is(context.Cause(ctx), errWouldBlock) {
		t.Errorf("after %s: %v", p.stalled(), context.Cause(ctx))
	}
}

// TestCrowdIsNeverBusy lets each write of a crowd take seconds of a fake clock. In
// all they take many times the limit, but the store makes progress.
func TestCrowdIsNeverBusy(t *testing.T) {
	dir := t.TempDir()
	mustPut(t, openStore(t, dir), "key", "value")
	const writers, writes = 16, 3
	var clock fakeClock
	var all sync.WaitGroup
	want := model{"key": "value"}
	for n := range writers {
		l := openStore(t, dir)
		l.waits.now, l.waits.every = clock.now, time.Millisecond
		for i := range writes {
			want[fmt.Sprint(n, " ", i)] = "value"
		}
		all.Go(func() {
			for i := range writes {
				err := l.Update(context.Background(), func(tx Tx) error {
					clock.advance(waitLimit / 3)
					return tx.Put(fmt.Append(nil, n, " ", i), []byte("value"))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	wantAll(t, openStore(t, dir), want)
}

// TestStuckHolder waits for a process that holds the store and does nothing.
func TestStuckHolder(t *testing.T) {
	for _, does := range []string{"read", "write"} {
		t.Run(does, func(t *testing.T) {
			dir := t.TempDir()
			mustPut(t, openStore(t, dir), "key", "value")
			c := startChild(t, does, dir)
			c.wantLine(t, "held")
			l := openStore(t, dir)
			var clock fakeClock
			l.waits.every = time.Millisecond
			l.waits.now = func() time.Time {
				clock.advance(waitLimit / 100)
				return clock.now()
			}
			err := put(l, "key", "other")
			var busy *BusyError
			if !errors.As(err, &busy) || busy.Waited < waitLimit {
				t.Fatalf("got %v", err)
			}
			wantHolder(t, busy, c)
		})
	}
}
