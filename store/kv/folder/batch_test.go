package folder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"techo/store/kv"
	"techo/store/kv/disk"
)

// countedFile counts the syncs of a journal, and fails them on demand.
type countedFile struct {
	disk.File
	syncs atomic.Int64
	fail  atomic.Bool
}

func (f *countedFile) Sync() error {
	f.syncs.Add(1)
	if f.fail.Load() {
		return errors.New("sync failed")
	}
	return f.File.Sync()
}

// countSyncs puts a countedFile into the journal of an engine.
func countSyncs(l *Engine) *countedFile {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := &countedFile{File: l.journal.File}
	l.journal.File = f
	return f
}

// gather runs Updates at once; all wait while another writer has the lock, so
// that they share a batch.
func gather(t *testing.T, l *Engine, updates ...func() error) (errs []error) {
	t.Helper()
	other := openStore(t, l.dir)
	errs = make([]error, len(updates))
	var all sync.WaitGroup
	err := other.Update(t.Context(), func(kv.Tx) error {
		for i, update := range updates {
			var done atomic.Bool
			all.Go(func() { errs[i] = update(); done.Store(true) })
			for { // until it leads or follows
				l.mu.Lock()
				waiting := l.batch != nil || done.Load()
				l.mu.Unlock()
				if waiting {
					break
				}
				time.Sleep(time.Millisecond)
			}
		}
		time.Sleep(50 * time.Millisecond)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	return errs
}

// TestBatch checks that Updates that wait together see each other's writes and
// share syncs.
func TestBatch(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "count", "")
	file := countSyncs(l)
	refused := errors.New("refused")
	var updates []func() error
	for i := range 24 {
		updates = append(updates, func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = refused
				}
			}()
			return l.Update(context.Background(), func(tx kv.Tx) error {
				v, err := tx.Get([]byte("count"))
				if err != nil {
					return err
				}
				if err := tx.Put([]byte("count"), append(v[:len(v):len(v)], 'x')); err != nil {
					return err
				}
				switch i % 6 {
				case 1:
					return refused
				case 2:
					panic("refused")
				}
				return tx.Put(fmt.Append(nil, "key", i), []byte("v"))
			})
		})
	}
	want := model{"count": ""}
	for i, err := range gather(t, l, updates...) {
		switch i % 6 {
		case 1, 2:
			if !errors.Is(err, refused) {
				t.Errorf("update %d: %v", i, err)
			}
		default:
			if err != nil {
				t.Errorf("update %d: %v", i, err)
			}
			want["count"] += "x"
			want[fmt.Sprint("key", i)] = "v"
		}
	}
	wantAll(t, l, want)
	wantAll(t, openStore(t, dir), want)
	if n := file.syncs.Load(); n > 8 {
		t.Errorf("%d syncs", n)
	}
}

// TestBatchFails checks that a failed commit fails every Update of the batch, also
// one that only read the write of another.
func TestBatchFails(t *testing.T) {
	dir := t.TempDir()
	l := openStore(t, dir)
	mustPut(t, l, "k", "v")
	file := countSyncs(l)
	file.fail.Store(true)
	var updates []func() error
	for i := range 8 {
		updates = append(updates, func() error {
			return l.Update(context.Background(), func(tx kv.Tx) error {
				if i%2 == 1 {
					return nil
				}
				return tx.Put(fmt.Append(nil, "key", i), []byte("v"))
			})
		})
	}
	failed := 0
	for _, err := range gather(t, l, updates...) {
		if err != nil {
			failed++
		}
	}
	if failed < 4 {
		t.Errorf("%d of 8 failed", failed)
	}
	file.fail.Store(false)
	wantAll(t, openStore(t, dir), model{"k": "v"})
	mustPut(t, l, "later", "v")
	wantAll(t, l, model{"k": "v", "later": "v"})
}

// TestBatchLeaderGivesUp cancels the leader, and a follower. The other followers go
// on.
func TestBatchLeaderGivesUp(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "k", "v")
	ctx, stop := context.WithCancel(t.Context())
	write := func(ctx context.Context, key string) func() error {
		return func() error {
			return l.Update(ctx, func(tx kv.Tx) error { return tx.Put([]byte(key), []byte("v")) })
		}
	}
	time.AfterFunc(20*time.Millisecond, stop)
	errs := gather(t, l, write(ctx, "a"), write(t.Context(), "b"), write(ctx, "c"), write(t.Context(), "d"))
	for i, err := range errs {
		if cancelled := i%2 == 0; errors.Is(err, context.Canceled) != cancelled || !cancelled && err != nil {
			t.Errorf("update %d: %v", i, err)
		}
	}
	wantAll(t, l, model{"k": "v", "b": "v", "d": "v"})
}

// TestBatchFull checks that more writes than fit in a batch take several.
func TestBatchFull(t *testing.T) {
	l := openStore(t, t.TempDir())
	mustPut(t, l, "k", "v")
	var updates []func() error
	for i := range 6 {
		updates = append(updates, func() error {
			return l.Update(context.Background(), func(tx kv.Tx) error {
				return tx.Put(fmt.Append(nil, "key", i), make([]byte, kv.MaxValue))
			})
		})
	}
	for i, err := range gather(t, l, updates...) {
		if err != nil {
			t.Errorf("update %d: %v", i, err)
		}
	}
	if got, err := everything(l); err != nil || len(got) != 7 {
		t.Errorf("%v, %v", got, err)
	}
}
