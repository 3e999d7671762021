package folder

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
	"techo/store/kv/lock"
)

// fakeClock is a clock that only tests advance.
type fakeClock struct{ passed atomic.Int64 }

func (c *fakeClock) now() time.Time          { return time.Unix(0, c.passed.Load()) }
func (c *fakeClock) advance(d time.Duration) { c.passed.Add(int64(d)) }

// TestWatch checks that each kind of progress, and nothing else, starts the
// limit of a wait again.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "key", "value")
	var clock fakeClock
	w := lock.NewWaits()
	w.Now = clock.now
	ctx, p, stop := w.Watch(t.Context(), dir)
	defer stop()
	p.Start()
	p.Look()
	for name, work := range map[string]func(){
		"a write":         func() { mustPut(t, l, "key", "value") },
		"a compaction":    func() { mustMerge(t, l) },
		"a table":         func() { writeFile(t, filepath.Join(dir, disk.TablesName, "000099.sst"), "table") },
		"the lock of one": func() { holding(t, openStore(t, dir), true)() },
	} {
		clock.advance(lock.Limit - time.Second)
		work()
		p.Look()
		if ctx.Err() != nil || p.Stalled() != 0 {
			t.Fatalf("%s was no progress: %s, %v", name, p.Stalled(), ctx.Err())
		}
	}
	done := w.Merging() // by this process, beside a crowd that lets it change no file for long
	clock.advance(2 * lock.Limit)
	p.Look()
	done()
	clock.advance(lock.Limit - 1)
	wantAll(t, l, model{"key": "value"}) // a read
	p.Look()
	if ctx.Err() != nil || p.Stalled() != lock.Limit-1 {
		t.Fatalf("after %s: %v", p.Stalled(), ctx.Err())
	}
	clock.advance(1)
	p.Look()
	if !errors.Is(context.Cause(ctx), lock.ErrHeld) {
		t.Errorf("after %s: %v", p.Stalled(), context.Cause(ctx))
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
		l.waits.Now, l.waits.Every = clock.now, time.Millisecond
		for i := range writes {
			want[fmt.Sprint(n, " ", i)] = "value"
		}
		all.Go(func() {
			for i := range writes {
				err := l.Update(context.Background(), func(tx kv.Tx) error {
					clock.advance(lock.Limit / 3)
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
	dir := t.TempDir()
	mustPut(t, openStore(t, dir), "key", "value")
	c := startChild(t, "write", dir)
	c.wantLine(t, "held")
	l := openStore(t, dir)
	var clock fakeClock
	l.waits.Every = time.Millisecond
	l.waits.Now = func() time.Time {
		clock.advance(lock.Limit / 100)
		return clock.now()
	}
	err := put(l, "key", "other")
	var busy *kv.BusyError
	if !errors.As(err, &busy) || busy.Waited < lock.Limit {
		t.Fatalf("got %v", err)
	}
	wantHolder(t, busy, c)
}
